//! The result of a run as one JSON document. Integer nanoseconds throughout.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::generator::Generator;
use super::opening::Opening;
use super::requests::Requests;
use super::target_share::TargetShare;
use crate::judgement::evidence::{Loop, Mode, Process};
use crate::judgement::figures::Figures;
use crate::judgement::judge::Tests;
use crate::judgement::requirement::Outcome;
use crate::judgement::verdict::Verdict;
use crate::schedule::Shard;

/// The value of `format`.
pub const FORMAT: &str = "runfair-load result";
/// The value of `version`: it changes when a reader of the earlier one would misread.
pub const VERSION: u32 = 1;

/// Everything one run found. Nothing is dropped: top-level figures are of the whole run,
/// warm-up included; `phases` tell its parts apart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunResult {
    /// Always `runfair-load result`.
    pub format: String,
    /// Version of this format.
    pub version: u32,
    /// Version of the program.
    pub tool_version: String,
    /// When the run began.
    pub started: Started,
    /// Name of the machine that generated the load.
    pub host: String,
    /// Its kernel's release.
    pub kernel: String,
    /// What was asked, as given; several URLs with a space between.
    pub target: String,
    /// Each of several servers; empty where there is one alone.
    #[serde(default)]
    pub targets: Vec<TargetShare>,
    /// What was spoken.
    pub protocol: Protocol,
    /// Whether inside TLS.
    pub tls: bool,
    /// Open: requests go by the schedule. Closed: each waits for an answer before it.
    #[serde(rename = "loop")]
    pub loop_kind: Loop,
    /// The arrival process; absent for a closed loop, which has none.
    pub arrivals: Option<ArrivalPlan>,
    /// How the generator waits for the next instant; absent for a closed loop.
    pub mode: Option<Mode>,
    /// How far from its instant a request may go by the mode's nature; absent for a closed loop.
    pub resolution_ns: Option<u64>,
    /// Connections asked for.
    pub connections: u64,
    /// As many as they could become while all were busy; 0 in results from before there was a choice.
    #[serde(default)]
    pub max_connections: u64,
    /// Requests after which a connection was closed and replaced; absent where it was not.
    #[serde(default)]
    pub new_connection_every: Option<u64>,
    /// Sending threads.
    pub threads: u64,
    /// Greatest number of requests under way on one connection, as asked: pipelined, or streams
    /// of HTTP/2.
    pub pipeline: u64,
    /// Length of the warm-up phase.
    pub warmup_ns: u64,
    /// When the schedule ends; absent where requests alone end the run.
    pub horizon_ns: Option<u64>,
    /// Length of an interval of the log.
    pub interval_ns: u64,
    /// Time after which a request counts as `timed_out`.
    pub timeout_ns: u64,
    /// Share of the answers whose body was checked.
    pub check_share: f64,
    /// What was sent.
    pub traffic: TrafficSummary,
    /// What ended the run.
    pub ended: Ended,
    /// From the start to the last answer.
    pub elapsed_ns: u64,
    /// What became of the requests.
    pub requests: Requests,
    /// What the servers said of streams and calls (HTTP/2 and gRPC); absent for other protocols.
    #[serde(default)]
    pub streams: Option<Streams>,
    /// Rates offered and achieved.
    pub rate: Rate,
    /// Bytes on the wire (inside TLS: of the plain text).
    pub bytes: Bytes,
    /// What the run was required to show, and whether it does (`--require`).
    #[serde(default)]
    pub requirements: Vec<Outcome>,
    /// What the network lost.
    #[serde(default)]
    pub network: Network,
    /// Connections opened, the first ones included.
    pub connections_opened: u64,
    /// Connections opened in place of a lost one.
    pub reconnects: u64,
    /// Connections added because all were busy (`--max-connections`).
    #[serde(default)]
    pub connections_added: u64,
    /// Connections opened in place of one that had carried its requests
    /// (`--new-connection-every`).
    #[serde(default)]
    pub connections_replaced: u64,
    /// How long connections took to open.
    #[serde(default)]
    pub opening: Opening,
    /// Done − intended, of good answers.
    pub latency_ns: Figures,
    /// From the intended instant until a connection was free, or would have been by a punctual
    /// generator.
    pub queue_wait_ns: Figures,
    /// Sent − the later of intended and free: the generator's own lateness.
    pub send_lag_ns: Figures,
    /// Done − sent, of good answers.
    pub service_time_ns: Figures,
    /// The run's parts in order: `measured` alone, or `warmup` and `measured`.
    pub phases: Vec<Phase>,
    /// The generator's own cost.
    pub generator: Generator,
    /// The statistical tests of the run by itself.
    pub tests: Tests,
    /// What the numbers are worth.
    pub verdict: Verdict,
    /// Other files of this run.
    pub files: Files,
}

/// The instant that is 0 in every time of the run, on both clocks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Started {
    /// Since 1970-01-01T00:00:00Z (CLOCK_REALTIME).
    pub realtime_ns: u64,
    /// CLOCK_MONOTONIC.
    pub monotonic_ns: u64,
}

/// What was spoken to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// HTTP/1.1.
    Http,
    /// HTTP/2.
    Http2,
    /// Unary gRPC calls over HTTP/2.
    Grpc,
    /// RESP2 (Redis).
    Resp,
}

/// The arrival process of an open loop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArrivalPlan {
    /// Which process.
    pub process: Process,
    /// The rate or its stages as asked; absent for a trace.
    pub rate: Option<String>,
    /// Mean rate over the schedule.
    pub rate_per_s: Option<f64>,
    /// Seed of every random draw of the run.
    pub seed: u64,
    /// How much faster than recorded a trace was played; 1 otherwise.
    pub speed: f64,
    /// The share of this process in the schedule; absent if it sent the whole schedule. `rate` and
    /// `rate_per_s` are those of the whole schedule, all other figures those of the share.
    #[serde(default)]
    pub shard: Option<Shard>,
}

/// What was sent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrafficSummary {
    /// The traffic file as named; absent where the command line said it all.
    pub file: Option<PathBuf>,
    /// Its SHA-256 digest in hexadecimal digits: the same digest, the same requests.
    pub file_sha256: Option<String>,
    /// How its requests were used: `file`, `random` or `trace`.
    pub order: Option<String>,
    /// The commands and their mixture (Redis).
    pub operations: Option<String>,
    /// Keys drawn from.
    pub keys: Option<u64>,
    /// Length of a value (Redis).
    pub value_bytes: Option<u64>,
    /// The rows that requests took values from.
    #[serde(default)]
    pub feed: Option<FeedSummary>,
    /// Each kind of request, by its number in the raw records.
    pub templates: Vec<String>,
}

/// The rows that requests took values from.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FeedSummary {
    /// The file as named.
    pub file: PathBuf,
    /// Its SHA-256 digest in hexadecimal digits.
    pub sha256: String,
    /// How many rows it has.
    pub rows: u64,
    /// Which row a request got: `file`, each once in turn, or `random`.
    pub order: String,
}

/// What ended the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Ended {
    /// The schedule, or the number of requests, was done.
    Schedule,
    /// A signal (Ctrl-C).
    Interrupted,
    /// A closed loop by a number of requests: nothing was answered for longer than the time-outs
    /// of answer and connection together.
    Unanswered,
}

/// What the servers said of streams and calls, beside the failures that it led to. Answers that
/// one read brought have the same instant, that of the reading.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Streams {
    /// The fewest streams that a server took at once on a connection, up to those asked for.
    pub allowed: u64,
    /// Streams that servers reset, by error code (RFC 9113, section 7).
    pub resets: BTreeMap<String, u64>,
    /// GOAWAY frames of servers, by error code.
    pub go_aways: BTreeMap<String, u64>,
    /// Complete answers to gRPC calls by status; `MISSING` where the trailers have none.
    pub grpc_statuses: BTreeMap<String, u64>,
}

impl Streams {
    /// The counts by code, each with what it counts.
    pub fn named(&self) -> [(&'static str, &BTreeMap<String, u64>); 3] {
        [
            ("RST_STREAM", &self.resets),
            ("GOAWAY", &self.go_aways),
            ("gRPC status", &self.grpc_statuses),
        ]
    }
}

/// Rates offered and achieved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rate {
    /// Requests the schedule held a second; absent for a closed loop.
    pub offered_per_s: Option<f64>,
    /// Complete answers a second, until the end of the schedule or the interruption; in a closed
    /// loop that a number of requests ends, until the last answer.
    pub achieved_per_s: f64,
    /// Achieved over offered; absent for a closed loop.
    pub ratio: Option<f64>,
    /// Requests not sent in time though a connection was free, or would have been by a punctual
    /// generator: its own fault.
    pub late_by_generator: u64,
}

/// Bytes of requests and answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bytes {
    /// Of requests.
    pub sent: u64,
    /// Of answers.
    pub received: u64,
}

/// What the network lost or reordered, as the kernel of this host saw it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Network {
    /// Segments that this host sent again.
    pub retransmitted: u64,
    /// Segments received after a gap: one before them was lost, or overtaken.
    pub out_of_order: u64,
    /// Answers that waited for a missing segment although a later one was here; they are timed by
    /// their reading.
    pub overtaken: u64,
}

/// A part of the run. A request belongs to the part its intended instant lies in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Phase {
    /// Which part.
    pub name: PhaseName,
    /// Its start since the run's.
    pub from_ns: u64,
    /// Its end since the run's start.
    pub to_ns: u64,
    /// Good answers.
    pub good: u64,
    /// Failed requests.
    pub failed: u64,
    /// As in the whole run.
    pub latency_ns: Figures,
    /// As in the whole run.
    pub queue_wait_ns: Figures,
    /// As in the whole run.
    pub send_lag_ns: Figures,
    /// As in the whole run.
    pub service_time_ns: Figures,
}

/// Names of a run's parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PhaseName {
    /// Marked by `--warmup`, kept all the same.
    Warmup,
    /// The rest.
    Measured,
}

/// Other files of a run, where they were asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Files {
    /// Interval histograms.
    pub hlog: Option<PathBuf>,
    /// Percentile distribution of the latency.
    pub hgrm: Option<PathBuf>,
    /// One record a request.
    pub records: Option<PathBuf>,
}

/// The JSON Schema of [`RunResult`], as `--schema result` prints it and
/// `schemas/result.schema.json` holds it.
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(RunResult)
}

impl RunResult {
    /// Writes the document, indented and with a last line end.
    ///
    /// # Errors
    /// Whatever `out` fails with.
    pub fn write_to(&self, out: &mut impl Write) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut *out, self).map_err(io::Error::from)?;
        out.write_all(b"\n")?;
        out.flush()
    }
}
