//! HTTP/2: frames that have come, made into answers of several streams.
//!
//! Answers that share a read have the same instant, that of the reading: a segment holds frames
//! of several streams and of none, so the kernel's stamp would be of no one answer.

use super::connection::{Flight, State};
use super::reading::Verdict;
use super::worker::Worker;
use crate::http2::{error_number, End, Session};
use crate::judgement::counts::Failure;
use crate::protocol::{Comparison, Judgement};
use crate::transport::stream::Stream;

/// HTTP/2 inside TLS, as both sides agree on it (RFC 9113, section 3.2).
pub const ALPN: &[u8] = b"h2";

/// What is said where TLS is agreed on and HTTP/2 is not.
pub(super) const NO_AGREEMENT: &str =
    "the server does not accept HTTP/2 inside TLS (ALPN \"h2\"); leave --http2 out, or let the \
     server accept HTTP/2";

/// What is said where a server goes before HTTP/2 has begun.
pub(super) const NO_SETTINGS: &str =
    "the server closed the connection before HTTP/2 began; perhaps it does not speak HTTP/2 \
     (without TLS: h2c, prior knowledge)";

impl Worker<'_> {
    /// Plain bytes of frames. `done_ns` is when they were read, found once for all of them.
    pub(super) fn take_frames(
        &mut self,
        id: u32,
        bytes: &[u8],
        done_ns: &mut Option<u64>,
    ) -> Verdict {
        let Some(mut session) = self.pool.connections[id as usize].session.take() else {
            return Verdict::Goes;
        };
        let now_ns = *done_ns.get_or_insert_with(|| self.now());
        let mut verdict = match session.receive(bytes) {
            Ok(()) => Verdict::Goes,
            Err(complaint) => {
                self.complain(complaint);
                Verdict::Broken(Failure::Malformed)
            }
        };
        self.end_streams(id, &mut session, now_ns);
        if matches!(verdict, Verdict::Goes) {
            // Window updates and acknowledgements; resets of streams that broke the protocol.
            verdict = self.send_frames(id, &mut session);
            self.end_streams(id, &mut session, now_ns);
        }
        for code in session.take_go_aways() {
            self.stream_counts.go_aways[error_number(code)] += 1;
        }
        let is_ready = session.is_ready();
        let is_going_away = session.is_going_away();
        let width = self.load.pipeline.min(session.streams_allowed());
        let connection = &mut self.pool.connections[id as usize];
        connection.session = Some(session);
        let was_width = std::mem::replace(&mut connection.width, width);
        if matches!(verdict, Verdict::Goes) {
            verdict = self.after_streams(id);
        }
        if !matches!(verdict, Verdict::Goes) {
            return verdict;
        }
        if self.pool.connections[id as usize].state == State::Opening {
            if is_ready {
                self.stream_counts.allowed = self.stream_counts.allowed.min(width as u64);
                self.advance_opening(id);
            }
        } else if was_width != width && !is_going_away {
            self.stream_counts.allowed = self.stream_counts.allowed.min(width as u64);
            self.pool.keep_free(id);
        }
        Verdict::Goes
    }

    /// Complains where a connection ends before HTTP/2 has begun on it.
    pub(super) fn complain_of_no_http2(&mut self, id: u32) {
        let connection = &self.pool.connections[id as usize];
        if connection.session.is_some() && connection.state == State::Opening {
            self.complain(NO_SETTINGS.to_owned());
        }
    }

    /// Sends the frames that a session kept while earlier bytes waited for room in the socket.
    pub(super) fn send_kept_frames(&mut self, id: u32) -> Verdict {
        let Some(mut session) = self.pool.connections[id as usize].session.take() else {
            return Verdict::Goes;
        };
        let mut verdict = self.send_frames(id, &mut session);
        let now_ns = self.now();
        self.end_streams(id, &mut session, now_ns);
        self.pool.connections[id as usize].session = Some(session);
        if matches!(verdict, Verdict::Goes) {
            verdict = self.after_streams(id);
        }
        verdict
    }

    /// Whether a connection goes on whose streams have ended. It does while another is under way.
    fn after_streams(&self, id: u32) -> Verdict {
        let connection = &self.pool.connections[id as usize];
        let session = connection.session.as_ref();
        match connection.flights.is_empty() {
            true if session.is_some_and(Session::is_going_away) => Verdict::Ended,
            true if connection.requests_left == 0 => Verdict::WornOut,
            _ => Verdict::Goes,
        }
    }

    /// Sends what the session has to say, unless earlier bytes wait for room in the socket. The
    /// library limits the frames that it keeps, so a server that asks for acknowledgements and
    /// reads none of them cannot fill the memory.
    fn send_frames(&mut self, id: u32, session: &mut Session) -> Verdict {
        let stream = &self.pool.connections[id as usize].stream;
        if stream.as_ref().is_some_and(Stream::is_sending) {
            return Verdict::Goes;
        }
        self.request.clear();
        let outgoing = session.take_outgoing(&mut self.request);
        self.figures.counts.bytes_sent += self.request.len() as u64;
        if let Some(stream) = &mut self.pool.connections[id as usize].stream {
            if !self.request.is_empty() && stream.send(&self.request).is_err() {
                return Verdict::Broken(Failure::Reset);
            }
        }
        match outgoing {
            Ok(()) => Verdict::Goes,
            Err(complaint) => {
                self.complain(complaint);
                Verdict::Broken(Failure::Malformed)
            }
        }
    }

    /// Ends the requests whose streams have ended.
    fn end_streams(&mut self, id: u32, session: &mut Session, done_ns: u64) {
        while let Some((slot, end)) = session.next_ended() {
            let index = session.exchange(slot).index;
            let connection = &mut self.pool.connections[id as usize];
            let was_full = connection.flights.len() >= connection.width;
            let place = connection.flights.iter().position(|one| one.index == index);
            let Some(flight) = place.and_then(|place| connection.flights.remove(place)) else {
                session.give_back(slot);
                continue;
            };
            match end {
                End::Answered => self.answer(id, &flight, session, slot, done_ns),
                _ => self.end_unanswered(id, &flight, session, end, done_ns),
            }
            session.give_back(slot);
            if was_full {
                let availability = self.availability(&flight, done_ns);
                self.pool.release(id, availability);
            } else {
                self.pool.keep_free(id);
            }
        }
    }

    /// One whole answer.
    fn answer(&mut self, id: u32, flight: &Flight, session: &mut Session, slot: u32, done_ns: u64) {
        self.figures.counts.unstamped += 1;
        let exchange = session.exchange(slot);
        let answer = exchange.answer();
        let expected = self.load.traffic.expectation(flight.index, flight.template);
        let mut judgement = exchange.inspection.finish(expected, &answer);
        let mut comparison = exchange.inspection.comparison(expected, &answer);
        if let Some(call) = exchange.call() {
            let status = call.status();
            self.stream_counts.calls[usize::from(status)] += 1;
            if judgement != Judgement::WrongStatus {
                if status != 0 {
                    judgement = Judgement::FailedCall;
                    comparison = Comparison::Needless;
                } else if let Err(complaint) = call.check() {
                    self.complain(complaint);
                    judgement = Judgement::WrongBody;
                    comparison = Comparison::Needless;
                }
            }
        }
        self.count_answer(id, flight, &answer, (judgement, comparison), done_ns);
    }

    /// A stream that ended without a whole answer.
    fn end_unanswered(
        &mut self,
        id: u32,
        flight: &Flight,
        session: &mut Session,
        end: End,
        done_ns: u64,
    ) {
        self.in_flight -= 1;
        let kind = match end {
            End::Reset(code) => {
                self.stream_counts.resets[error_number(code)] += 1;
                Failure::StreamReset
            }
            End::GoneAway => Failure::GoneAway,
            End::Answered | End::Malformed => {
                let complaint = session.take_complaint();
                self.complain(match complaint {
                    Some(complaint) => format!("HTTP/2: {complaint}"),
                    None => "HTTP/2: an answer breaks the rules of HTTP messages".to_owned(),
                });
                Failure::Malformed
            }
        };
        self.fail(id, flight, kind, done_ns);
    }

    /// Gives up the streams of a connection whose answers take too long; the others go on.
    pub(super) fn abandon_overdue(&mut self, id: u32, now_ns: u64) {
        let overdue = |flight: &Flight| now_ns > flight.sent_ns + self.load.timeout_ns;
        let connection = &mut self.pool.connections[id as usize];
        if !connection.flights.front().is_some_and(overdue) {
            return;
        }
        let Some(session) = &mut connection.session else {
            return;
        };
        let mut given_up = Vec::new();
        while let Some(flight) = connection.flights.front().copied().filter(overdue) {
            connection.flights.pop_front();
            session.abandon(flight.index);
            given_up.push(flight);
        }
        for flight in &given_up {
            self.in_flight -= 1;
            self.fail(id, flight, Failure::TimedOut, now_ns);
        }
        let verdict = self.send_kept_frames(id);
        if let (Some(last), false) = (given_up.last(), matches!(verdict, Verdict::Broken(_))) {
            let availability = self.availability(last, now_ns);
            self.pool.release(id, availability);
        }
        self.conclude(id, verdict);
    }
}
