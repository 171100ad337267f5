//! Sends due requests on free connections.

use std::io;

use super::connection::Flight;
use super::load::{Discipline, Load};
use super::opening::TOGETHER;
use super::punctual_send::PunctualSend;
use super::worker::{template_bit, Source, Worker};
use crate::judgement::counts::Failure;
use crate::recording::figures::Phase;
use crate::recording::records::{Record, FIRST_FAILURE, NO_CONNECTION};
use crate::schedule::Arrival;

/// The number of connections that are opened again before the next look for due requests. A
/// request that becomes due meanwhile waits for them.
pub(super) const IN_ONE_GO: usize = 8;

impl Worker<'_> {
    /// Sends due requests. After that, it opens the places whose pause is over, and sends
    /// the requests that waited for a place.
    #[inline]
    pub(super) fn send_due(&mut self) {
        self.send_on_free();
        if self.reopen_due() && self.pool.has_free() {
            self.send_on_free();
        }
    }

    /// Sends due requests as long as connections are free. If none is free, there is a
    /// backlog: answers are then read as they come, and each may free a connection.
    #[inline]
    fn send_on_free(&mut self) {
        let mut now_ns = self.now();
        let watched_since_ns = self.backlog_since_ns;
        loop {
            if !self.is_due(now_ns) {
                self.set_backlog(None);
                return;
            }
            let Some(id) = self.pool.take_free() else {
                self.set_backlog(watched_since_ns.or(Some(now_ns)));
                if self.grow(now_ns) {
                    continue;
                }
                return;
            };
            // Within a read this is called again once the event is dealt with.
            self.backlog_since_ns = None;
            now_ns = self.send_on(id, now_ns, watched_since_ns);
        }
    }

    /// Notes since when requests are due and no connection is known to be free, and tells the
    /// other threads whether there is a backlog here.
    #[inline]
    pub(super) fn set_backlog(&mut self, since_ns: Option<u64>) {
        self.backlog_since_ns = since_ns;
        if let Source::Schedule(share) = &mut self.source {
            share.starve(since_ns.is_some());
        }
    }

    /// Whether a request is due. A closed loop is over when its time is.
    #[inline]
    fn is_due(&mut self, now_ns: u64) -> bool {
        match &mut self.source {
            Source::Schedule(share) => share
                .first()
                .is_some_and(|first| first.intended_ns <= now_ns),
            Source::ClosedLoop {
                next_index,
                end_index,
                end_ns,
                ..
            } => {
                if now_ns >= *end_ns {
                    *end_index = 0;
                }
                next_index < end_index
            }
        }
    }

    /// The next due request, taken from the source.
    #[inline]
    pub(super) fn take_due(&mut self, now_ns: u64) -> Option<Arrival> {
        match &mut self.source {
            Source::Schedule(share) => share.take_due(now_ns),
            Source::ClosedLoop {
                next_index,
                step,
                end_index,
                ..
            } => {
                if *next_index >= *end_index {
                    return None;
                }
                let index = *next_index;
                *next_index += *step;
                Some(Arrival {
                    index,
                    intended_ns: now_ns,
                })
            }
        }
    }

    /// Sends on one connection: a request or, in a closed loop, as many requests as the
    /// connection takes, in one piece. Returns the time after sending.
    #[inline]
    fn send_on(&mut self, id: u32, now_ns: u64, watched_since_ns: Option<u64>) -> u64 {
        let open = matches!(self.load.discipline, Discipline::Open(_));
        self.request.clear();
        let connection = &self.pool.connections[id as usize];
        let room = (connection.width - connection.flights.len()) as u64;
        let most = if open {
            1
        } else {
            room.min(connection.requests_left)
        };
        let mut count = 0;
        while count < most {
            let Some(arrival) = self.take_due(now_ns) else {
                break;
            };
            self.put_in_flight(id, arrival, now_ns, watched_since_ns);
            count += 1;
        }
        if count == 0 {
            // Another thread was faster: the place stays free.
            self.pool.keep_free(id);
            return now_ns;
        }
        if let Some(session) = &mut self.pool.connections[id as usize].session {
            if let Err(complaint) = session.take_outgoing(&mut self.request) {
                self.complain(complaint);
                self.lose(id, Failure::Malformed, now_ns);
                return self.now();
            }
        }
        self.figures.counts.bytes_sent += self.request.len() as u64;
        self.last_sent_ns = now_ns;
        let sent = match &mut self.pool.connections[id as usize].stream {
            Some(stream) => {
                let sent = stream.send(&self.request);
                // While the worker slept, the rest would wait for it, and the server be blamed.
                self.at_once |= stream.is_sending();
                sent
            }
            None => Err(io::ErrorKind::NotConnected.into()),
        };
        if sent.is_err() {
            // What the server may have said before it went is read first.
            self.read(id, true);
            if self.pool.connections[id as usize].stream.is_some() {
                self.lose(id, Failure::Reset, now_ns);
            }
            return self.now();
        }
        let sent_ns = self.now();
        if let Some(flight) = self.pool.connections[id as usize].flights.back_mut() {
            flight.note_return(sent_ns);
        }
        if self.load.pipeline > 1 {
            self.pool.keep_free(id);
        }
        sent_ns
    }

    /// Writes one request and notes it as in flight.
    #[inline]
    fn put_in_flight(
        &mut self,
        id: u32,
        arrival: Arrival,
        now_ns: u64,
        watched_since_ns: Option<u64>,
    ) {
        let load = self.load;
        let checked =
            load.check_share >= 1.0 || self.checks.open_unit(arrival.index) < load.check_share;
        let encoded = match &mut self.pool.connections[id as usize].session {
            None => load.traffic.encode(arrival.index, &mut self.request),
            Some(session) => {
                let encoded = load
                    .traffic
                    .encode_message(arrival.index, &mut self.message);
                let expected = load.traffic.expectation(arrival.index, encoded.template);
                session.request(arrival.index, &mut self.message, expected, checked);
                encoded
            }
        };
        if let Some(target) = self.target_of(id) {
            target.counts.sent += 1;
        }
        let counts = self.figures.counts_of(phase(load, arrival.intended_ns));
        counts.scheduled += 1;
        counts.sent += 1;
        let connection = &mut self.pool.connections[id as usize];
        let PunctualSend { free_ns, behind_ns } =
            connection
                .availability
                .punctual_send(arrival.intended_ns, now_ns, watched_since_ns);
        connection.requests_left -= 1;
        self.asked |= template_bit(encoded.template);
        connection.flights.push_back(Flight {
            index: arrival.index,
            intended_ns: arrival.intended_ns,
            free_ns,
            behind_ns,
            sent_ns: now_ns,
            template: encoded.template,
            head: encoded.head,
            checked,
        });
        self.in_flight += 1;
        if load.is_open() && now_ns > self.grace_until_ns {
            if free_ns <= self.horizon_ns {
                counts.late_by_generator += 1;
            } else {
                counts.late_by_server += 1;
            }
        }
    }

    /// Opens the places whose pause is over. Returns whether there was such a place.
    #[inline]
    pub(super) fn reopen_due(&mut self) -> bool {
        if self.pool.next_retry_ns().is_none() {
            return false;
        }
        let now_ns = self.now();
        // No request is due before the start, but a listener's queue may be short.
        let most = if self.begun {
            IN_ONE_GO
        } else {
            TOGETHER.saturating_sub(self.pool.opening)
        };
        let mut opened = false;
        for _ in 0..most {
            let Some(id) = self.pool.due_retry(now_ns) else {
                break;
            };
            self.open(id, now_ns);
            opened = true;
        }
        opened
    }

    /// Fails a request for which no connection could be opened.
    pub(super) fn fail_unsent(&mut self, arrival: Arrival, now_ns: u64, kind: Failure) {
        let phase = phase(self.load, arrival.intended_ns);
        self.figures.counts_of(phase).scheduled += 1;
        let waited_ns = now_ns.saturating_sub(arrival.intended_ns);
        self.figures.record_unsent(phase, waited_ns, kind);
        if self.load.records {
            self.figures.records.push(Record {
                index: arrival.index,
                intended_ns: arrival.intended_ns,
                done_ns: now_ns,
                connection: NO_CONNECTION,
                kind: FIRST_FAILURE + kind as u8,
                phase: phase as u8,
                thread: self.number,
                ..Record::default()
            });
        }
    }
}

/// The phase to which a request belongs.
#[inline]
pub(super) fn phase(load: &Load, intended_ns: u64) -> Phase {
    if intended_ns < load.warmup_ns {
        Phase::Warmup
    } else {
        Phase::Measured
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{large_body, with_request};
    use crate::transport::stream::Stream;

    #[test]
    fn no_sleep_holds_up_a_request_that_did_not_fit() {
        let body = large_body();
        let options = ["--body-file", body.path().to_str().unwrap()];
        with_request(&options, b"", |worker, _peer| {
            let stream = worker.pool.connections[0].stream.as_ref();
            assert!(stream.is_some_and(Stream::is_sending));
            assert!(worker.at_once);
        });
    }
}
