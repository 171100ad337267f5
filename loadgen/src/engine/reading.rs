//! Bytes that have come, made into answers. What an answer is worth says [`super::outcome`].

use std::io;

use super::connection::{Flight, State};
use super::punctual_send::{Availability, ABSENCE_NS};
use super::streams::NO_AGREEMENT;
use super::unread::READS_A_TURN;
use super::worker::Worker;
use runfair_measuring::stamps::STEP_NS;

use crate::judgement::counts::Failure;
use crate::protocol::{Ending, Malformed, Step};
use crate::transport::stream::{Received, Stream};

/// What the bytes of one read meant for the connection.
pub(super) enum Verdict {
    /// It goes on.
    Goes,
    /// The connection ended as the answer announced.
    Ended,
    /// The connection has carried as many requests as it may.
    WornOut,
    /// The connection is broken.
    Broken(Failure),
}

impl Worker<'_> {
    /// Handles every connection with an event. Waits at most `timeout_ns` for the first
    /// event.
    #[inline]
    pub(super) fn gather(&mut self, timeout_ns: u64) -> io::Result<()> {
        let looked_ns = if self.stamped { self.now() } else { 0 };
        let timeout_ns = if self.unread.is_empty() {
            timeout_ns
        } else {
            0
        };
        let left_before = std::mem::take(&mut self.unread);
        let mut count = self.pool.epoll.wait(timeout_ns)?;
        if !self.stamped {
            self.note_absence(timeout_ns);
        }
        loop {
            for number in 0..count {
                let ready = self.pool.epoll.event(number);
                let Some(id) = self.pool.place(ready) else {
                    continue;
                };
                if self.pool.connections[id as usize].state == State::Opening {
                    self.advance_opening(id);
                } else if ready.writable() {
                    self.resume_sending(id);
                }
                if ready.readable() && self.pool.place(ready).is_some() {
                    self.read_unless_left(id, ready.ending());
                }
                if self.backlog_since_ns.is_some() {
                    self.send_due();
                }
            }
            // What is left stays ready: intervals, time-outs and Ctrl-C are looked after.
            if !self.pool.epoll.was_full() {
                self.read_on(left_before);
                if self.unread.is_empty() {
                    // All that had data then has been read by now.
                    self.empty_ns = looked_ns;
                }
                break;
            }
            if self.now() >= self.housekeeping_ns {
                self.read_on(left_before);
                break;
            }
            count = self.pool.epoll.wait(0)?;
        }
        if !self.stamped {
            self.looked_ns = self.now();
        }
        Ok(())
    }

    /// Without stamps, an answer that came while the worker was away is read when it
    /// is back: by so much at most the connection was free before.
    fn note_absence(&mut self, allowed_ns: u64) {
        let away_ns = self
            .now()
            .saturating_sub(self.looked_ns)
            .saturating_sub(allowed_ns);
        self.away_ns = if away_ns > ABSENCE_NS { away_ns } else { 0 };
    }

    /// Sends the rest of a request that did not fit.
    #[inline]
    fn resume_sending(&mut self, id: u32) {
        let connection = &mut self.pool.connections[id as usize];
        let Some(stream) = connection.stream.as_mut().filter(|s| s.is_sending()) else {
            return;
        };
        if stream.flush().is_err() {
            self.read(id, true);
            if self.pool.connections[id as usize].stream.is_some() {
                let now_ns = self.now();
                self.lose(id, Failure::Reset, now_ns);
            }
        } else {
            let verdict = self.send_kept_frames(id);
            self.conclude(id, verdict);
            // Until now the server took no more.
            let now_ns = self.now();
            let connection = &self.pool.connections[id as usize];
            let availability = match connection.flights.back() {
                Some(flight) => self.availability(flight, now_ns),
                None => Availability {
                    free_ns: now_ns,
                    ..connection.availability
                },
            };
            self.pool.release(id, availability);
        }
    }

    /// Reads what has come on a connection, as much as one turn allows. `ending`: to the end of
    /// the stream, else a read that did not fill the buffer was the last.
    #[inline]
    pub(super) fn read(&mut self, id: u32, ending: bool) {
        let mut buffer = std::mem::take(&mut self.buffer);
        let mut reads = 0;
        while let Some(stream) = &mut self.pool.connections[id as usize].stream {
            match stream.receive(&mut buffer) {
                Received::Bytes(count, stamp) => {
                    self.note_size(count);
                    self.figures.counts.bytes_received += count as u64;
                    let verdict = self.take_in(id, &buffer[..count], stamp);
                    if !self.pool.connections[id as usize].parser.is_idle() {
                        // It comes in pieces, or ends with the connection: lazy reading
                        // would hold the server up, or miss the instant.
                        self.at_once = true;
                    }
                    self.conclude(id, verdict);
                    if !ending && count < buffer.len() {
                        break;
                    }
                    reads += 1;
                    if reads == READS_A_TURN {
                        self.leave_unread(id, ending);
                        break;
                    }
                }
                Received::Nothing => break,
                Received::End => {
                    self.end_of_stream(id);
                    break;
                }
                Received::Broken(_) => {
                    let now_ns = self.now();
                    self.complain_of_no_http2(id);
                    self.lose(id, Failure::Reset, now_ns);
                    break;
                }
            }
        }
        self.buffer = buffer;
    }

    #[inline]
    pub(super) fn conclude(&mut self, id: u32, verdict: Verdict) {
        match verdict {
            Verdict::Goes => {}
            Verdict::Ended => {
                // Lazily read, the next request would wait for the new connection.
                self.at_once = true;
                let now_ns = self.now();
                self.lose(id, Failure::Closed, now_ns);
            }
            Verdict::WornOut => {
                let now_ns = self.now();
                self.replace(id, now_ns);
            }
            Verdict::Broken(kind) => {
                let now_ns = self.now();
                self.lose(id, kind, now_ns);
            }
        }
    }

    /// Takes bytes of the socket: they are decrypted if necessary, and then parsed.
    #[inline]
    fn take_in(&mut self, id: u32, mut bytes: &[u8], stamp: Option<u64>) -> Verdict {
        let mut done_ns = None;
        let has_cipher = self.pool.connections[id as usize]
            .stream
            .as_mut()
            .is_some_and(|stream| stream.cipher().is_some());
        if !has_cipher {
            return self.parse(id, bytes, stamp, &mut done_ns);
        }
        let mut plain = std::mem::take(&mut self.plain);
        let verdict = loop {
            let Some(stream) = &mut self.pool.connections[id as usize].stream else {
                break Verdict::Goes;
            };
            let Some(cipher) = stream.cipher() else {
                break Verdict::Goes;
            };
            match cipher.decrypt(&mut bytes, &mut plain) {
                Ok(0) => {
                    if stream.flush_cipher().is_err() {
                        break Verdict::Broken(Failure::Reset);
                    }
                    let ended = cipher_has_ended(stream);
                    if self.pool.connections[id as usize].state == State::Opening {
                        self.advance_opening(id);
                    }
                    if ended {
                        self.end_of_stream(id);
                        break Verdict::Goes;
                    }
                    break self.send_kept_frames(id);
                }
                Ok(count) => match self.parse(id, &plain[..count], stamp, &mut done_ns) {
                    Verdict::Goes => {}
                    other => break other,
                },
                Err(error) => {
                    // The alert that says why goes out if it can.
                    let _ = stream.flush_cipher();
                    self.complain(match error {
                        rustls::Error::AlertReceived(
                            rustls::AlertDescription::NoApplicationProtocol,
                        ) => NO_AGREEMENT.to_owned(),
                        error => format!("TLS: {error}"),
                    });
                    break Verdict::Broken(Failure::Tls);
                }
            }
        };
        self.plain = plain;
        verdict
    }

    /// Plain bytes of answers. `done_ns` is when they came, found once for all of them.
    #[inline]
    fn parse(
        &mut self,
        id: u32,
        mut bytes: &[u8],
        stamp: Option<u64>,
        done_ns: &mut Option<u64>,
    ) -> Verdict {
        if self.pool.connections[id as usize].session.is_some() {
            return self.take_frames(id, bytes, done_ns);
        }
        while !bytes.is_empty() {
            let connection = &mut self.pool.connections[id as usize];
            let Some(flight) = connection.flights.front() else {
                return self.unasked();
            };
            let flight = *flight;
            if connection.parser.is_idle() {
                let expected = self.load.traffic.expectation(flight.index, flight.template);
                connection.inspection.begin(expected, flight.checked);
            }
            match connection
                .parser
                .advance(flight.head, bytes, &mut connection.inspection)
            {
                Ok((used, Step::Incomplete)) => {
                    debug_assert_eq!(used, bytes.len());
                    return Verdict::Goes;
                }
                Ok((used, Step::Complete(answer))) => {
                    bytes = &bytes[used..];
                    if !bytes.is_empty() && connection.flights.len() == 1 {
                        // Longer than it said: more came than this request asked for.
                        return self.unasked();
                    }
                    let done_ns = match *done_ns {
                        Some(done_ns) => done_ns,
                        None => match self.instant(id, &flight, stamp) {
                            Some(instant) => *done_ns.insert(instant),
                            None => return self.unasked(),
                        },
                    };
                    match self.finish(id, &answer, done_ns) {
                        Verdict::Goes => {}
                        other => return other,
                    }
                }
                Err(malformed) => {
                    self.complain_of(malformed);
                    return Verdict::Broken(Failure::Malformed);
                }
            }
        }
        Verdict::Goes
    }

    fn unasked(&mut self) -> Verdict {
        self.complain("the server sent bytes that no request had asked for".to_owned());
        self.figures.counts.unasked += 1;
        Verdict::Broken(Failure::Unexpected)
    }

    fn complain_of(&mut self, malformed: Malformed) {
        self.complain(malformed.to_string());
    }

    /// When an answer came, ns since the start: by the kernel's stamp where there is one,
    /// else now. `None`: it came before its request had gone, so it is not its answer.
    #[inline]
    fn instant(&mut self, id: u32, flight: &Flight, stamp: Option<u64>) -> Option<u64> {
        if let Some(stamp) = stamp {
            let came_ns = self.since_start(stamp);
            if came_ns >= flight.sent_ns {
                return Some(self.readable_ns(id, came_ns));
            }
            // Or the wall clock was stepped back since it was looked at last.
            self.look_for_clock_step();
            let came_ns = self.since_start(stamp);
            if came_ns + STEP_NS < flight.sent_ns {
                return None;
            }
            return Some(came_ns.max(flight.sent_ns));
        }
        self.figures.counts.unstamped += 1;
        Some(self.now())
    }

    #[inline]
    fn since_start(&self, stamp: u64) -> u64 {
        self.stamps
            .monotonic_ns(stamp)
            .saturating_sub(self.start_ns)
    }

    /// The peer has finished sending.
    fn end_of_stream(&mut self, id: u32) {
        let now_ns = self.now();
        let connection = &mut self.pool.connections[id as usize];
        let waiting = !connection.flights.is_empty();
        if let Some(session) = &connection.session {
            let kind = match session.has_begun_answer() {
                true => Failure::Short,
                false => Failure::Closed,
            };
            self.complain_of_no_http2(id);
            self.lose(id, kind, now_ns);
            return;
        }
        // Inside TLS only a close_notify completes a body without a length (RFC 9112, section
        // 9.8): without one, somebody may have cut it off.
        let stream = connection.stream.as_mut();
        let cut_off = stream.is_some_and(|stream| {
            let cipher = stream.cipher();
            cipher.is_some_and(|cipher| !cipher.has_ended())
        });
        match connection.parser.finish() {
            Ending::Complete(_) if waiting && cut_off => {
                self.complain(
                    "the connection ended without TLS's close_notify in a body without a length"
                        .to_owned(),
                );
                self.lose(id, Failure::Short, now_ns);
            }
            Ending::Complete(answer) if waiting => {
                self.figures.counts.unstamped += 1;
                self.finish(id, &answer, now_ns);
                self.lose(id, Failure::Closed, now_ns);
            }
            Ending::Short if waiting => self.lose(id, Failure::Short, now_ns),
            _ => {
                if connection.state == State::Opening {
                    self.complain("the server closed the connection during the handshake".into());
                }
                self.lose(id, Failure::Closed, now_ns);
            }
        }
    }
}

fn cipher_has_ended(stream: &mut Stream) -> bool {
    stream.cipher().is_some_and(|cipher| cipher.has_ended())
}

#[cfg(test)]
mod tests {
    use std::io::{ErrorKind, Read, Write};
    use std::net::TcpStream;

    use super::super::fixture::{large_body, with_request, ANSWER};
    use super::super::worker::Worker;

    /// Reads a request as the server, while the worker goes on.
    fn take_request(worker: &mut Worker, peer: &mut TcpStream, bytes: u64) {
        peer.set_nonblocking(true).unwrap();
        let mut buffer = [0; 1 << 16];
        let mut left = bytes as usize;
        while left > 0 {
            worker.gather(0).unwrap();
            let most = left.min(buffer.len());
            match peer.read(&mut buffer[..most]) {
                Ok(0) => panic!("the connection has ended"),
                Ok(count) => left -= count,
                Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
            }
        }
    }

    /// The first of two pipelined requests is answered while the second waits for the server to
    /// read it. The connection goes on, and is free when the second is gone, no earlier.
    #[test]
    fn a_server_that_reads_slowly_is_waited_for() {
        let body = large_body();
        let path = body.path().to_str().unwrap();
        let options = ["--pipeline", "2", "--body-file", path];
        with_request(&options, b"", |worker, mut peer| {
            let bytes = worker.figures.counts.bytes_sent;
            take_request(worker, &mut peer, bytes);
            while worker.in_flight < 2 {
                worker.send_due();
            }
            peer.write_all(ANSWER).unwrap();
            while worker.in_flight == 2 {
                worker.gather(10_000_000).unwrap();
            }
            assert_eq!(worker.figures.counts.failed(), 0);
            let taken_ns = worker.now();
            take_request(worker, &mut peer, bytes);
            assert!(worker.pool.connections[0].availability.free_ns >= taken_ns);
        });
    }
}
