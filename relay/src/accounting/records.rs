//! The file with a record of fixed size for every query.
//!
//! The first line is a JSON object that describes the layout of the records, as in the load
//! generator's files. The records follow, little-endian, in the order in which the queries
//! ended.

use std::io::{self, Write};
use std::path::Path;

use runfair_measuring::record;
use runfair_measuring::recording::output::Output;
use runfair_measuring::recording::record::Field;
use serde::{Deserialize, Serialize};

use super::report::Started;
use crate::dialogue::{Protocol, Query};

/// The value of `format` in the first line.
pub const FORMAT: &str = "runfair-relay records";
/// The value of `version` in the first line.
pub const VERSION: u32 = 1;
/// The greatest number of bytes that are written to the file at once. It is small, so that
/// writing does not delay the forwarding of segments.
const COMMIT_BYTES: usize = 32 * 1024;
/// The greatest age of records before they are written. Younger records are lost if the
/// process is killed.
const COMMIT_NS: u64 = 1_000_000_000;

/// The outcome of a query. The records contain its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Outcome {
    /// The query was answered.
    Good,
    /// The server answered that the query failed.
    Failed,
    /// The query was not answered, or its answer was not delivered, when its connection
    /// ended.
    Unfinished,
}

impl Outcome {
    /// The names of the outcomes, in the order of their numbers.
    const NAMES: [&'static str; 3] = ["good", "failed", "unfinished"];
}

record! {
    /// The record of a query.
    pub struct Record: 56 {
        /// When its last byte arrived.
        pub arrived_ns: u64,
        /// When its last byte was handed to the kernel, towards the server.
        pub forwarded_ns: u64,
        /// When the end of its answer arrived.
        pub answered_ns: u64,
        /// When the end of its answer was handed to the kernel, towards the client.
        pub delivered_ns: u64,
        /// Its size.
        pub request_bytes: u64,
        /// The size of its answer.
        pub answer_bytes: u64,
        /// The number of its connection.
        pub connection: u32,
        /// Its [`Outcome`].
        pub outcome: u8,
    }
}

/// The first line of the file. Instants are on CLOCK_MONOTONIC; an instant is 0 if the
/// query did not reach it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// The protocol by which queries are recognised.
    pub protocol: Protocol,
    /// The declared round trip in nanoseconds.
    pub delay_ns: u64,
    /// [`Record::BYTES`].
    pub record_bytes: usize,
    /// The fields of a record, in order.
    pub fields: Vec<Field>,
    /// The names of the values of `outcome`, beginning with 0.
    pub outcomes: Vec<String>,
    /// The relay's start, on both clocks.
    pub started: Started,
}

impl Header {
    /// The header for the records of a relay.
    pub fn new(protocol: Protocol, delay_ns: u64, started: Started) -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            protocol,
            delay_ns,
            record_bytes: Record::BYTES,
            fields: Record::fields(),
            outcomes: Outcome::NAMES.map(str::to_owned).to_vec(),
            started,
        }
    }
}

/// The file of records.
pub struct QueryRecords {
    output: Output,
    pending_bytes: usize,
    committed_ns: u64,
}

impl QueryRecords {
    /// Creates the file, or truncates an existing file, and writes the first line.
    ///
    /// # Errors
    /// The file system reports an error.
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

    /// Adds the record of a query.
    pub fn add(&mut self, query: &Query, connection: u32, outcome: Outcome) {
        let record = Record {
            arrived_ns: query.arrived_ns,
            forwarded_ns: query.forwarded_ns,
            answered_ns: query.answered_ns,
            delivered_ns: query.delivered_ns,
            request_bytes: query.request_bytes,
            answer_bytes: query.answer_bytes,
            connection,
            outcome: outcome as u8,
        };
        // Writing to memory cannot fail.
        let _ = self.output.write_all(&record.bytes());
        self.pending_bytes += Record::BYTES;
    }

    /// Writes the added records to the file if there are many or if they are old.
    pub fn keep(&mut self, now_ns: u64) {
        let old = now_ns.saturating_sub(self.committed_ns) > COMMIT_NS;
        if self.pending_bytes >= COMMIT_BYTES || old && self.pending_bytes > 0 {
            self.commit(now_ns);
        }
    }

    /// Writes the added records to the file.
    pub fn commit(&mut self, now_ns: u64) {
        self.output.commit();
        self.pending_bytes = 0;
        self.committed_ns = now_ns;
    }

    /// The reason why the file is incomplete; `None` if it is complete.
    pub fn failure(&self) -> Option<(&Path, &io::Error)> {
        self.output
            .failure()
            .map(|error| (self.output.path(), error))
    }
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
    fn the_file_is_a_line_and_then_whole_records() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("queries");
        let mut records = QueryRecords::create(&path, &header()).unwrap();
        records.add(&query(), 1, Outcome::Good);
        records.keep(COMMIT_NS);
        let bytes = || std::fs::read(&path).unwrap().len();
        let first_line = bytes();
        records.keep(COMMIT_NS + 1); // now old enough to be written
        assert_eq!(bytes(), first_line + Record::BYTES);
        for _ in 0..COMMIT_BYTES / Record::BYTES + 1 {
            records.add(&query(), 1, Outcome::Good);
        }
        records.keep(COMMIT_NS + 2); // now enough bytes to be written
        assert_eq!((bytes() - first_line) % Record::BYTES, 0);
        assert!(bytes() > first_line + COMMIT_BYTES);
        assert!(records.failure().is_none());
        let content = std::fs::read(&path).unwrap();
        let read: Header = serde_json::from_slice(&content[..first_line]).unwrap();
        assert_eq!(read, header());
    }
}
