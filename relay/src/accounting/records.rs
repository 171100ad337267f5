//! Every query, in a file of fixed-size records.
//!
//! The first line is a JSON object that says how to read the rest, as in the load
//! generator's records. Then come the records, little-endian, in the order in which queries
//! were over.

use std::io::{self, Write};
use std::path::Path;

use runfair_load::recording::output::Output;
use runfair_load::recording::records::Field;
use serde::{Deserialize, Serialize};

use super::report::Started;
use crate::dialogue::{Protocol, Query};

/// The name in the first line.
pub const FORMAT: &str = "runfair-relay records";
/// The version in the first line.
pub const VERSION: u32 = 1;
/// Bytes of one record.
pub const RECORD_BYTES: usize = 56;
/// So many bytes are put into the file at once: little enough that the wire is not kept.
const COMMIT_BYTES: usize = 32 * 1024;
/// What is younger may be lost with the process.
const COMMIT_NS: u64 = 1_000_000_000;

/// What became of a query; its number stands in the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Outcome {
    /// Answered.
    Good,
    /// Answered by the server that it failed.
    Failed,
    /// Not answered, or the answer not delivered, when its connection ended.
    Unfinished,
}

impl Outcome {
    /// All of them, by number.
    pub const ALL: [Self; 3] = [Self::Good, Self::Failed, Self::Unfinished];

    /// Its name in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Failed => "failed",
            Self::Unfinished => "unfinished",
        }
    }
}

/// Names, types and offsets of the fields: what [`bytes_of`] writes.
const FIELDS: [(&str, &str, usize); 8] = [
    ("arrived_ns", "u64", 0),
    ("forwarded_ns", "u64", 8),
    ("answered_ns", "u64", 16),
    ("delivered_ns", "u64", 24),
    ("request_bytes", "u64", 32),
    ("answer_bytes", "u64", 40),
    ("connection", "u32", 48),
    ("outcome", "u8", 52),
];

/// The first line. Instants are on CLOCK_MONOTONIC, 0 where it did not come so far.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// What a query is.
    pub protocol: Protocol,
    /// The declared round trip.
    pub delay_ns: u64,
    /// [`RECORD_BYTES`].
    pub record_bytes: usize,
    /// The fields in order.
    pub fields: Vec<Field>,
    /// Names of the values of `outcome`, from 0 on.
    pub outcomes: Vec<String>,
    /// The relay's start, on both clocks.
    pub started: Started,
}

impl Header {
    /// The header of a relay.
    pub fn new(protocol: Protocol, delay_ns: u64, started: Started) -> Self {
        let fields = FIELDS
            .iter()
            .map(|&(name, kind, offset)| Field {
                name: name.to_owned(),
                kind: kind.to_owned(),
                offset,
            })
            .collect();
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            protocol,
            delay_ns,
            record_bytes: RECORD_BYTES,
            fields,
            outcomes: Outcome::ALL.map(|outcome| outcome.name().to_owned()).into(),
            started,
        }
    }
}

/// The file.
pub struct QueryRecords {
    output: Output,
    pending_bytes: usize,
    committed_ns: u64,
}

impl QueryRecords {
    /// Creates the file, or empties it, and writes its first line.
    ///
    /// # Errors
    /// What the file system refuses.
    pub fn create(path: &Path, header: &Header) -> io::Result<Self> {
        let mut output = Output::create(path)?;
        output.take_place();
        serde_json::to_writer(&mut output, header)?;
        output.write_all(b"\n")?;
        output.commit();
        Ok(Self {
            output,
            pending_bytes: 0,
            committed_ns: 0,
        })
    }

    /// Adds a query.
    pub fn add(&mut self, query: &Query, connection: u32, outcome: Outcome) {
        // Into memory, which does not fail.
        let _ = self.output.write_all(&bytes_of(query, connection, outcome));
        self.pending_bytes += RECORD_BYTES;
    }

    /// Puts what was added into the file, when that is much or old.
    pub fn keep(&mut self, now_ns: u64) {
        let old = now_ns.saturating_sub(self.committed_ns) > COMMIT_NS;
        if self.pending_bytes >= COMMIT_BYTES || old && self.pending_bytes > 0 {
            self.commit(now_ns);
        }
    }

    /// Puts what was added into the file.
    pub fn commit(&mut self, now_ns: u64) {
        self.output.commit();
        self.pending_bytes = 0;
        self.committed_ns = now_ns;
    }

    /// Why the file is not complete.
    pub fn failure(&self) -> Option<(&Path, &io::Error)> {
        self.output
            .failure()
            .map(|error| (self.output.path(), error))
    }
}

fn bytes_of(query: &Query, connection: u32, outcome: Outcome) -> [u8; RECORD_BYTES] {
    let mut bytes = [0; RECORD_BYTES];
    let words = [
        query.arrived_ns,
        query.forwarded_ns,
        query.answered_ns,
        query.delivered_ns,
        query.request_bytes,
        query.answer_bytes,
    ];
    for (place, word) in bytes.chunks_exact_mut(8).zip(words) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    bytes[48..52].copy_from_slice(&connection.to_le_bytes());
    bytes[52] = outcome as u8;
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> Header {
        Header::new(Protocol::Redis, 1_000_000, Started::default())
    }

    fn query() -> Query {
        Query {
            arrived_ns: 1,
            forwarded_ns: 2,
            answered_ns: 3,
            delivered_ns: 4,
            request_bytes: 5,
            answer_bytes: 6,
            ..Query::default()
        }
    }

    #[test]
    fn every_field_stands_where_the_header_says() {
        let bytes = bytes_of(&query(), 7, Outcome::Unfinished);
        let expected = [1, 2, 3, 4, 5, 6, 7, Outcome::Unfinished as u64];
        for (field, expected) in header().fields.iter().zip(expected) {
            let size = field.kind[1..].parse::<usize>().unwrap() / 8;
            let mut word = [0; 8];
            word[..size].copy_from_slice(&bytes[field.offset..field.offset + size]);
            assert_eq!(u64::from_le_bytes(word), expected, "{}", field.name);
        }
    }

    #[test]
    fn the_file_is_a_line_and_then_whole_records() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("queries");
        let mut records = QueryRecords::create(&path, &header()).unwrap();
        records.add(&query(), 1, Outcome::Good);
        records.keep(COMMIT_NS);
        let bytes = || std::fs::read(&path).unwrap().len();
        let first_line = bytes();
        records.keep(COMMIT_NS + 1); // old enough now
        assert_eq!(bytes(), first_line + RECORD_BYTES);
        for _ in 0..COMMIT_BYTES / RECORD_BYTES + 1 {
            records.add(&query(), 1, Outcome::Good);
        }
        records.keep(COMMIT_NS + 2); // much enough
        assert_eq!((bytes() - first_line) % RECORD_BYTES, 0);
        assert!(bytes() > first_line + COMMIT_BYTES);
        assert!(records.failure().is_none());
        let content = std::fs::read(&path).unwrap();
        let read: Header = serde_json::from_slice(&content[..first_line]).unwrap();
        assert_eq!(read, header());
    }
}
