//! The open loop that reads lazily: no answer has a wake of its own; the kernel says when it came.

use std::io;

use super::open::OpenLoop;
use super::pool::came;
use super::{FloorOptions, FloorReport};
use crate::kernel::{self, monotonic_ns, Wait};

/// How long to sleep when no connection is free or only answers are awaited, nanoseconds.
const IDLE_NS: u64 = 100_000;

/// Sends at a constant rate, waking at every request or, with `tick_ns`, only at every tick.
pub fn run(options: &FloorOptions) -> io::Result<FloorReport> {
    let mut open = OpenLoop::begin(options)?;
    for member in &open.pool.members {
        kernel::record_arrival_stamps(&member.stream)?;
    }
    let offset_ns = kernel::realtime_offset_ns();
    while open.send_due()? {
        let ready = open.epoll.wait(Wait::Poll)?;
        let read_ns = monotonic_ns();
        for event in 0..ready {
            let index = open.epoll.token(event) as usize;
            let stream = &open.pool.members[index].stream;
            let read = kernel::receive_stamped(stream, &mut open.buffer);
            let Some((_, stamp_ns)) = came(read, |&(bytes, _)| bytes)? else {
                continue;
            };
            let done_ns = stamp_ns.map_or(read_ns, |at_ns| at_ns.wrapping_add_signed(-offset_ns));
            open.complete(index, done_ns);
        }
        let next_ns = open.next_ns().unwrap_or_else(|| monotonic_ns() + IDLE_NS);
        let wake_ns = match options.tick_ns {
            0 => next_ns,
            tick_ns => {
                let after_ns = next_ns.saturating_sub(open.begin_ns);
                open.begin_ns + after_ns.div_ceil(tick_ns) * tick_ns
            }
        };
        if wake_ns > monotonic_ns() {
            kernel::sleep_until(wake_ns);
        }
    }
    Ok(open.end())
}
