//! Why a command line leads to nothing to be done.

use clap::error::ErrorKind;

use super::printable::printable;

/// Why nothing is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// Help or version, for standard output; the exit status is 0.
    Told(String),
    /// A mistake of the user's: one line that says what to do, for standard error; the
    /// exit status is 2. Nothing in it can harm a terminal.
    Mistaken(String),
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
