//! How requests end: what an answer is worth, what is counted and recorded of it.

use super::connection::Flight;
use super::punctual_send::Availability;
use super::reading::Verdict;
use super::sending::phase;
use super::worker::{template_bit, Worker};
use crate::judgement::counts::Failure;
use crate::protocol::{Answer, Comparison, Judgement, Status};
use crate::recording::records::{Record, FIRST_FAILURE, GOOD, MISS};
use crate::transport::stream::Stream;

impl Worker<'_> {
    /// One whole answer, and whether its connection goes on.
    #[inline]
    pub(super) fn finish(&mut self, id: u32, answer: &Answer, done_ns: u64) -> Verdict {
        let connection = &mut self.pool.connections[id as usize];
        let Some(flight) = connection.flights.pop_front() else {
            return Verdict::Ended;
        };
        let was_full = connection.flights.len() + 1 == connection.width;
        let expected = self.load.traffic.expectation(flight.index, flight.template);
        let judgement = connection.inspection.finish(expected, answer);
        let comparison = connection.inspection.comparison(expected, answer);
        self.count_answer(id, &flight, answer, (judgement, comparison), done_ns);
        let availability = self.availability(&flight, done_ns);
        let connection = &mut self.pool.connections[id as usize];
        // What is still being sent is this request, unless others follow it.
        let sending = connection.flights.is_empty()
            && connection.stream.as_ref().is_some_and(Stream::is_sending);
        if !answer.reusable || sending {
            connection.availability = availability;
            return Verdict::Ended;
        }
        if connection.requests_left == 0 && connection.flights.is_empty() {
            connection.availability = availability;
            return Verdict::WornOut;
        }
        if was_full {
            self.pool.release(id, availability);
        } else {
            self.pool.keep_free(id);
        }
        Verdict::Goes
    }

    /// When a connection is free again whose request has ended.
    #[inline]
    pub(super) fn availability(&self, flight: &Flight, done_ns: u64) -> Availability {
        Availability {
            free_ns: done_ns,
            behind_ns: flight.behind_ns + self.away_ns.min(done_ns - flight.sent_ns),
        }
    }

    /// Counts and records a whole answer by what it is worth, and the comparison of its body.
    #[inline]
    pub(super) fn count_answer(
        &mut self,
        id: u32,
        flight: &Flight,
        answer: &Answer,
        (judgement, comparison): (Judgement, Comparison),
        done_ns: u64,
    ) {
        self.in_flight -= 1;
        self.answered_ns = done_ns;
        self.met |= template_bit(flight.template);
        if let Status::Http(code) = answer.status {
            self.statuses[usize::from(code) % 1000] += 1;
        }
        let timed_out = done_ns - flight.sent_ns > self.load.timeout_ns;
        if !timed_out {
            self.count_body(flight, judgement, comparison);
        }
        match judgement {
            _ if timed_out => {
                self.fail_answered(id, flight, Failure::TimedOut, answer, done_ns);
            }
            Judgement::Good | Judgement::Miss => {
                self.pool.connections[id as usize].attempts = 0;
                self.succeed(id, flight, answer, judgement, done_ns);
            }
            Judgement::WrongStatus => {
                self.complain_of_reply(id);
                self.fail_answered(id, flight, Failure::WrongStatus, answer, done_ns);
            }
            Judgement::WrongBody => {
                self.fail_answered(id, flight, Failure::WrongBody, answer, done_ns);
            }
            Judgement::FailedCall => {
                self.fail_answered(id, flight, Failure::GrpcStatus, answer, done_ns);
            }
        }
        // A whole answer undoes one attempt, and no more: it may be a greeting that met
        // a request by chance, of a server that will not answer any.
        let connection = &mut self.pool.connections[id as usize];
        connection.attempts = connection.attempts.saturating_sub(1);
    }

    /// Counts a body that alone decides whether its answer is good. Such bodies are a sample of
    /// one another. If none is to be compared, nothing is known of them, and none is counted.
    #[inline]
    fn count_body(&mut self, flight: &Flight, judgement: Judgement, comparison: Comparison) {
        if comparison == Comparison::Needless || self.load.check_share == 0.0 {
            return;
        }
        let phase = phase(self.load, flight.intended_ns);
        let counts = self.figures.counts_of(phase);
        counts.checkable += 1;
        if comparison == Comparison::Made {
            counts.checked += 1;
            counts.wrong_of_checked += u64::from(judgement == Judgement::WrongBody);
        }
    }

    fn complain_of_reply(&mut self, id: u32) {
        if self.complaint.is_none() {
            let text = self.pool.connections[id as usize]
                .parser
                .error_text()
                .into_owned();
            if !text.is_empty() {
                self.complain(text);
            }
        }
    }

    #[inline]
    fn succeed(
        &mut self,
        id: u32,
        flight: &Flight,
        answer: &Answer,
        judgement: Judgement,
        done_ns: u64,
    ) {
        let phase = phase(self.load, flight.intended_ns);
        let miss = judgement == Judgement::Miss;
        let record = Record {
            kind: if miss { MISS } else { GOOD },
            answer_bytes: answer.body_bytes,
            status: status(answer),
            ..self.record(id, flight, done_ns)
        };
        self.figures.record(phase, &record);
        if let Some(target) = self.target_of(id) {
            target.counts.good += 1;
            let latency_ns = done_ns - flight.intended_ns;
            target.latency.saturating_record(latency_ns);
        }
        self.figures.counts_of(phase).misses += u64::from(miss);
        if self.load.records {
            self.figures.records.push(record);
        }
    }

    /// A request that was sent and got no whole answer.
    pub(super) fn fail(&mut self, id: u32, flight: &Flight, kind: Failure, now_ns: u64) {
        self.record_failure(flight, kind, self.record(id, flight, now_ns));
    }

    /// A request whose answer was whole and not good.
    fn fail_answered(
        &mut self,
        id: u32,
        flight: &Flight,
        kind: Failure,
        answer: &Answer,
        done_ns: u64,
    ) {
        let record = Record {
            answer_bytes: answer.body_bytes,
            status: status(answer),
            ..self.record(id, flight, done_ns)
        };
        self.record_failure(flight, kind, record);
    }

    fn record_failure(&mut self, flight: &Flight, kind: Failure, record: Record) {
        let phase = phase(self.load, flight.intended_ns);
        self.figures.record_failure(phase, &record, kind);
        if let Some(target) = self.target_of(record.connection) {
            target.counts.failures[kind as usize] += 1;
            if kind == Failure::TimedOut {
                let waited_ns = record.done_ns - record.intended_ns;
                target.given_up.saturating_record(waited_ns);
            }
        }
        if self.load.records {
            self.figures.records.push(Record {
                kind: FIRST_FAILURE + kind as u8,
                ..record
            });
        }
    }

    fn record(&self, id: u32, flight: &Flight, done_ns: u64) -> Record {
        Record {
            index: flight.index,
            intended_ns: flight.intended_ns,
            free_ns: flight.free_ns,
            sent_ns: flight.sent_ns,
            done_ns,
            connection: id,
            template: flight.template,
            phase: phase(self.load, flight.intended_ns) as u8,
            thread: self.number,
            ..Record::default()
        }
    }
}

fn status(answer: &Answer) -> u16 {
    match answer.status {
        Status::Http(code) => code,
        Status::Reply(_) => 0,
    }
}
