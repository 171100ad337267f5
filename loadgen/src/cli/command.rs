//! From the words of a command line to what is to be done.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::Parser as _;

use super::arguments::{Arguments, Form, SchemaChoice};
use super::plan::Plan;
use crate::report::printable::printable;

/// What is to be done.
pub enum Command {
    /// Send requests.
    Load(Box<Plan>),
    /// Print a records file as CSV.
    Records(PathBuf),
    /// Print a schema.
    Schema(SchemaChoice),
}

/// Why nothing is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// Help or version, for standard output; the exit status is 0.
    Told(String),
    /// A mistake of the user's: one line that says what to do, for standard error; the
    /// exit status is 2. Nothing in it can harm a terminal.
    Mistaken(String),
}

impl Command {
    /// Reads a command line, the program's name first.
    ///
    /// # Errors
    /// [`Stop`], which is no error where help was asked for.
    pub fn parse(
        words: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    ) -> Result<Self, Stop> {
        let arguments = Arguments::try_parse_from(words)?;
        if let Some(Form::Records { file }) = arguments.form {
            return Ok(Self::Records(file));
        }
        if let Some(schema) = arguments.output.schema {
            return Ok(Self::Schema(schema));
        }
        match Plan::of(arguments) {
            Ok(plan) => Ok(Self::Load(Box::new(plan))),
            Err(mistake) => Err(Stop::Mistaken(printable(&mistake.to_string()))),
        }
    }
}

impl From<clap::Error> for Stop {
    /// The parser's message as one line, without the usage that follows it.
    fn from(error: clap::Error) -> Self {
        // With the colours that the parser finds fit for standard output.
        let text = error.render().to_string();
        if let ErrorKind::DisplayHelp | ErrorKind::DisplayVersion = error.kind() {
            return Self::Told(text);
        }
        let parts: Vec<String> = text
            .lines()
            .map(str::trim)
            .take_while(|line| {
                !line.starts_with("Usage:") && !line.starts_with("For more information")
            })
            .filter(|line| !line.is_empty())
            .map(|line| printable(line.trim_start_matches("error: ")))
            .collect();
        Self::Mistaken(parts.join("; "))
    }
}
