//! All that the judgement is made from.

use super::autocorrelation::Lag1;
use super::block::Timeline;
use super::censored::Failed;
use super::counts::Counts;
use clap::ValueEnum;
use hdrhistogram::Histogram;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who decides when the next request goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Loop {
    /// The schedule, whatever the server does.
    Open,
    /// The server: a connection sends when its last answer has come.
    Closed,
}

/// How arrivals follow one another in an open loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Process {
    /// Evenly spaced.
    #[value(help = "Evenly")]
    Constant,
    /// Exponential gaps.
    #[value(help = "Independently, as from many users")]
    Poisson,
    /// Recorded time stamps.
    #[value(help = "As recorded: the traffic file's own time stamps (at_ns or at_s)")]
    Trace,
}

impl Process {
    /// Its name, as in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Constant => "constant",
            Self::Poisson => "poisson",
            Self::Trace => "trace",
        }
    }
}

/// How exactly requests are sent, and at what cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// A tick of a millisecond: the cheapest.
    #[value(help = "A tick of 1 ms: the cheapest mode, for long runs on a shared machine")]
    Economy,
    /// Exact timers.
    #[value(help = "A timer for each request")]
    Default,
    /// Sleep, then spin the last stretch.
    #[value(
        help = "A timer, then a bounded spin: punctual to microseconds, but needs a processor of its own"
    )]
    Precise,
}

impl Mode {
    /// Its name, as in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Economy => "economy",
            Self::Default => "default",
            Self::Precise => "precise",
        }
    }
}

/// `part` of `whole`, 0 to 1; 0 of nothing.
pub(crate) fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

/// A measured quantity: all its values, and their order in time.
#[derive(Debug, Clone)]
pub struct Quantity {
    /// Every value, in nanoseconds.
    pub histogram: Histogram<u64>,
    /// The same values by the time at which the answer was complete, and the requests of `failed`
    /// by the time at which they failed.
    pub timeline: Timeline,
    /// Requests that have no such value because they failed; `None` of a quantity that every
    /// request has.
    pub failed: Option<Failed>,
}

/// The four times of a request. Latency and service time are those of good answers; queue wait
/// and send lag those of every request sent.
#[derive(Debug, Clone)]
pub struct Quantities {
    /// Done − intended.
    pub latency: Quantity,
    /// Intended → a connection is free: the server's doing.
    pub queue_wait: Quantity,
    /// Sent − the later of intended and free: the generator's own lateness, and what it carries
    /// over to those that wait behind it.
    pub send_lag: Quantity,
    /// Done − sent.
    pub service_time: Quantity,
}

/// One sending thread of the generator.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SenderThread {
    /// Share of the run it was running, 0 to 1.
    pub cpu_share: f64,
    /// The part of `cpu_share` spent waiting on purpose for an instant, 0 to 1.
    pub spin_share: f64,
    /// Share of the run it could have run and others had its processor, 0 to 1.
    /// Absent where the kernel does not tell.
    pub run_queue_share: Option<f64>,
    /// The processor it was pinned to.
    pub processor: Option<u32>,
    /// Whether that processor was kept from sleeping between requests, to the end of the
    /// run. What it did instead is in no process's CPU time.
    #[serde(default)]
    pub kept_awake: bool,
}

impl SenderThread {
    /// The share of time for which it worked, without the spinning on purpose, 0 to 1.
    pub fn busy_share(&self) -> f64 {
        self.cpu_share - self.spin_share
    }
}

/// One of several servers.
#[derive(Debug, Clone, Copy)]
pub struct Server {
    /// Connections that go to it.
    pub connections: u64,
    /// Requests sent to it over the whole run.
    pub sent: u64,
}

/// All that a run tells about itself.
#[derive(Debug, Clone)]
pub struct Evidence {
    /// Who decided when the next request went.
    pub loop_kind: Loop,
    /// How exactly requests should have been sent.
    pub mode: Mode,
    /// The mean rate that this process was to send, per second; 0 in a closed loop.
    pub offered_per_s: f64,
    /// The run's length: from its start to its last answer, or to its interruption.
    pub elapsed_ns: u64,
    /// How many requests ended how, and what else was counted.
    pub counts: Counts,
    /// Complete answers of the whole run, including its warm-up, as `counts.unstamped` has them.
    pub answers: u64,
    /// The times measured.
    pub quantities: Quantities,
    /// Latency − send lag of each good answer: the latency of a generator that is never late.
    pub punctual: Histogram<u64>,
    /// Coarse buckets of the latencies, in the order in which they were known.
    pub lag1: Lag1,
    /// What each thread did.
    pub threads: Vec<SenderThread>,
    /// Whether answers are read at once (closed loop, pipelined, HTTP/2, unix socket): none has a stamp.
    pub reads_at_once: bool,
    /// Connections asked for.
    pub connections: u64,
    /// Each of several servers; empty where there is one alone.
    pub servers: Vec<Server>,
    /// Whether the run was ended before its schedule.
    pub interrupted: bool,
    /// Requests under way or overdue that were given up because of the interruption. They are
    /// among the failures.
    pub cut_off: u64,
    /// Whether it was given up because nothing was answered.
    pub given_up: bool,
}

impl Evidence {
    /// The expected number of wrong answers that count as good because nobody checked their
    /// bodies: the checked bodies are a sample of those that could have been checked.
    pub fn unseen_wrong(&self) -> f64 {
        let counts = &self.counts;
        let unseen = counts.checkable.saturating_sub(counts.checked);
        share(counts.wrong_of_checked, counts.checked) * unseen as f64
    }
}
