//! The command line as it is written; [`super::plan`] says whether it makes sense.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use runfair_measuring::command_line::duration::parse_duration_ns;
use runfair_measuring::command_line::processors::Processors;

use super::help;
use super::values::{
    parse_count, parse_digest, parse_header, parse_instant, parse_pointer_value, parse_resolution,
    parse_statuses,
};
use crate::judgement::evidence::{Mode, Process};
use crate::judgement::requirement::Requirement;
use crate::protocol::expectation::StatusRule;
use crate::report::{self, ProgressStyle};
use crate::schedule::{RateProfile, Shard};
use crate::traffic::{traffic_schema, FeedOrder, Operations, Order};
use crate::transport::target::Resolution;

/// Everything that can be written on the command line.
#[derive(Debug, Parser)]
#[command(
    name = "runfair-load",
    version,
    about = help::ABOUT,
    long_about = help::INTRODUCTION,
    after_long_help = help::EXAMPLES,
    after_help = help::MORE,
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    next_line_help = false,
)]
pub struct Arguments {
    /// Another form of use than sending requests.
    #[command(subcommand)]
    pub form: Option<Form>,
    /// The server: http://, https://, redis://host:port, or host:port for http. If you give several
    /// URLs, the connections go to these servers in turn
    #[arg(value_name = "URL")]
    pub urls: Vec<String>,
    /// How much, and for how long.
    #[command(flatten)]
    pub load: LoadArguments,
    /// When exactly.
    #[command(flatten)]
    pub pacing: PacingArguments,
    /// In which language.
    #[command(flatten)]
    pub protocol: ProtocolArguments,
    /// What.
    #[command(flatten)]
    pub traffic: TrafficArguments,
    /// What a good answer is.
    #[command(flatten)]
    pub checks: CheckArguments,
    /// What is written where.
    #[command(flatten)]
    pub output: OutputArguments,
    /// With which part of this machine.
    #[command(flatten)]
    pub machine: MachineArguments,
}

/// Other forms of use.
#[derive(Debug, Subcommand)]
pub enum Form {
    /// Print a file that --records wrote as CSV
    Records {
        /// The file
        file: PathBuf,
    },
}

/// How much, and for how long.
#[derive(Debug, Args)]
#[command(next_help_heading = "Load")]
pub struct LoadArguments {
    /// Requests per second: 10000, 10k, or stages such as 1000:10s,2000..5000:30s (a ramp)
    #[arg(long, value_name = "R|STAGES")]
    pub rate: Option<RateProfile>,
    /// Closed loop: each connection sends when its last answer is complete; use it only to measure saturation
    #[arg(long)]
    pub closed: bool,
    /// How long to send [default: the stages' own length, or 10s]
    #[arg(long, value_name = "TIME", value_parser = parse_duration_ns)]
    pub duration: Option<u64>,
    /// Number of requests to send; the run then has no fixed duration
    #[arg(long, value_name = "N", value_parser = parse_count)]
    pub requests: Option<u64>,
    /// Number of connections of all threads together; they are opened before the run
    #[arg(long, value_name = "N", default_value = "50", value_parser = parse_count)]
    pub connections: u64,
    /// While all connections are busy, open a further connection for each request that waits, up to
    /// this number, as independent users would [default: the number of --connections; a request
    /// then waits until a connection is free]
    #[arg(long, value_name = "N", value_parser = parse_count)]
    pub max_connections: Option<u64>,
    /// Close a connection after this number of requests and open a new one (with https://, by a new
    /// TLS handshake)
    #[arg(long, value_name = "N", value_parser = parse_count)]
    pub new_connection_every: Option<u64>,
    /// Number of requests that may be under way on one connection (HTTP/1.1 and Redis)
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_count)]
    pub pipeline: u64,
    /// Number of HTTP/2 streams that may be under way on one connection [default: 1]
    #[arg(long, value_name = "N", value_parser = parse_count)]
    pub streams: Option<u64>,
    /// Mark this first part of the run as warm-up; its requests are still sent, recorded and shown
    #[arg(long, value_name = "TIME", value_parser = parse_duration_ns)]
    pub warmup: Option<u64>,
    /// How long an answer may take after its request was sent
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_duration_ns)]
    pub timeout: u64,
    /// How long the look-up of a name and the first connections may take; if they take longer, the
    /// run ends with an error
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = parse_duration_ns)]
    pub connect_timeout: u64,
}

/// When exactly requests go.
#[derive(Debug, Args)]
#[command(next_help_heading = "Pacing")]
pub struct PacingArguments {
    /// How the generator waits until a request is due: punctual modes need more CPU time [default: default]
    #[arg(long, value_enum)]
    pub mode: Option<Mode>,
    /// Pattern of the requests over time [default: constant]
    #[arg(long, value_enum)]
    pub arrivals: Option<Process>,
    /// Replay a trace this many times as fast as it was recorded [default: 1]
    #[arg(long, value_name = "X")]
    pub speed: Option<f64>,
    /// Seed of all random choices: the same seed sends the same requests at the same times
    #[arg(long, value_name = "N", default_value = "1")]
    pub seed: u64,
    /// Send only share K of N of the schedule: every Nth request, beginning with the Kth. N
    /// processes with the same options and seed then send what a single process would send
    /// [default: 1/1]
    #[arg(long, value_name = "K/N")]
    pub shard: Option<Shard>,
    /// Start at this instant of this host's CLOCK_MONOTONIC, in nanoseconds [default: as soon as all
    /// connections are open]
    #[arg(long, value_name = "NS", value_parser = parse_instant)]
    pub start_at: Option<u64>,
}

/// What is spoken to the server.
#[derive(Debug, Args)]
#[command(next_help_heading = "Protocol")]
pub struct ProtocolArguments {
    /// Protocol [default: by the URL's scheme]
    #[arg(long, value_enum)]
    pub protocol: Option<ProtocolChoice>,
    /// Speak HTTP/2: to http:// by prior knowledge (h2c), to https:// by ALPN
    #[arg(long)]
    pub http2: bool,
    /// Call this unary gRPC method over HTTP/2; --body or --body-file is the encoded message, and
    /// every answer with another gRPC status than OK is a failure
    #[arg(long, value_name = "SERVICE/METHOD")]
    pub grpc: Option<String>,
    /// Connect to this unix socket; the header Host and the path still come from the URL
    #[arg(long, value_name = "PATH")]
    pub unix_socket: Option<PathBuf>,
    /// Connect to ADDRESS when a URL has HOST:PORT, without looking the name up; may be repeated
    #[arg(long, value_name = "HOST:PORT:ADDRESS", value_parser = parse_resolution)]
    pub resolve: Vec<Resolution>,
    /// Connect from this address of this machine
    #[arg(long, value_name = "ADDRESS")]
    pub source_address: Option<IpAddr>,
    /// TLS: trust only the certificate authorities in this PEM file
    #[arg(long, value_name = "FILE")]
    pub ca: Option<PathBuf>,
    /// TLS: trust any certificate
    #[arg(long)]
    pub insecure: bool,
    /// TLS: the name to request (SNI) and to expect in the certificate [default: the URL's host]
    #[arg(long, value_name = "NAME")]
    pub server_name: Option<String>,
    /// TLS: a PEM file with the client's certificate and the certificates that signed it; needs --key
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    /// TLS: a PEM file with the private key of --certificate
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,
    /// Number of keys from which Redis commands, and ${key} in HTTP requests, draw
    #[arg(long, value_name = "N", value_parser = parse_count)]
    pub keys: Option<u64>,
    /// Redis: length of a value [default: 64]
    #[arg(long, value_name = "N", value_parser = parse_count)]
    pub value_bytes: Option<u64>,
    /// Redis: the commands to send, in turn or by weight (set:1,get:9). The commands are set, get,
    /// del, exists, incr and ping [default: set,get]
    #[arg(long, value_name = "LIST")]
    pub operations: Option<Operations>,
    /// Redis: set every key before the run. An answer without a value is then wrong, unless the
    /// operations contain del
    #[arg(long)]
    pub preload: bool,
}

impl ProtocolArguments {
    /// Whether the requests are gRPC calls.
    pub(super) fn calls(&self) -> bool {
        self.grpc.is_some() || self.protocol == Some(ProtocolChoice::Grpc)
    }
}

/// What is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProtocolChoice {
    /// HTTP/1.1
    Http,
    /// gRPC: the requests of --traffic are unary calls. The path of a request is the method, and its
    /// body is the encoded message
    Grpc,
    /// RESP2 (Redis)
    Resp,
}

/// What is sent.
#[derive(Debug, Args)]
#[command(next_help_heading = "Traffic")]
pub struct TrafficArguments {
    /// HTTP method [default: GET, or POST if there is a body]
    #[arg(long, value_name = "METHOD")]
    pub method: Option<String>,
    /// HTTP header, 'Name: value'; may be repeated
    #[arg(long, value_name = "HEADER", value_parser = parse_header)]
    pub header: Vec<(String, String)>,
    /// HTTP body; path, headers and body may contain ${sequence}, ${random:1..1000}, ${key} and
    /// ${feed:NAME}
    #[arg(long, value_name = "TEXT")]
    pub body: Option<String>,
    /// HTTP body: the bytes of this file
    #[arg(long, value_name = "FILE")]
    pub body_file: Option<PathBuf>,
    /// A file of requests, JSON Lines (--schema traffic prints the format)
    #[arg(long, value_name = "FILE")]
    pub traffic: Option<PathBuf>,
    /// Order in which the requests of --traffic are sent [default: file]
    #[arg(long, value_enum)]
    pub order: Option<Order>,
    /// Rows of values for ${feed:NAME}: a .csv file, whose first line names the columns, or a
    /// .jsonl file. In a path a value is percent-encoded; in a header or body it is inserted unchanged
    #[arg(long, value_name = "FILE")]
    pub feed: Option<PathBuf>,
    /// Order in which requests get the rows of --feed [default: file]
    #[arg(long, value_enum)]
    pub feed_order: Option<FeedOrder>,
}

/// What a good answer is.
#[derive(Debug, Args)]
#[command(next_help_heading = "Checks")]
pub struct CheckArguments {
    /// Good statuses: 200, 2xx, or a list: 200,404 [default: 200 to 399]. With --traffic, all rules
    /// for answers apply only to requests without an "expect" of their own
    #[arg(long, value_name = "RULE", value_parser = parse_statuses)]
    pub expect_status: Option<StatusRule>,
    /// The SHA-256 digest that the body must have
    #[arg(long, value_name = "HEX", value_parser = parse_digest)]
    pub expect_body_sha256: Option<[u8; 32]>,
    /// A text that the body must contain
    #[arg(long, value_name = "TEXT")]
    pub expect_body_contains: Option<String>,
    /// A value that a JSON body must have at a pointer (RFC 6901), as in /items/0/id=7; may be repeated
    #[arg(long, value_name = "POINTER=JSON", value_parser = parse_pointer_value)]
    pub expect_json: Vec<(String, serde_json::Value)>,
    /// Share of the answers whose body is checked: a number from 0 to 1 [default: 1]
    #[arg(long, value_name = "SHARE")]
    pub check_share: Option<f64>,
}

/// What is written where.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArguments {
    /// Write the whole result as JSON; - is standard output, in place of the table
    #[arg(long, value_name = "FILE|-")]
    pub json: Option<PathBuf>,
    /// Write the histograms of every interval (HdrHistogram log, V2 compressed)
    #[arg(long, value_name = "FILE")]
    pub hlog: Option<PathBuf>,
    /// Write the latency's percentile distribution, in the format of HdrHistogram's tools
    #[arg(long, value_name = "FILE")]
    pub hgrm: Option<PathBuf>,
    /// Write a record for each request; `runfair-load records FILE` prints them
    #[arg(long, value_name = "FILE")]
    pub records: Option<PathBuf>,
    /// Length of an interval of --hlog
    #[arg(long, value_name = "TIME", default_value = "100ms", value_parser = parse_duration_ns)]
    pub interval: u64,
    /// Form of the progress on standard error
    #[arg(long, value_enum, default_value = "auto")]
    pub progress: ProgressStyle,
    /// With `flagged`: exit with status 4 if the verdict is flagged (in doubt)
    #[arg(long, value_enum, value_name = "VERDICT")]
    pub fail_on: Option<FailOn>,
    /// Exit with status 4 unless the run meets this requirement, such as 'p99 < 25ms' or 'failed <
    /// 0.1%'. The whole 95% confidence interval must lie below the limit; may be repeated
    #[arg(long, value_name = "FIGURE<LIMIT")]
    pub require: Vec<Requirement>,
    /// Print the JSON Schema of a file format, and do nothing else
    #[arg(long, value_enum, exclusive = true)]
    pub schema: Option<SchemaChoice>,
}

/// Which verdict is a failure, beside void, which always is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// At least one figure is flagged
    Flagged,
}

/// Whose schema is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SchemaChoice {
    /// The result of --json
    Result,
    /// A line of --traffic
    Traffic,
}

impl SchemaChoice {
    /// The JSON Schema, indented, as `schemas/` holds it.
    pub fn text(self) -> String {
        let schema = match self {
            Self::Result => report::schema().to_value(),
            Self::Traffic => traffic_schema(),
        };
        format!("{schema:#}\n")
    }
}

/// With which part of this machine.
#[derive(Debug, Args)]
#[command(next_help_heading = "Machine")]
pub struct MachineArguments {
    /// Number of sending threads, which share the connections and requests
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_count)]
    pub threads: u64,
    /// Pin each thread to a processor of this list, such as 1 or 0,2-3
    #[arg(long, value_name = "LIST")]
    pub cpus: Option<Processors>,
    /// In the modes default and precise, keep the processors of --cpus from sleeping between
    /// requests, if the system allows it (root may). Timers then fire sooner and cost less CPU
    /// time, but an idle processor uses more power. The settings are restored at the end
    #[arg(long)]
    pub keep_awake: bool,
}
