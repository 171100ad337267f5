use std::fmt;

use ntex::web::{HttpRequest, HttpResponse, WebResponseError};

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

impl WebResponseError for Failure {
    fn error_response(&self, _: &HttpRequest) -> HttpResponse {
        eprintln!("{self}");
        HttpResponse::InternalServerError().body("internal error")
    }
}
