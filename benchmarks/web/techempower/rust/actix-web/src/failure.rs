use std::fmt;

use actix_web::{HttpResponse, ResponseError};

/// A request without an answer: 500.
#[derive(Debug)]
pub struct Failure(techempower_domain::Failure);

impl From<techempower_domain::Failure> for Failure {
    fn from(failure: techempower_domain::Failure) -> Self {
        Self(failure)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        self.0.fmt(out)
    }
}

impl ResponseError for Failure {
    fn error_response(&self) -> HttpResponse {
        eprintln!("{self}");
        HttpResponse::InternalServerError().body("internal error")
    }
}
