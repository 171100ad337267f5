//! What a connection has beyond its turn: an endless body must not starve the others.
//!
//! epoll tells of each arrival once, so what a turn leaves unread is remembered here.

use super::worker::Worker;

/// Full buffers read from one connection before due requests and the other connections have their
/// turn: 256 KiB, some tens of microseconds.
pub(super) const READS_A_TURN: usize = 4;

impl Worker<'_> {
    /// Leaves the rest of a connection's bytes for the next turn.
    pub(super) fn leave_unread(&mut self, id: u32, ending: bool) {
        let connection = &mut self.pool.connections[id as usize];
        if connection.stream.is_none() {
            return;
        }
        self.at_once = true;
        let before = connection.left_unread.replace(ending);
        match before {
            None => self.unread.push((id, connection.generation)),
            Some(to_the_end) => connection.left_unread = Some(ending || to_the_end),
        }
    }

    /// Reads on where earlier turns have left bytes, one turn each.
    #[inline]
    pub(super) fn read_on(&mut self, left: Vec<(u32, u32)>) {
        for (id, generation) in left {
            let connection = &mut self.pool.connections[id as usize];
            if connection.generation != generation {
                continue;
            }
            if let Some(ending) = connection.left_unread.take() {
                self.read(id, ending);
                if self.backlog_since_ns.is_some() {
                    self.send_due();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{ErrorKind, Read, Write};
    use std::net::TcpListener;
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::{Duration, Instant};

    use clap::Parser;
    use socket2::SockAddr;

    use super::super::load::Endpoint;
    use super::super::shared_schedule::SharedSchedule;
    use super::super::worker::{Setting, Worker};
    use super::READS_A_TURN;
    use crate::cli::arguments::Arguments;
    use crate::cli::Plan;

    const BUFFER_BYTES: u64 = 64 * 1024;
    const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n";

    /// All that is in the sockets' buffers when the generator looks at last, and no more comes:
    /// a turn takes its part, and later turns the rest, although epoll tells of nothing new.
    #[test]
    fn a_turn_takes_its_part_and_later_turns_the_rest() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let url = format!("http://{address}/");
        let words = ["runfair-load", "--rate", "1000", "--connections", "1"];
        let arguments = Arguments::try_parse_from(words.into_iter().chain([url.as_str()])).unwrap();
        let plan = Plan::of(&arguments).unwrap();
        let endpoints = [Endpoint {
            address: SockAddr::from(address),
            tls: None,
        }];
        let (hand_over, _handed_over) = channel();
        let (_give_back, emptied) = channel();
        let setting = Setting {
            load: &plan.load,
            endpoints: &endpoints,
            shared: &SharedSchedule::default(),
        };
        let mut worker = Worker::new(setting, 0, hand_over, emptied).unwrap();
        worker.connect().unwrap();
        worker.send_due();
        assert_eq!(worker.in_flight, 1);
        let (mut peer, _) = listener.accept().unwrap();
        assert!(peer.read(&mut [0; 1024]).unwrap() > 0);
        peer.write_all(HEAD).unwrap();
        peer.set_nonblocking(true).unwrap();
        let mut written = HEAD.len() as u64;
        let mut full = 0;
        // Full twice with a pause between: the kernel has moved what it could.
        while full < 2 {
            match peer.write(&[b'x'; 64 * 1024]) {
                Ok(count) => written += count as u64,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    full += 1;
                    thread::sleep(Duration::from_millis(20));
                }
                Err(error) => panic!("{error}"),
            }
        }
        let a_turn = READS_A_TURN as u64 * BUFFER_BYTES;
        assert!(written > 2 * a_turn, "only {written} bytes fit");
        worker.gather(0).unwrap();
        let first = worker.figures.counts.bytes_received;
        assert!(first > 0 && first <= a_turn, "{first} bytes in one turn");
        assert_eq!(worker.unread.len(), 1);
        let deadline = Instant::now() + Duration::from_secs(10);
        while worker.figures.counts.bytes_received < written {
            assert!(Instant::now() < deadline, "the rest was never read");
            worker.gather(1_000_000).unwrap();
        }
        assert!(worker.in_flight == 1 && worker.at_once);
    }
}
