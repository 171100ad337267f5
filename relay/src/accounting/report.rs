//! The report of a relay's life as one JSON document. Integer nanoseconds throughout.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use runfair_load::kernel::usage::Usage;
use runfair_load::recording::replacement::Replacement;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::account::Account;
use super::quantiles::Quantiles;
use crate::dialogue::Protocol;

/// The value of `format`.
pub const FORMAT: &str = "runfair-relay report";
/// The value of `version`: it changes when a reader of the earlier one would misread.
pub const VERSION: u32 = 1;

/// Everything a relay saw, from its start to its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// Always `runfair-relay report`.
    pub format: String,
    /// Version of this format.
    pub version: u32,
    /// Version of the program.
    pub tool_version: String,
    /// When it began.
    pub started: Started,
    /// How long it lasted.
    pub elapsed_ns: u64,
    /// Where clients connected.
    pub listen: String,
    /// What the wire led to, as given.
    pub to: String,
    /// What a query is: `postgresql`, up to Query or Sync and its ReadyForQuery; `redis`, a
    /// command and its reply; `tcp`, a burst of the client's and the first bytes back.
    pub protocol: Protocol,
    /// The declared round trip, half each way.
    pub delay_ns: u64,
    /// What became of the connections.
    pub connections: Connections,
    /// What became of the queries.
    pub queries: Queries,
    /// Connections whose queries could not be told apart and that were read as plain TCP from
    /// then on, by the reason. Of a PostgreSQL or Redis relay with any, figures mix both.
    pub unparsed_streams: BTreeMap<String, u64>,
    /// Of answered queries: from handing the last byte to the kernel towards the server until
    /// the end of the answer arrived.
    pub server_time_ns: Quantiles,
    /// Of answered queries: from the arrival of the last byte until the end of the answer was
    /// handed to the kernel towards the client. The declared round trip is in it.
    pub whole_time_ns: Quantiles,
    /// How well the declared delay was kept.
    pub punctuality: Punctuality,
    /// Bytes that passed.
    pub bytes: Bytes,
    /// What the relay itself cost.
    pub cost: Cost,
    /// The file of every query, where one was asked for.
    pub records: Option<PathBuf>,
}

/// The relay's start, on both clocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Started {
    /// Since 1970-01-01T00:00:00Z (CLOCK_REALTIME).
    pub realtime_ns: u64,
    /// CLOCK_MONOTONIC.
    pub monotonic_ns: u64,
}

/// What became of the connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Connections {
    /// Accepted from clients.
    pub accepted: u64,
    /// Of these, could not be continued to the target: the client got a reset.
    pub refused: u64,
    /// Of these, broken by one side: the other got a reset.
    pub reset: u64,
    /// Most at a time.
    pub most_open: u64,
    /// Still open at the relay's end, which closed them.
    pub open_at_end: u64,
    /// Times that no further one could be accepted for want of descriptors or memory.
    pub accept_failures: u64,
}

/// What became of the queries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Queries {
    /// Answered, and the answer delivered.
    pub answered: u64,
    /// Of these, answered by the server that they failed.
    pub failed: u64,
    /// Not answered, or not delivered, when their connection ended or became unreadable.
    pub unfinished: u64,
    /// PostgreSQL: introductions of clients that succeeded, which are no queries.
    pub logins: u64,
    /// PostgreSQL: requests to cancel.
    pub cancellations: u64,
    /// PostgreSQL: requests for encryption, which the relay declined.
    pub encryption_declined: u64,
}

/// How well the declared delay was kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Punctuality {
    /// How long after they were due segments were really sent, each way.
    pub delay_error_ns: Quantiles,
    /// Segments that waited for a receiver that did not read, and are not in the error.
    pub held_back: u64,
}

/// Bytes that passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bytes {
    /// From clients to the target.
    pub to_target: u64,
    /// From the target to clients.
    pub to_clients: u64,
}

/// What the relay itself cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cost {
    /// CPU time in user mode.
    pub cpu_user_ns: u64,
    /// CPU time in the kernel.
    pub cpu_system_ns: u64,
    /// Greatest resident set.
    pub peak_rss_bytes: u64,
}

/// What a report needs besides the account.
#[derive(Clone, Debug)]
pub struct Frame {
    /// When the relay began.
    pub started: Started,
    /// When it ended (CLOCK_MONOTONIC).
    pub ended_ns: u64,
    /// Where clients connected.
    pub listen: String,
    /// What the wire led to.
    pub to: String,
    /// What a query is.
    pub protocol: Protocol,
    /// The declared round trip.
    pub delay_ns: u64,
    /// The records' file.
    pub records: Option<PathBuf>,
}

impl Report {
    /// The report of an account that is closed.
    pub fn of(account: &Account, frame: Frame) -> Self {
        let usage = Usage::now();
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
            started: frame.started,
            elapsed_ns: frame.ended_ns.saturating_sub(frame.started.monotonic_ns),
            listen: frame.listen,
            to: frame.to,
            protocol: frame.protocol,
            delay_ns: frame.delay_ns,
            connections: account.connections,
            queries: account.queries(),
            unparsed_streams: account.unparsed_streams(),
            server_time_ns: account.server_time(),
            whole_time_ns: account.whole_time(),
            punctuality: account.punctuality(),
            bytes: account.bytes,
            cost: Cost {
                cpu_user_ns: usage.user_ns,
                cpu_system_ns: usage.system_ns,
                peak_rss_bytes: usage.peak_rss_bytes,
            },
            records: frame.records,
        }
    }
}

/// Where a report will stand: what stands there is a whole report, or what was there before.
#[derive(Debug)]
pub struct ReportFile(Replacement);

impl ReportFile {
    /// Makes sure that a report can be written, before anything is measured.
    ///
    /// # Errors
    /// What the file system refuses.
    pub fn create(path: &Path) -> io::Result<Self> {
        Replacement::begin(path).map(Self)
    }

    /// Writes the report, whole or not at all.
    ///
    /// # Errors
    /// What the file system refuses; no partial file is left.
    pub fn write(self, report: &Report) -> io::Result<()> {
        self.0.finish(|out| {
            serde_json::to_writer_pretty(&mut *out, report)?;
            out.write_all(b"\n")
        })
    }
}

/// The JSON Schema of [`Report`], as `--schema` prints it and `schemas/report.schema.json`
/// holds it.
pub fn schema_text() -> String {
    let schema = schemars::schema_for!(Report);
    format!("{:#}\n", schema.as_value())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialogue::Query;

    fn report() -> Report {
        let mut account = Account::new(None);
        account.delivered(&Query::default(), 1);
        let frame = Frame {
            started: Started::default(),
            ended_ns: 5,
            listen: "127.0.0.1:1".to_owned(),
            to: "unix:/db".to_owned(),
            protocol: Protocol::PostgreSql,
            delay_ns: 1,
            records: None,
        };
        Report::of(&account, frame)
    }

    #[test]
    fn the_committed_schema_is_fresh_and_reports_obey_it() {
        let committed = include_str!("../../schemas/report.schema.json");
        assert_eq!(
            committed,
            schema_text(),
            "runfair-relay --schema makes it anew"
        );
        let schema = serde_json::from_str(committed).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let mut document = serde_json::to_value(report()).unwrap();
        assert!(validator.is_valid(&document));
        assert_eq!(document["protocol"], "postgresql");
        document["queries"]["answered"] = (-1).into();
        assert!(!validator.is_valid(&document));
        document = serde_json::to_value(report()).unwrap();
        document["more"] = 1.into();
        assert!(!validator.is_valid(&document));
    }

    #[test]
    fn what_stands_there_is_a_whole_report() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.json");
        let file = ReportFile::create(&path).unwrap();
        assert!(!path.exists());
        file.write(&report()).unwrap();
        let read: Report = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        assert_eq!(read, report_with_cost(read.cost));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(ReportFile::create(folder.path()).is_err());
        assert!(ReportFile::create(&folder.path().join("no/report.json")).is_err());
    }

    fn report_with_cost(cost: Cost) -> Report {
        Report { cost, ..report() }
    }
}
