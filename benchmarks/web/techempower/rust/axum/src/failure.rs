use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

/// A request without an answer: 500.
pub struct Failure(techempower_domain::Failure);

impl From<techempower_domain::Failure> for Failure {
    fn from(failure: techempower_domain::Failure) -> Self {
        Self(failure)
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        eprintln!("{}", self.0);
        (StatusCode::INTERNAL_SERVER_ERROR, "internal error").into_response()
    }
}
