//! Why a program ends early.

use std::fmt;
use std::io;

/// What the user did wrong and how to put it right, in one line; exit status 2.
#[derive(Debug)]
pub struct UserError(pub String);

impl fmt::Display for UserError {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// Why a program ends early.
#[derive(Debug)]
pub enum Failure {
    User(UserError),
    Output(io::Error),
}

impl From<UserError> for Failure {
    fn from(error: UserError) -> Self {
        Self::User(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}
