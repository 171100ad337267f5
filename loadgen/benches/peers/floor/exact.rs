//! The open loop with exact timers: every request at its instant, every answer at once.

use std::io::{self, Read};

use super::open::OpenLoop;
use super::pool::came;
use super::{FloorOptions, FloorReport};
use crate::kernel::{monotonic_ns, Wait};

/// How long the loop may sleep when it has nothing to send, nanoseconds.
const IDLE_NS: u64 = 100_000_000;

/// Sends at a constant rate; within `spin_ns` of the next instant it polls instead of sleeping.
pub fn run(options: &FloorOptions) -> io::Result<FloorReport> {
    let mut open = OpenLoop::begin(options)?;
    while open.send_due()? {
        let wait_ns = open
            .next_ns()
            .map_or(IDLE_NS, |next_ns| next_ns.saturating_sub(monotonic_ns()));
        let ready = if wait_ns <= options.spin_ns {
            open.epoll.wait(Wait::Poll)?
        } else {
            open.epoll.wait(Wait::AtMostNs(wait_ns - options.spin_ns))?
        };
        let done_ns = monotonic_ns();
        for event in 0..ready {
            let index = open.epoll.token(event) as usize;
            let stream = &mut open.pool.members[index].stream;
            if came(stream.read(&mut open.buffer), |&bytes| bytes)?.is_some() {
                open.complete(index, done_ns);
            }
        }
    }
    Ok(open.end())
}
