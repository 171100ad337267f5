//! A file of requests: JSON Lines, one request a line.

use std::path::Path;

use sha2::{Digest, Sha256};

use super::line::Line;
use super::request::RequestSpec;
use crate::schedule::{Trace, TraceError};

/// The requests of a file, in its order.
#[derive(Clone, Debug, PartialEq)]
pub struct TrafficFile {
    path: String,
    requests: Vec<RequestSpec>,
    lines: Vec<u64>,
    sha256: [u8; 32],
}

/// Why a file holds no traffic.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the texts say it")]
pub enum FileError {
    #[error("{path}: cannot be read: {source}")]
    Unreadable {
        path: String,
        source: std::io::Error,
    },
    #[error("{path}: the file contains no request")]
    Empty { path: String },
    #[error("{path}:{line}:{column}: {message}")]
    Line {
        path: String,
        line: u64,
        column: u64,
        message: String,
    },
    #[error("{path}:{line}: the request has neither at_ns nor at_s; a trace needs one of them on every line")]
    NoStamp { path: String, line: u64 },
    #[error("{path}: {source}")]
    Trace { path: String, source: TraceError },
}

impl TrafficFile {
    /// Reads a file whole.
    ///
    /// # Errors
    /// [`FileError`], with line and column where it has one.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let name = path.display().to_string();
        match std::fs::read(path) {
            Ok(bytes) => Self::parse(&name, &bytes),
            Err(source) => Err(FileError::Unreadable { path: name, source }),
        }
    }

    /// Reads the bytes of a file; `path` is for messages.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn parse(path: &str, bytes: &[u8]) -> Result<Self, FileError> {
        let mut file = Self {
            path: path.to_owned(),
            requests: Vec::new(),
            lines: Vec::new(),
            sha256: Sha256::digest(bytes).into(),
        };
        for (line, bytes) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
            let wrong = |column: usize, message: String| FileError::Line {
                path: path.to_owned(),
                line,
                column: column as u64,
                message,
            };
            let text = std::str::from_utf8(bytes)
                .map_err(|error| wrong(error.valid_up_to() + 1, "this is not UTF-8".to_owned()))?;
            if text.trim().is_empty() {
                continue;
            }
            let described: Line = serde_json::from_str(text)
                .map_err(|error| wrong(error.column().max(1), plain_message(&error)))?;
            let spec = described.into_spec().map_err(|message| wrong(1, message))?;
            file.requests.push(RequestSpec {
                place: Some(format!("{path}:{line}")),
                ..spec
            });
            file.lines.push(line);
        }
        if file.requests.is_empty() {
            return Err(FileError::Empty { path: file.path });
        }
        Ok(file)
    }

    /// The digest of the file's bytes.
    pub fn sha256(&self) -> &[u8; 32] {
        &self.sha256
    }

    /// The requests.
    pub fn requests(&self) -> &[RequestSpec] {
        &self.requests
    }

    /// The requests, without a copy.
    pub fn into_requests(self) -> Vec<RequestSpec> {
        self.requests
    }

    /// The lines' time stamps, played `speed` times faster than recorded.
    ///
    /// # Errors
    /// A line without a stamp, a stamp before the one above it, or a speed that
    /// is not positive.
    pub fn trace(&self, speed: f64) -> Result<Trace, FileError> {
        let mut stamps = Vec::with_capacity(self.lines.len());
        for (&line, request) in self.lines.iter().zip(&self.requests) {
            let at_ns = request.at_ns.ok_or_else(|| FileError::NoStamp {
                path: self.path.clone(),
                line,
            })?;
            stamps.push((line, at_ns));
        }
        Trace::new(stamps, speed).map_err(|source| FileError::Trace {
            path: self.path.clone(),
            source,
        })
    }
}

/// The message without the position that serde_json appends: its line is
/// always 1 here, and the column has been told.
fn plain_message(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    let plain = message.strip_suffix(&position).unwrap_or(&message);
    // The parser quotes unknown names as they are, line breaks and all.
    let mut line = String::with_capacity(plain.len());
    for letter in plain.chars() {
        if letter.is_control() {
            line.extend(letter.escape_default());
        } else {
            line.push(letter);
        }
    }
    line
}

#[cfg(test)]
#[path = "tests_file.rs"]
mod tests;
