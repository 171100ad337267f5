//! Limits the bytes that a connection may read in one turn, so that an endless body does
//! not starve other connections.
//!
//! epoll reports each arrival once. This module therefore remembers connections with unread
//! bytes.

use super::worker::Worker;

/// Full buffers read from one connection before due requests and the other connections have their
/// turn: 256 KiB, some tens of microseconds.
pub(super) const READS_A_TURN: usize = 4;

impl Worker<'_> {
    /// Postpones the rest of a connection's bytes to the next turn.
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

    /// Continues reading connections with unread bytes, one turn each.
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
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::sync::mpsc::channel;

    use clap::Parser;
    use socket2::SockAddr;

    use super::super::load::Endpoint;
    use super::super::shared_schedule::SharedSchedule;
    use super::super::worker::{Setting, Worker};
    use crate::cli::arguments::Arguments;
    use crate::cli::Plan;

    const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n";

    /// epoll tells of an arrival once. What it has told of and no turn has read is read later.
    #[test]
    fn what_is_left_is_read_in_a_later_turn() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let url = format!("http://{address}/");
        let words = ["runfair-load", "--rate", "1000", "--connections", "1"];
        let arguments = Arguments::try_parse_from(words.into_iter().chain([url.as_str()])).unwrap();
        let plan = Plan::of(&arguments).unwrap();
        let endpoints = [Endpoint {
            address: SockAddr::from(address),
            source: None,
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
        while worker.pool.epoll.wait(0).unwrap() > 0 {} // of before the answer
        peer.write_all(HEAD).unwrap();
        assert!(worker.pool.epoll.wait(10_000_000_000).unwrap() > 0);
        worker.gather(0).unwrap();
        assert_eq!(worker.figures.counts.bytes_received, 0, "epoll told twice");
        worker.leave_unread(0, false);
        worker.leave_unread(0, false);
        assert_eq!(worker.unread.len(), 1);
        worker.gather(0).unwrap();
        assert_eq!(worker.figures.counts.bytes_received, HEAD.len() as u64);
        assert!(worker.unread.is_empty() && worker.at_once);
    }
}
