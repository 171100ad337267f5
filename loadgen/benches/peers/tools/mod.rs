//! The tools that are compared: how each is told what to do, and how its output is read.
//!
//! | file | what |
//! |---|---|
//! | [`generator`] | the generator under test, in its modes |
//! | [`floors`] | the floors, roles of this very program |
//! | [`peers`] | the other load generators |
//! | [`output`] | numbers and durations in their texts |
//! | [`records`] | the generator's raw records |

pub mod floors;
pub mod generator;
pub mod output;
pub mod peers;
pub mod records;

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::percentile::Percentiles;

/// How requests are paced.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// As fast as answers come, so many requests in flight on a connection.
    Closed {
        /// Requests in flight on a connection.
        depth: u64,
    },
    /// So many a second, whatever the server does.
    Constant {
        /// Requests a second.
        rate_per_s: u64,
    },
}

/// One load, as every tool is asked for it.
#[derive(Clone, Copy)]
pub struct Load<'a> {
    /// The server's port on 127.0.0.1.
    pub port: u16,
    /// Connections.
    pub connections: u64,
    /// The pacing.
    pub pace: Pace,
    /// How long to send, seconds.
    pub seconds: u64,
    /// A log of every request is wanted, where only that gives percentiles.
    pub every_request: bool,
    /// An empty folder for the tool's files.
    pub scratch: &'a Path,
}

impl Load<'_> {
    /// What is asked for.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// A file in the folder of this run.
    pub fn file(&self, name: &str) -> String {
        self.scratch.join(name).display().to_string()
    }
}

/// What a tool says of its own run.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Reading {
    /// Requests its schedule held.
    pub scheduled: Option<u64>,
    /// Requests it says it sent.
    pub sent: Option<u64>,
    /// Requests it says were answered.
    pub completed: Option<u64>,
    /// The latency it reports, whatever it means by it.
    pub latency: Percentiles,
    /// The service time it reports, where it tells the two apart.
    pub service: Percentiles,
    /// When its schedule began, on the monotonic clock, nanoseconds.
    pub begin_ns: Option<u64>,
    /// When each request was meant to go, in order of sending, on the monotonic clock.
    #[serde(skip)]
    pub intended_ns: Option<Vec<u64>>,
    /// Processor time a request by its own account, microseconds.
    pub claimed_cpu_us_per_request: Option<f64>,
    /// Peak memory by its own account, bytes.
    pub claimed_peak_rss_bytes: Option<u64>,
    /// Its verdict on its own run.
    pub verdict: Option<String>,
}

/// Which program a tool is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Program {
    /// This benchmark itself, in the role `floor`.
    Floor,
    /// The generator under test.
    Generator,
    /// A peer of this name.
    Peer(&'static str),
}

/// A tool, in one way of using it.
#[derive(Clone, Copy)]
pub struct Tool {
    /// How it is called in tables.
    pub name: &'static str,
    /// Which program it is.
    pub program: Program,
    /// The arguments that make it print its version.
    pub version: &'static [&'static str],
    /// The arguments for a load; none when it cannot do that.
    pub arguments: fn(&Load) -> Option<Vec<String>>,
    /// Files it needs: names, to be found with [`Load::file`], and contents.
    pub files: fn(&Load) -> Vec<(&'static str, String)>,
    /// A second command of the same program whose output is read instead; not charged.
    pub report: Option<fn(&Load) -> Vec<String>>,
    /// Reads its output.
    pub read: fn(&Load, &str) -> Result<Reading, String>,
    /// Requests it sends before those it was asked for.
    pub warmup_requests: fn(&Load) -> u64,
    /// Seconds at its beginning that it throws away, which it gets on top.
    pub lead_s: u64,
}

impl Tool {
    /// Whether it can produce loads of this pacing.
    pub fn can(&self, pace: Pace) -> bool {
        let any = Load {
            port: 0,
            connections: 1,
            pace,
            seconds: 1,
            every_request: false,
            scratch: Path::new(""),
        };
        (self.arguments)(&any).is_some()
    }

    /// The name by which it is chosen on the command line.
    pub fn choice(&self) -> &'static str {
        match self.program {
            Program::Floor => "floor",
            Program::Generator => generator::NAME,
            Program::Peer(name) => name,
        }
    }
}

/// A tool with nothing out of the ordinary.
const PLAIN: Tool = Tool {
    name: "",
    program: Program::Floor,
    version: &[],
    arguments: |_| None,
    files: |_| Vec::new(),
    report: None,
    read: |_, _| Err("has no reader".into()),
    warmup_requests: |_| 0,
    lead_s: 0,
};

/// Arguments from words and numbers alike.
macro_rules! arguments {
    ($($argument:expr),* $(,)?) => { vec![$($argument.to_string()),*] };
}
use arguments;
