use std::fmt;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use deadpool_postgres::PoolError;

/// A request that the database did not answer: 500.
pub struct Failure(PoolError);

impl<E: Into<PoolError>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        eprintln!("{self}");
        (StatusCode::INTERNAL_SERVER_ERROR, "internal error").into_response()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        // A crate's own text says where; its causes say what.
        let mut cause: Option<&dyn std::error::Error> = Some(&self.0);
        let mut separator = "";
        while let Some(error) = cause {
            write!(out, "{separator}{error}")?;
            separator = ": ";
            cause = error.source();
        }
        Ok(())
    }
}
