//! The relay's report, a JSON document. All times are integer nanoseconds.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use runfair_measuring::kernel::usage::Usage;
use runfair_measuring::recording::replacement::Replacement;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::account::Account;
use super::quantiles::Quantiles;
use crate::dialogue::Protocol;

/// The value of `format`.
pub const FORMAT: &str = "runfair-relay report";
/// The value of `version`. It changes when old readers would misread the report.
pub const VERSION: u32 = 1;

/// The report of a relay, from its start to its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// Always `runfair-relay report`.
    pub format: String,
    /// Version of this format.
    pub version: u32,
    /// Version of the program.
    pub tool_version: String,
    /// Start of the relay.
    pub started: Started,
    /// Time from the start to the end of the relay.
    pub elapsed_ns: u64,
    /// Address at which clients connected.
    pub listen: String,
    /// Address of the database, as given on the command line.
    pub to: String,
    /// Protocol, which determines what a query is. `postgresql`: from the first message up to
    /// Query or Sync, and its answer up to ReadyForQuery. `redis`: a command and its reply.
    /// `tcp`: a burst of the client and the server's first bytes after it.
    pub protocol: Protocol,
    /// Declared round trip, half of it in each direction.
    pub delay_ns: u64,
    /// Counts of connections.
    pub connections: Connections,
    /// Counts of queries.
    pub queries: Queries,
    /// Number of connections whose queries could not be recognised, by reason. They were read
    /// as plain TCP from then on. If there are any, the figures mix queries and TCP exchanges.
    pub unparsed_streams: BTreeMap<String, u64>,
    /// Answered queries: from handing the request's last byte to the kernel, towards the
    /// server, until the arrival of the answer's end.
    pub server_time_ns: Quantiles,
    /// Answered queries: from the arrival of the request's last byte until handing the answer's
    /// end to the kernel, towards the client. This time includes the declared round trip.
    pub whole_time_ns: Quantiles,
    /// Precision of the delay.
    pub punctuality: Punctuality,
    /// Number of bytes that the relay passed on.
    pub bytes: Bytes,
    /// CPU time and memory of the relay itself.
    pub cost: Cost,
    /// Path of the file with a record for each query, if it was requested.
    pub records: Option<PathBuf>,
}

/// The relay's start, on both clocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Started {
    /// Time since 1970-01-01T00:00:00Z (CLOCK_REALTIME).
    pub realtime_ns: u64,
    /// The same instant on CLOCK_MONOTONIC.
    pub monotonic_ns: u64,
}

/// Counts of connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Connections {
    /// Connections accepted from clients.
    pub accepted: u64,
    /// Accepted connections that could not reach the target: the client got a reset.
    pub refused: u64,
    /// Accepted connections that one side broke: the other side got a reset.
    pub reset: u64,
    /// Greatest number of connections that were open at the same time.
    pub most_open: u64,
    /// Connections that were open at the relay's end, and that the relay closed.
    pub open_at_end: u64,
    /// How often accepting a connection failed because descriptors or memory were exhausted.
    pub accept_failures: u64,
}

/// Counts of queries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Queries {
    /// Queries whose answers were delivered.
    pub answered: u64,
    /// Answered queries of which the server reported that they failed.
    pub failed: u64,
    /// Queries without a delivered answer when their connection ended or became unreadable.
    pub unfinished: u64,
    /// PostgreSQL: successful logins, which are not counted as queries.
    pub logins: u64,
    /// PostgreSQL: requests to cancel a query.
    pub cancellations: u64,
    /// PostgreSQL: requests for encryption, which the relay declined.
    pub encryption_declined: u64,
}

/// Precision of the delay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Punctuality {
    /// Time from the instant at which a segment was due until the relay sent it, in both
    /// directions.
    pub delay_error_ns: Quantiles,
    /// Segments that waited for a receiver that did not read. Their delays are not in
    /// `delay_error_ns`.
    pub held_back: u64,
}

/// Numbers of bytes that the relay passed on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bytes {
    /// From clients to the target.
    pub to_target: u64,
    /// From the target to clients.
    pub to_clients: u64,
}

/// CPU time and memory of the relay itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cost {
    /// CPU time in user mode.
    pub cpu_user_ns: u64,
    /// CPU time in the kernel.
    pub cpu_system_ns: u64,
    /// Peak resident memory.
    pub peak_rss_bytes: u64,
}

/// The data that a report needs besides the account.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Start of the relay.
    pub started: Started,
    /// End of the relay (CLOCK_MONOTONIC).
    pub ended_ns: u64,
    /// Address at which clients connected.
    pub listen: String,
    /// Address of the database.
    pub to: String,
    /// Protocol, which determines what a query is.
    pub protocol: Protocol,
    /// Declared round trip.
    pub delay_ns: u64,
    /// Path of the records.
    pub records: Option<PathBuf>,
}

impl Report {
    /// The report of a closed account.
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
            queries: account.queries,
            unparsed_streams: account.unparsed_streams.clone(),
            server_time_ns: Quantiles::of(&account.server_time),
            whole_time_ns: Quantiles::of(&account.whole_time),
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

/// The file of the report. It is replaced as a whole, so that its path never shows a part of a
/// report.
#[derive(Debug)]
pub struct ReportFile(Replacement);

impl ReportFile {
    /// Checks that the report can be written, before the relay starts.
    ///
    /// # Errors
    /// The file system refuses.
    pub fn create(path: &Path) -> io::Result<Self> {
        Replacement::begin(path).map(Self)
    }

    /// Writes the whole report, or leaves the path as it was.
    ///
    /// # Errors
    /// The file system refuses; no partial file remains.
    pub fn write(self, report: &Report) -> io::Result<()> {
        self.0.finish(|out| {
            serde_json::to_writer_pretty(&mut *out, report)?;
            out.write_all(b"\n")
        })
    }
}

/// The JSON Schema of [`Report`], as printed by `--schema` and stored in
/// `schemas/report.schema.json`.
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
    fn the_committed_schema_is_fresh() {
        assert_eq!(
            include_str!("../../schemas/report.schema.json"),
            schema_text(),
            "runfair-relay --schema makes it anew"
        );
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
