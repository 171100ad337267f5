//! From the words of a command line to what is to be done.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Parser as _;
use runfair_measuring::command_line::printable::printable;
use runfair_measuring::command_line::Stop;

use super::arguments::{Arguments, Form, SchemaChoice};
use super::plan::Plan;

/// What is to be done.
pub enum Command {
    /// Send requests.
    Load(Box<Plan>),
    /// Print a records file as CSV.
    Records(PathBuf),
    /// Print a schema.
    Schema(SchemaChoice),
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
