//! The file with a record of fixed size for every request of a run.
//!
//! The first line is a JSON object that says how to read the rest: the size of a record and
//! the name, type and offset of its fields. Then come the records, little-endian. The
//! records of one thread are in the order in which the thread noticed their ends. Within an
//! interval of the log, threads follow one another.

use std::io::{self, Write};

use runfair_measuring::record;
use runfair_measuring::recording::record::Field;
use serde::{Deserialize, Serialize};

use crate::judgement::counts::Failure;

/// The name in the first line.
pub const FORMAT: &str = "runfair-load records";

/// The version in the first line.
pub const VERSION: u32 = 1;

/// `kind` of a good answer, and of a good one that found no value; a failure has
/// its number ([`Failure`]) plus [`FIRST_FAILURE`].
pub const GOOD: u8 = 0;
/// See [`GOOD`].
pub const MISS: u8 = 1;
/// See [`GOOD`].
pub const FIRST_FAILURE: u8 = 2;

/// `connection` of a request that was never sent.
pub const NO_CONNECTION: u32 = u32::MAX;

record! {
    /// One request. Instants are in ns since the run's start; an instant is 0 if the request
    /// did not reach it (`sent_ns` if it was not sent). `done_ns` of a failed request is the
    /// instant at which the failure was noticed.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Record: 64 {
        /// Its number in the schedule.
        pub index: u64,
        /// When it was meant to go.
        pub intended_ns: u64,
        /// When a connection was free for it.
        pub free_ns: u64,
        /// When it was handed to the kernel.
        pub sent_ns: u64,
        /// When its answer was complete, or its failure seen.
        pub done_ns: u64,
        /// Body bytes of the answer.
        pub answer_bytes: u64,
        /// Which connection carried it, numbered within its thread.
        pub connection: u32,
        /// Which template of the traffic made it.
        pub template: u32,
        /// Status of an HTTP answer, else 0.
        pub status: u16,
        /// See [`GOOD`].
        pub kind: u8,
        /// 0 warm-up, 1 measured.
        pub phase: u8,
        /// Which thread sent it.
        pub thread: u16,
    }
}

/// The first line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// `open` or `closed`.
    #[serde(rename = "loop")]
    pub discipline: String,
    /// [`Record::BYTES`].
    pub record_bytes: usize,
    /// The fields in order.
    pub fields: Vec<Field>,
    /// Names of the values of `kind`, from 0 on.
    pub kinds: Vec<String>,
    /// The run's start on CLOCK_MONOTONIC.
    pub start_monotonic_ns: u64,
    /// The run's start on CLOCK_REALTIME.
    pub start_realtime_ns: u64,
}

impl Header {
    /// The header of a run that starts at these instants.
    pub fn new(discipline: &str, start_monotonic_ns: u64, start_realtime_ns: u64) -> Self {
        let mut kinds = vec!["good".to_owned(), "miss".to_owned()];
        kinds.extend(Failure::ALL.iter().map(|kind| kind.name().to_owned()));
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            discipline: discipline.to_owned(),
            record_bytes: Record::BYTES,
            fields: Record::fields(),
            kinds,
            start_monotonic_ns,
            start_realtime_ns,
        }
    }

    /// Writes it as the file's first line.
    ///
    /// # Errors
    /// What the file refuses.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        serde_json::to_writer(&mut *out, self)?;
        out.write_all(b"\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_stands_where_the_header_says() {
        let record = Record {
            index: 1,
            intended_ns: 2,
            free_ns: 3,
            sent_ns: 4,
            done_ns: 5,
            answer_bytes: 6,
            connection: 7,
            template: 8,
            status: 9,
            kind: 10,
            phase: 11,
            thread: 12,
        };
        let bytes = record.bytes();
        let header = Header::new("open", 0, 0);
        for (number, field) in header.fields.iter().enumerate() {
            let size = field.kind[1..].parse::<usize>().unwrap() / 8;
            let mut word = [0; 8];
            word[..size].copy_from_slice(&bytes[field.offset..field.offset + size]);
            assert_eq!(
                u64::from_le_bytes(word),
                number as u64 + 1,
                "{}",
                field.name
            );
        }
    }

    #[test]
    fn the_header_is_one_line() {
        let mut out = Vec::new();
        Header::new("closed", 1, 2).write(&mut out).unwrap();
        assert_eq!(out.iter().filter(|byte| **byte == b'\n').count(), 1);
        let header: Header = serde_json::from_slice(&out).unwrap();
        assert_eq!(header, Header::new("closed", 1, 2));
    }
}
