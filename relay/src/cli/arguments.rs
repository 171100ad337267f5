//! The command line as it is written.

use std::path::PathBuf;

use clap::Parser;
use runfair_load::schedule::parse_duration_ns;

use super::processors::Processors;
use crate::dialogue::Protocol;
use crate::wire::Place;

/// Everything that can be written on the command line.
#[derive(Debug, Parser)]
#[command(
    name = "runfair-relay",
    version,
    about = "A longer wire to a database, which times each query",
    long_about = "\
A longer wire to a database, which times each query.

Clients connect to --listen instead of to the database. All that passes takes half of --delay \
longer each way, opening a connection included; nothing is reordered or changed, and connections \
do not wait for one another. Standard output says {\"event\":\"ready\",\"port\":N} once clients \
can connect. SIGTERM, SIGINT or, with --watch-stdin, the end of standard input ends the relay, \
and the report is written."
)]
pub struct Arguments {
    /// Where clients connect: HOST:PORT (port 0: any that is free) or unix:PATH
    #[arg(long, value_name = "ADDRESS", value_parser = Place::parse,
          required_unless_present_any = ["calibrate", "schema"])]
    pub listen: Option<Place>,
    /// What they are connected to: HOST:PORT or unix:PATH
    #[arg(long, value_name = "ADDRESS", value_parser = Place::parse,
          required_unless_present_any = ["calibrate", "schema"])]
    pub to: Option<Place>,
    /// The round trip that is added, half of it each way
    #[arg(long, value_name = "TIME", default_value = "1ms", value_parser = parse_duration_ns)]
    pub delay: u64,
    /// What a query is
    #[arg(long, value_enum, default_value = "tcp")]
    pub protocol: Protocol,
    /// The report (JSON)
    #[arg(long, value_name = "FILE", required_unless_present_any = ["calibrate", "schema"])]
    pub report: Option<PathBuf>,
    /// Every query, as fixed-size binary records
    #[arg(long, value_name = "FILE")]
    pub records: Option<PathBuf>,
    /// Processors that the relay may use: 1, 0,2 or 0-3
    #[arg(long, value_name = "LIST", value_parser = Processors::parse)]
    pub cpus: Option<Processors>,
    /// End with standard input, as after the death of who started the relay
    #[arg(long)]
    pub watch_stdin: bool,
    /// Instead: measure what the relay itself adds and costs, with and without it in turns
    #[arg(long, conflicts_with_all = ["listen", "to", "report", "records", "watch_stdin"])]
    pub calibrate: bool,
    /// Instead: print the report's JSON Schema
    #[arg(long)]
    pub schema: bool,
}
