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

    /// Reads a connection that has an event. If an earlier turn has left bytes, they are read in
    /// their own turn ([`Self::read_on`]), and the new bytes with them.
    #[inline]
    pub(super) fn read_unless_left(&mut self, id: u32, ending: bool) {
        match &mut self.pool.connections[id as usize].left_unread {
            None => self.read(id, ending),
            Some(to_the_end) => *to_the_end |= ending,
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
    use std::io::{ErrorKind, Write};
    use std::net::TcpStream;

    use super::super::fixture::with_request;
    use super::super::worker::Worker;
    use super::READS_A_TURN;
    use crate::judgement::counts::Failure;

    const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n";

    const SETTINGS: &[u8] = &[0, 0, 0, 4, 0, 0, 0, 0, 0];

    /// epoll tells of an arrival once. What it has told of and no turn has read is read later.
    #[test]
    fn what_is_left_is_read_in_a_later_turn() {
        with_request(&[], b"", |worker, mut peer| {
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
        });
    }

    /// A server that always has more to say: after `head` the same bytes again and again, as many
    /// as the sockets take. No turn reads more than its limit, and turns reach the limit. The
    /// buffer is small, so that the socket's own buffer always holds more than two turns.
    fn flood(worker: &mut Worker, mut peer: TcpStream, head: &[u8], again: &[u8]) {
        const FULL_TURNS: usize = 5;
        const MOST_TURNS: usize = 500;
        const SMALL_BYTES: usize = 4096;
        const LIMIT: u64 = (READS_A_TURN * SMALL_BYTES) as u64;
        assert_eq!(READS_A_TURN * worker.buffer.len(), 256 << 10);
        worker.buffer.truncate(SMALL_BYTES);
        peer.write_all(head).unwrap();
        peer.set_nonblocking(true).unwrap();
        let (mut from, mut full_turns) = (0, 0);
        for _ in 0..MOST_TURNS {
            loop {
                match peer.write(&again[from..]) {
                    Ok(count) => from = (from + count) % again.len(),
                    Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                    Err(error) => panic!("{error}"),
                }
            }
            let before = worker.figures.counts.bytes_received;
            worker.gather(10_000_000).unwrap();
            let bytes = worker.figures.counts.bytes_received - before;
            assert!(bytes <= LIMIT, "{bytes} bytes in a turn");
            full_turns += usize::from(bytes == LIMIT);
            if full_turns == FULL_TURNS {
                assert_eq!(worker.unread.len(), 1, "what is left is read later");
                return;
            }
        }
        panic!("{full_turns} of {MOST_TURNS} turns reached their limit");
    }

    #[test]
    fn a_flood_is_read_in_turns() {
        with_request(&[], b"", |worker, peer| {
            flood(worker, peer, HEAD, &[b'x'; 1 << 16]);
        });
    }

    #[test]
    fn a_flood_of_frames_is_read_in_turns() {
        const HEADERS: &[u8] = &[0, 0, 1, 1, 4, 0, 0, 0, 1, 0x88]; // `:status 200` on stream 1
        const DATA: &[u8] = &[0, 0x40, 0, 0, 0, 0, 0, 0, 1]; // 16 KiB of the same stream
        with_request(&["--http2"], SETTINGS, |worker, peer| {
            flood(worker, peer, HEADERS, &[DATA, &[b'x'; 0x4000]].concat());
        });
    }

    /// Each PING asks for an acknowledgement. The worker does not keep those that a server does not
    /// read: the library refuses some 1,000 that wait.
    #[test]
    fn a_flood_of_pings_ends_the_connection() {
        const PINGS: usize = 500;
        const MOST_TURNS: usize = 5_000;
        const PING: &[u8] = &[0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8];
        with_request(&["--http2"], SETTINGS, |worker, mut peer| {
            let mut bytes = worker.figures.counts.bytes_received;
            for _ in 0..MOST_TURNS {
                bytes += (PING.len() * PINGS) as u64;
                peer.write_all(&PING.repeat(PINGS)).unwrap();
                // Never two turns' together: those would be refused by their number alone.
                while worker.in_flight > 0 && worker.figures.counts.bytes_received < bytes {
                    worker.gather(10_000_000).unwrap();
                }
                if worker.in_flight == 0 {
                    assert_eq!(
                        worker.figures.counts.failures[Failure::Malformed as usize],
                        1
                    );
                    return;
                }
            }
            panic!("acknowledgements of {} PINGs are kept", PINGS * MOST_TURNS);
        });
    }
}
