use axum::extract::rejection::JsonRejection;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::Json;
use payments_domain::Malformed;
use serde::Serialize;

use crate::orders::OrdersError;

/// Every answer but 200.
pub enum Failure {
    Malformed,
    NoPath,
    NoProcessor,
    NoOrder,
    NoDatabase,
    Internal(OrdersError),
}

#[derive(Serialize)]
struct Body {
    error: &'static str,
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let (status, error) = match self {
            Self::Malformed => (StatusCode::BAD_REQUEST, "malformed request"),
            Self::NoPath => (StatusCode::NOT_FOUND, "no such path"),
            Self::NoProcessor => (StatusCode::NOT_FOUND, "no processor"),
            Self::NoOrder => (StatusCode::NOT_FOUND, "no order"),
            Self::NoDatabase => (StatusCode::SERVICE_UNAVAILABLE, "no database"),
            Self::Internal(error) => {
                eprintln!("{error}");
                (StatusCode::INTERNAL_SERVER_ERROR, "internal error")
            }
        };
        (status, Json(Body { error })).into_response()
    }
}

impl From<Malformed> for Failure {
    fn from(_: Malformed) -> Self {
        Self::Malformed
    }
}

/// By itself axum answers a body that lacks a field with 422.
impl From<JsonRejection> for Failure {
    fn from(_: JsonRejection) -> Self {
        Self::Malformed
    }
}

impl From<OrdersError> for Failure {
    fn from(error: OrdersError) -> Self {
        Self::Internal(error)
    }
}
