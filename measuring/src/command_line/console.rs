//! What a program prints, and the status with which it ends.

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Context;

use super::printable::printable;
use super::Stop;

/// The exit status if the user made a mistake or the system refuses what is needed.
const MISTAKE: u8 = 2;

/// Prints a text to standard output.
///
/// # Errors
/// Standard output cannot be written. If its reader has left, this is no error.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .context("standard output cannot be written")
        .or_else(unless_unread)
}

/// An error of writing, unless it is that the reader has left.
///
/// # Errors
/// The error itself.
pub fn unless_unread(error: anyhow::Error) -> anyhow::Result<()> {
    match error.downcast_ref::<io::Error>() {
        Some(cause) if cause.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        _ => Err(error),
    }
}

/// Carries out what was asked for, and prints what was to be told, or the error.
pub fn run<C>(
    program: &str,
    asked: Result<C, Stop>,
    carry_out: impl FnOnce(C) -> anyhow::Result<ExitCode>,
) -> ExitCode {
    let outcome = match asked {
        Ok(command) => carry_out(command),
        Err(Stop::Told(text)) => print(&text).map(|()| ExitCode::SUCCESS),
        Err(Stop::Mistaken(line)) => Err(anyhow::Error::msg(line)),
    };
    outcome.unwrap_or_else(|error| {
        // A closed standard error leaves the exit status to speak.
        let line = printable(&format!("{error:#}"));
        let _ = writeln!(io::stderr(), "{program}: {line}");
        ExitCode::from(MISTAKE)
    })
}
