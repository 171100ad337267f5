//! The floors: the least that a loop of the same shape can cost. They parse nothing, check nothing
//! and hold one fixed request; a generator is judged by how little more it costs.
//!
//! | mode | shape |
//! |---|---|
//! | `closed` | every connection sends again at once, `depth` requests at a time |
//! | `exact` | open loop, epoll with exact timers; optionally spinning the last stretch |
//! | `lazy` | open loop, answers read at the next wake with the kernel's stamps; optionally ticking |

pub mod closed;
pub mod exact;
pub mod lazy;
mod open;
mod pool;

use std::io;

use clap::ValueEnum;
use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

use crate::kernel;
use crate::percentile::Percentiles;

/// Values of up to two minutes in nanoseconds, to three digits: the longest that a run may last.
const LONGEST_NS: u64 = 120_000_000_000;
const DIGITS: u8 = 3;
/// How long after its schedule an open-loop floor waits for the last answers.
const GRACE_NS: u64 = 2_000_000_000;
/// From the last connection to the first request, so that accepting is over.
const SETTLE_NS: u64 = 20_000_000;

/// The shape of a floor.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
pub enum FloorMode {
    /// Closed loop.
    Closed,
    /// Open loop with exact timers.
    Exact,
    /// Open loop that reads lazily.
    Lazy,
}

/// How to run a floor.
#[derive(clap::Args, Debug)]
pub struct FloorOptions {
    /// Its shape.
    #[arg(long)]
    pub mode: FloorMode,
    /// The server's port on 127.0.0.1.
    #[arg(long)]
    pub port: u16,
    /// Connections.
    #[arg(long)]
    pub connections: usize,
    /// How long to send, seconds.
    #[arg(long)]
    pub seconds: u64,
    /// Requests a second; open loop only.
    #[arg(long, default_value_t = 1)]
    pub rate: u64,
    /// Requests in flight on a connection; closed loop only.
    #[arg(long, default_value_t = 1)]
    pub depth: usize,
    /// The last stretch that is spun, nanoseconds; `exact` only.
    #[arg(long, default_value_t = 0)]
    pub spin_ns: u64,
    /// The tick, nanoseconds, 0 for a wake at every request; `lazy` only.
    #[arg(long, default_value_t = 0)]
    pub tick_ns: u64,
}

/// What a floor found, printed as JSON.
#[derive(Debug, Default, Deserialize, Serialize)]
pub struct FloorReport {
    /// Requests the schedule held; 0 in a closed loop.
    pub scheduled: u64,
    /// Requests sent.
    pub sent: u64,
    /// Requests answered.
    pub completed: u64,
    /// When its schedule began, on the monotonic clock, nanoseconds.
    pub begin_ns: u64,
    /// Answered − intended.
    pub latency: Percentiles,
    /// Answered − sent.
    pub service: Percentiles,
}

/// The role `floor`: runs one and prints its report.
pub fn run(options: &FloorOptions) -> io::Result<()> {
    kernel::end_with_parent()?;
    kernel::raise_descriptor_limit()?;
    kernel::sharpen_timers()?;
    let report = match options.mode {
        FloorMode::Closed => closed::run(options)?,
        FloorMode::Exact => exact::run(options)?,
        FloorMode::Lazy => lazy::run(options)?,
    };
    serde_json::to_writer(io::stdout(), &report)?;
    Ok(())
}

/// The two histograms of an open-loop floor.
struct Recorder {
    latency: Histogram<u64>,
    service: Histogram<u64>,
}

impl Recorder {
    fn new() -> io::Result<Self> {
        let histogram = || Histogram::new_with_max(LONGEST_NS, DIGITS).map_err(io::Error::other);
        Ok(Self {
            latency: histogram()?,
            service: histogram()?,
        })
    }

    #[inline]
    fn record(&mut self, intended_ns: u64, sent_ns: u64, done_ns: u64) {
        self.latency
            .saturating_record(done_ns.saturating_sub(intended_ns));
        self.service
            .saturating_record(done_ns.saturating_sub(sent_ns));
    }
}

/// When request k of a constant rate is meant to go, nanoseconds after the begin.
#[inline]
fn intended_after_begin_ns(k: u64, rate_per_s: u64) -> u64 {
    k * 1_000_000_000 / rate_per_s
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::serving::Server;
    use std::os::unix::net::UnixStream;

    /// Runs a floor against a server in this process: its report and the requests served.
    fn against_server(
        mode: FloorMode,
        shape: impl FnOnce(&mut FloorOptions),
    ) -> (FloorReport, u64) {
        let server = Server::bind(None).unwrap();
        let mut options = FloorOptions {
            mode,
            port: server.port().unwrap(),
            connections: 5,
            seconds: 1,
            rate: 1_000,
            depth: 1,
            spin_ns: 0,
            tick_ns: 0,
        };
        shape(&mut options);
        let (leash, held) = UnixStream::pair().unwrap();
        let serving = std::thread::spawn(move || server.serve(&held).unwrap());
        let report = match mode {
            FloorMode::Closed => closed::run(&options).unwrap(),
            FloorMode::Exact => exact::run(&options).unwrap(),
            FloorMode::Lazy => lazy::run(&options).unwrap(),
        };
        drop(leash);
        (report, serving.join().unwrap().0.requests)
    }

    #[test]
    fn open_loops_send_their_whole_schedule_and_no_more() {
        for (mode, spin_ns, tick_ns) in [
            (FloorMode::Exact, 0, 0),
            (FloorMode::Exact, 50_000, 0),
            (FloorMode::Lazy, 0, 0),
            (FloorMode::Lazy, 0, 1_000_000),
        ] {
            let (report, served) = against_server(mode, |options| {
                options.spin_ns = spin_ns;
                options.tick_ns = tick_ns;
            });
            assert_eq!((report.scheduled, report.sent), (1_000, 1_000), "{mode:?}");
            assert_eq!((report.completed, served), (1_000, 1_000), "{mode:?}");
            assert!(report.service.max_ns.unwrap() <= report.latency.max_ns.unwrap());
            assert!(report.service.p50_ns.unwrap() > 0);
        }
    }

    #[test]
    fn closed_loops_count_only_whole_answers() {
        for depth in [1, 16] {
            let (report, served) =
                against_server(FloorMode::Closed, |options| options.depth = depth);
            assert!(report.completed > 100);
            assert_eq!(report.completed % depth as u64, 0);
            // What is in flight at the end was sent but is not counted as answered.
            assert!(served >= report.completed && report.sent >= report.completed);
            assert!(report.sent - report.completed <= 5 * depth as u64);
        }
    }
}
