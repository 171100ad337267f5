//! The closed loop: the cost of a request when nothing is waited for.

use std::io::{self, Read};

use super::pool::{came, send_all, Pool, REQUEST};
use super::{FloorOptions, FloorReport};
use crate::kernel::{monotonic_ns, Epoll, Wait};
use crate::server::ANSWER;

/// How long the loop may sleep when nothing comes, milliseconds.
const IDLE_MS: u16 = 100;

/// Sends `depth` requests on every connection, and again when all their answers have come.
pub fn run(options: &FloorOptions) -> io::Result<FloorReport> {
    let mut epoll = Epoll::new()?;
    let mut pool = Pool::connect(options.port, options.connections, &epoll)?;
    let requests = REQUEST.repeat(options.depth);
    let answers_bytes = ANSWER.len() * options.depth;
    let mut got_bytes = vec![0; options.connections];
    let mut buffer = vec![0; 65_536];
    let begin_ns = monotonic_ns();
    let end_ns = begin_ns + options.seconds * 1_000_000_000;
    let mut report = FloorReport {
        begin_ns,
        ..FloorReport::default()
    };
    for member in &mut pool.members {
        send_all(&mut member.stream, &requests)?;
        report.sent += options.depth as u64;
    }
    while monotonic_ns() < end_ns {
        for event in 0..epoll.wait(Wait::AtMostMs(IDLE_MS))? {
            let index = epoll.token(event) as usize;
            let stream = &mut pool.members[index].stream;
            let Some(bytes) = came(stream.read(&mut buffer), |&bytes| bytes)? else {
                continue;
            };
            got_bytes[index] += bytes;
            if got_bytes[index] >= answers_bytes {
                got_bytes[index] = 0;
                report.completed += options.depth as u64;
                send_all(stream, &requests)?;
                report.sent += options.depth as u64;
            }
        }
    }
    Ok(report)
}
