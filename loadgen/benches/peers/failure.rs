//! What can go wrong with the benchmark itself, one line each.

use std::io;
use std::path::PathBuf;

/// A failure that ends the benchmark, or one run of it, with one line that says what happened.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The system refused something.
    #[error("cannot {doing}: {source}")]
    System {
        /// What was tried.
        doing: String,
        /// The system's reason.
        source: io::Error,
    },
    /// Generator and server cannot be kept apart.
    #[error(
        "needs 2 processors, one for the generator and one for the server, but may use {found}"
    )]
    TooFewProcessors {
        /// How many there are.
        found: usize,
    },
    /// The reference server did not do its part.
    #[error("reference server: {0}")]
    Server(String),
    /// A tool ended badly.
    #[error("{tool} {what}: {last_words}")]
    Tool {
        /// Its name.
        tool: String,
        /// How it ended.
        what: String,
        /// The last line it wrote to standard error.
        last_words: String,
    },
    /// A tool's output is not what its reader knows.
    #[error("the output of {tool} could not be read: {what}")]
    Unreadable {
        /// Its name.
        tool: String,
        /// What was missing.
        what: String,
    },
    /// A file of raw records is not as its header says.
    #[error("{}: {what}", path.display())]
    Records {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// An unknown name on the command line.
    #[error("unknown {kind} {name:?}: known are {known}")]
    Unknown {
        /// Part or tool.
        kind: &'static str,
        /// As given.
        name: String,
        /// What may be given.
        known: String,
    },
}

/// Says what was tried when the system refuses it.
pub trait Doing<T> {
    /// The same result, whose error begins "cannot `doing`".
    fn doing(self, doing: impl FnOnce() -> String) -> Result<T, Failure>;
}

impl<T> Doing<T> for io::Result<T> {
    fn doing(self, doing: impl FnOnce() -> String) -> Result<T, Failure> {
        self.map_err(|source| Failure::System {
            doing: doing(),
            source,
        })
    }
}
