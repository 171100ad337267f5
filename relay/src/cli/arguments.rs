//! The options of the command line.

use std::path::PathBuf;

use clap::Parser;
use runfair_measuring::command_line::duration::parse_duration_ns;
use runfair_measuring::command_line::processors::Processors;

use crate::dialogue::Protocol;
use crate::wire::Place;

/// All options of the command line.
#[derive(Debug, Parser)]
#[command(
    name = "runfair-relay",
    version,
    about = "A proxy that adds a network round trip to a database and times each query",
    long_about = "\
A proxy that adds a network round trip to a database and times each query.

Clients connect to --listen instead of to the database. The relay delays all bytes by half of \
--delay in each direction, and delays the opening of a connection in the same way. The relay \
reorders and changes nothing, and its connections do not wait for one another. The relay prints \
{\"event\":\"ready\",\"port\":N} when \
clients can connect. SIGTERM, SIGINT or, with --watch-stdin, the end of standard input ends the \
relay, which then writes its report."
)]
pub struct Arguments {
    /// Address at which clients connect: HOST:PORT (port 0 takes any free port) or unix:PATH
    #[arg(long, value_name = "ADDRESS", value_parser = Place::parse,
          required_unless_present_any = ["calibrate", "schema"])]
    pub listen: Option<Place>,
    /// Address of the database: HOST:PORT or unix:PATH
    #[arg(long, value_name = "ADDRESS", value_parser = Place::parse,
          required_unless_present_any = ["calibrate", "schema"])]
    pub to: Option<Place>,
    /// Round trip to add, half of it in each direction
    #[arg(long, value_name = "TIME", default_value = "1ms", value_parser = parse_duration_ns)]
    pub delay: u64,
    /// Protocol, which determines what a query is
    #[arg(long, value_enum, default_value = "tcp")]
    pub protocol: Protocol,
    /// Write the report (JSON) to this file
    #[arg(long, value_name = "FILE", required_unless_present_any = ["calibrate", "schema"])]
    pub report: Option<PathBuf>,
    /// Write every query, as binary records of fixed size, to this file
    #[arg(long, value_name = "FILE")]
    pub records: Option<PathBuf>,
    /// Processors that the relay may use, such as 1, 0,2 or 0-3
    #[arg(long, value_name = "LIST")]
    pub cpus: Option<Processors>,
    /// End when standard input ends, for example because the process that started the relay died
    #[arg(long)]
    pub watch_stdin: bool,
    /// Measure the delay and the CPU time that the relay itself adds, and do nothing else
    #[arg(long, conflicts_with_all = ["listen", "to", "report", "records", "watch_stdin"])]
    pub calibrate: bool,
    /// Print the report's JSON Schema, and do nothing else
    #[arg(long)]
    pub schema: bool,
}
