//! The open loop that reads lazily: no answer has a wake of its own; the kernel says when it came.

use std::io;

use super::pool::{came, Pool};
use super::{intended_after_begin_ns, FloorOptions, FloorReport, Recorder, GRACE_NS, SETTLE_NS};
use crate::kernel::{self, monotonic_ns, Epoll, Wait};
use crate::percentile::Percentiles;

/// How long to sleep when no connection is free or only answers are awaited, nanoseconds.
const IDLE_NS: u64 = 100_000;

/// Sends at a constant rate, waking at every request or, with `tick_ns`, only at every tick.
pub fn run(options: &FloorOptions) -> io::Result<FloorReport> {
    let mut epoll = Epoll::new()?;
    let mut pool = Pool::connect(options.port, options.connections, &epoll)?;
    for member in &pool.members {
        kernel::record_arrival_stamps(&member.stream)?;
    }
    let mut recorder = Recorder::new()?;
    let mut buffer = vec![0; 65_536];
    let offset_ns = kernel::realtime_offset_ns();
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
        let ready = epoll.wait(Wait::Poll)?;
        let read_ns = monotonic_ns();
        for event in 0..ready {
            let index = epoll.token(event) as usize;
            let member = &mut pool.members[index];
            let read = kernel::receive_stamped(&member.stream, &mut buffer);
            let Some((_, stamp_ns)) = came(read, |&(bytes, _)| bytes)? else {
                continue;
            };
            let done_ns = stamp_ns.map_or(read_ns, |at_ns| at_ns.wrapping_add_signed(-offset_ns));
            recorder.record(member.intended_ns, member.sent_ns, done_ns);
            report.completed += 1;
            pool.free.push_back(index);
        }
        let next_ns = if report.sent < report.scheduled && !pool.free.is_empty() {
            begin_ns + intended_after_begin_ns(report.sent, options.rate)
        } else {
            monotonic_ns() + IDLE_NS
        };
        let wake_ns = match options.tick_ns {
            0 => next_ns,
            tick_ns => begin_ns + next_ns.saturating_sub(begin_ns).div_ceil(tick_ns) * tick_ns,
        };
        if wake_ns > monotonic_ns() {
            kernel::sleep_until(wake_ns);
        }
    }
    report.latency = Percentiles::of_histogram(&recorder.latency);
    report.service = Percentiles::of_histogram(&recorder.service);
    Ok(report)
}
