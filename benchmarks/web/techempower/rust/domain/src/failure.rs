use std::error::Error;
use std::fmt;

/// A request that has no answer, because the database or the template failed.
#[derive(Debug)]
pub struct Failure(Box<dyn Error + Send + Sync>);

impl<E: Into<Box<dyn Error + Send + Sync>>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        // A crate's own text says where; its causes say what.
        let mut cause: Option<&dyn Error> = Some(&*self.0);
        let mut separator = "";
        while let Some(error) = cause {
            write!(out, "{separator}{error}")?;
            separator = ": ";
            cause = error.source();
        }
        Ok(())
    }
}
