//! The open loop with exact timers: every request at its instant, every answer at once.

use std::io::{self, Read};

use super::pool::{came, Pool};
use super::{intended_after_begin_ns, FloorOptions, FloorReport, Recorder, GRACE_NS, SETTLE_NS};
use crate::kernel::{monotonic_ns, Epoll, Wait};
use crate::percentile::Percentiles;

/// How long the loop may sleep when it has nothing to send, nanoseconds.
const IDLE_NS: u64 = 100_000_000;

/// Sends at a constant rate; within `spin_ns` of the next instant it polls instead of sleeping.
pub fn run(options: &FloorOptions) -> io::Result<FloorReport> {
    let mut epoll = Epoll::new()?;
    let mut pool = Pool::connect(options.port, options.connections, &epoll)?;
    let mut recorder = Recorder::new()?;
    let mut buffer = vec![0; 65_536];
    let begin_ns = monotonic_ns() + SETTLE_NS;
    let end_ns = begin_ns + options.seconds * 1_000_000_000;
    let mut report = FloorReport {
        scheduled: options.rate * options.seconds,
        begin_ns,
        ..FloorReport::default()
    };
    while report.completed < report.scheduled {
        let mut now_ns = monotonic_ns();
        if now_ns > end_ns + GRACE_NS {
            break;
        }
        while report.sent < report.scheduled {
            let intended_ns = begin_ns + intended_after_begin_ns(report.sent, options.rate);
            if intended_ns > now_ns || !pool.send(intended_ns, now_ns)? {
                break;
            }
            report.sent += 1;
            now_ns = monotonic_ns();
        }
        let wait_ns = if report.sent < report.scheduled && !pool.free.is_empty() {
            let next_ns = begin_ns + intended_after_begin_ns(report.sent, options.rate);
            next_ns.saturating_sub(monotonic_ns())
        } else {
            IDLE_NS
        };
        let ready = if wait_ns <= options.spin_ns {
            epoll.wait(Wait::Poll)?
        } else {
            epoll.wait(Wait::AtMostNs(wait_ns - options.spin_ns))?
        };
        let done_ns = monotonic_ns();
        for event in 0..ready {
            let index = epoll.token(event) as usize;
            let member = &mut pool.members[index];
            if came(member.stream.read(&mut buffer), |&bytes| bytes)?.is_some() {
                recorder.record(member.intended_ns, member.sent_ns, done_ns);
                report.completed += 1;
                pool.free.push_back(index);
            }
        }
    }
    report.latency = Percentiles::of_histogram(&recorder.latency);
    report.service = Percentiles::of_histogram(&recorder.service);
    Ok(report)
}
