//! The records file, read by what its first line says of it.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

/// `connection` of a request that was never sent.
const NO_CONNECTION: u64 = u32::MAX as u64;

/// One request; instants in ns since the run's start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its number in the schedule.
    pub index: u64,
    /// When it was meant to go.
    pub intended_ns: u64,
    /// When a connection was free for it.
    pub free_ns: u64,
    /// When it was sent.
    pub sent_ns: u64,
    /// When its answer was complete, or its failure seen.
    pub done_ns: u64,
    /// Body bytes of its answer.
    pub answer_bytes: u64,
    /// How it ended: `good`, `miss`, or a kind of failure.
    pub kind: String,
    /// Whether a connection carried it.
    pub was_sent: bool,
    /// Which template made it.
    pub template: u64,
    /// Status of its answer.
    pub status: u64,
    /// Whether it was meant to go after the warm-up.
    pub measured: bool,
}

impl Record {
    /// Whether its answer was good.
    pub fn is_good(&self) -> bool {
        self.kind == "good" || self.kind == "miss"
    }

    /// done − intended.
    pub fn latency_ns(&self) -> u64 {
        self.done_ns - self.intended_ns
    }

    /// intended → a connection is free.
    pub fn queue_wait_ns(&self) -> u64 {
        self.free_ns - self.intended_ns
    }

    /// sent − the later of intended and free.
    pub fn send_lag_ns(&self) -> u64 {
        self.sent_ns - self.free_ns
    }

    /// done − sent.
    pub fn service_time_ns(&self) -> u64 {
        self.done_ns - self.sent_ns
    }
}

/// A records file.
pub struct Records {
    /// Its first line.
    pub header: Value,
    /// The rest, by index.
    pub all: Vec<Record>,
}

impl Records {
    /// Reads a file.
    ///
    /// # Panics
    /// It is not what its first line says, or ends in the middle of a record.
    pub fn read(path: &Path) -> Self {
        let bytes = std::fs::read(path).unwrap();
        let end = bytes
            .iter()
            .position(|byte| *byte == b'\n')
            .expect("a first line");
        let header: Value = serde_json::from_slice(&bytes[..end]).unwrap();
        let size = usize::try_from(header["record_bytes"].as_u64().unwrap()).unwrap();
        let body = &bytes[end + 1..];
        assert_eq!(body.len() % size, 0, "the last record is torn");
        let mut all: Vec<Record> = body
            .chunks(size)
            .map(|bytes| record(bytes, &header))
            .collect();
        all.sort_by_key(|record| record.index);
        Self { header, all }
    }
}

fn record(bytes: &[u8], header: &Value) -> Record {
    let fields: BTreeMap<&str, u64> = header["fields"]
        .as_array()
        .unwrap()
        .iter()
        .map(|field| {
            let at = usize::try_from(field["offset"].as_u64().unwrap()).unwrap();
            let size = match field["type"].as_str().unwrap() {
                "u64" => 8,
                "u32" => 4,
                "u16" => 2,
                "u8" => 1,
                other => panic!("a field of type {other}"),
            };
            let mut word = [0; 8];
            word[..size].copy_from_slice(&bytes[at..at + size]);
            (field["name"].as_str().unwrap(), u64::from_le_bytes(word))
        })
        .collect();
    let kind = usize::try_from(fields["kind"]).unwrap();
    Record {
        index: fields["index"],
        intended_ns: fields["intended_ns"],
        free_ns: fields["free_ns"],
        sent_ns: fields["sent_ns"],
        done_ns: fields["done_ns"],
        answer_bytes: fields["answer_bytes"],
        kind: header["kinds"][kind]
            .as_str()
            .expect("a kind with a name")
            .to_owned(),
        was_sent: fields["connection"] != NO_CONNECTION,
        template: fields["template"],
        status: fields["status"],
        measured: fields["phase"] == 1,
    }
}
