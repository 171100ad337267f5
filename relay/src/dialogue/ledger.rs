//! The queries of one connection that are under way, in the order of their requests.

use std::collections::VecDeque;

/// One query. Instants are on CLOCK_MONOTONIC; an instant is 0 if the query did not reach
/// it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// The instant at which the last byte of the request arrived from the client.
    pub arrived_ns: u64,
    /// The instant at which the last byte of the request was handed to the kernel, towards
    /// the server.
    pub forwarded_ns: u64,
    /// The instant at which the end of the answer arrived from the server.
    pub answered_ns: u64,
    /// The instant at which the end of the answer was handed to the kernel, towards the
    /// client.
    pub delivered_ns: u64,
    /// The number of bytes of the request.
    pub request_bytes: u64,
    /// The number of bytes of the answer.
    pub answer_bytes: u64,
    /// The server reported that the query failed.
    pub failed: bool,
    /// This is the client's login and not a query.
    pub login: bool,
}

/// A complete request or answer.
#[derive(Clone, Copy, Debug)]
pub struct Whole {
    /// The instant at which the last byte arrived.
    pub arrived_ns: u64,
    /// The offset of the end in the stream.
    pub end: u64,
    /// The number of bytes.
    pub bytes: u64,
}

/// An answer came, but no request was waiting for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unasked;

#[derive(Clone, Copy, Debug)]
struct Open {
    query: Query,
    request_end: u64,
    answer_end: u64,
}

/// The queries under way. First come the answered queries, then the queries that were
/// forwarded to the server, then the queries that are not forwarded yet.
#[derive(Debug, Default)]
pub struct Ledger {
    open: VecDeque<Open>,
    answered: usize,
    forwarded: usize,
}

impl Ledger {
    /// Adds a complete request.
    pub fn ask(&mut self, request: Whole, login: bool) {
        self.open.push_back(Open {
            query: Query {
                arrived_ns: request.arrived_ns,
                request_bytes: request.bytes,
                login,
                ..Query::default()
            },
            request_end: request.end,
            answer_end: 0,
        });
    }

    /// Moves the end of the last request to this end, because the request is longer than it
    /// seemed.
    pub fn extend_last(&mut self, part: Whole) {
        if self.unanswered() == 0 {
            return;
        }
        if let Some(last) = self.open.back_mut() {
            last.request_end = part.end;
            last.query.arrived_ns = part.arrived_ns;
            last.query.request_bytes += part.bytes;
            self.forwarded = self.forwarded.min(self.open.len() - 1);
        }
    }

    /// Adds bytes to the last request without changing its instants.
    pub fn grow_last(&mut self, bytes: u64) {
        if let Some(last) = self.open.back_mut() {
            last.query.request_bytes += bytes;
        }
    }

    /// Merges the first unanswered request and the next request into one.
    pub fn merge_first_two(&mut self) {
        if self.unanswered() < 2 {
            return;
        }
        let Some(first) = self.open.remove(self.answered) else {
            return;
        };
        if self.forwarded > self.answered {
            self.forwarded -= 1;
        }
        if let Some(second) = self.open.get_mut(self.answered) {
            second.query.request_bytes += first.query.request_bytes;
            if second.query.forwarded_ns == 0 {
                // The server has begun to answer, so it has received enough of the request.
                second.query.forwarded_ns = first.query.forwarded_ns;
            }
        }
    }

    /// Removes the last unanswered request, because it turned out to be incomplete. Returns
    /// its bytes so far.
    pub fn take_back_last(&mut self) -> Option<u64> {
        if self.unanswered() == 0 {
            return None;
        }
        let last = self.open.pop_back()?;
        self.forwarded = self.forwarded.min(self.open.len());
        Some(last.query.request_bytes)
    }

    /// The number of requests that wait for their answers.
    pub fn unanswered(&self) -> usize {
        self.open.len() - self.answered
    }

    /// Records that the request stream was sent up to an offset.
    pub fn forwarded(&mut self, left_bytes: u64, now_ns: u64) {
        while let Some(open) = self.open.get_mut(self.forwarded) {
            if open.request_end > left_bytes {
                break;
            }
            // If the answer came before the last byte was sent, the earlier instant remains.
            if open.query.answered_ns == 0 {
                open.query.forwarded_ns = now_ns;
            }
            self.forwarded += 1;
        }
    }

    /// Whether the first unanswered request has been forwarded, so that an answer can
    /// belong to it.
    pub fn expects_answer(&self) -> bool {
        self.open
            .get(self.answered)
            .is_some_and(|open| open.query.forwarded_ns != 0)
    }

    /// Records that the answer to the first unanswered request is complete.
    ///
    /// # Errors
    /// [`Unasked`] if no forwarded request is waiting for an answer.
    pub fn answer(&mut self, answer: Whole, failed: bool) -> Result<(), Unasked> {
        if !self.expects_answer() {
            return Err(Unasked);
        }
        let open = self.open.get_mut(self.answered).ok_or(Unasked)?;
        open.query.answered_ns = answer.arrived_ns;
        open.query.answer_bytes = answer.bytes;
        open.query.failed = failed;
        open.answer_end = answer.end;
        self.answered += 1;
        Ok(())
    }

    /// Records that the answer stream was sent up to an offset. Returns the next query that
    /// has ended by this, or `None` if there is no further query.
    pub fn delivered(&mut self, left_bytes: u64, now_ns: u64) -> Option<Query> {
        let open = self.open.front()?;
        if self.answered == 0 || open.answer_end > left_bytes {
            return None;
        }
        let query = Query {
            delivered_ns: now_ns,
            ..open.query
        };
        self.open.pop_front();
        self.answered -= 1;
        self.forwarded = self.forwarded.saturating_sub(1);
        Some(query)
    }

    /// Removes the requests that have no answer.
    pub fn abandon_unanswered(&mut self) -> impl Iterator<Item = Query> + '_ {
        self.forwarded = self.forwarded.min(self.answered);
        self.open.drain(self.answered..).map(|open| open.query)
    }

    /// Removes all queries under way.
    pub fn abandon(&mut self) -> impl Iterator<Item = Query> + '_ {
        (self.answered, self.forwarded) = (0, 0);
        self.open.drain(..).map(|open| open.query)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(arrived_ns: u64, end: u64) -> Whole {
        Whole {
            arrived_ns,
            end,
            bytes: 10,
        }
    }

    #[test]
    fn pipelined_queries_keep_their_own_instants() {
        let mut ledger = Ledger::default();
        ledger.ask(whole(1, 10), false);
        ledger.ask(whole(2, 20), false);
        assert_eq!(ledger.answer(whole(3, 5), false), Err(Unasked));
        ledger.forwarded(15, 4);
        ledger.forwarded(20, 5);
        ledger.answer(whole(6, 7), true).unwrap();
        ledger.answer(whole(8, 9), false).unwrap();
        assert_eq!(ledger.answer(whole(9, 12), false), Err(Unasked));
        assert_eq!(ledger.delivered(6, 9), None);
        let first = ledger.delivered(9, 10).unwrap();
        assert_eq!(
            (first.arrived_ns, first.forwarded_ns, first.answered_ns),
            (1, 4, 6)
        );
        assert!(first.failed && first.delivered_ns == 10);
        let second = ledger.delivered(9, 11).unwrap();
        assert_eq!((second.forwarded_ns, second.answered_ns), (5, 8));
        assert_eq!(ledger.delivered(99, 12), None);
    }

    #[test]
    fn a_request_that_grew_counts_from_its_last_byte() {
        let mut ledger = Ledger::default();
        ledger.ask(whole(1, 10), false);
        ledger.forwarded(10, 2);
        ledger.extend_last(whole(5, 30));
        ledger.forwarded(30, 6);
        ledger.answer(whole(7, 1), false).unwrap();
        let query = ledger.delivered(1, 8).unwrap();
        assert_eq!(
            (query.arrived_ns, query.forwarded_ns, query.request_bytes),
            (5, 6, 20)
        );
    }

    #[test]
    fn two_that_are_one_are_answered_once() {
        let mut ledger = Ledger::default();
        for (arrived_ns, end) in [(1, 10), (2, 20), (3, 30)] {
            ledger.ask(whole(arrived_ns, end), false);
        }
        ledger.forwarded(10, 4);
        ledger.merge_first_two();
        assert_eq!((ledger.unanswered(), ledger.expects_answer()), (2, true));
        ledger.forwarded(20, 5);
        ledger.answer(whole(6, 1), false).unwrap();
        let query = ledger.delivered(1, 7).unwrap();
        assert_eq!(
            (query.arrived_ns, query.forwarded_ns, query.request_bytes),
            (2, 5, 20)
        );
        assert!(!ledger.expects_answer());
    }

    #[test]
    fn what_is_left_can_be_given_up() {
        let mut ledger = Ledger::default();
        ledger.ask(whole(1, 10), false);
        ledger.ask(whole(2, 20), false);
        ledger.forwarded(20, 3);
        ledger.answer(whole(4, 1), false).unwrap();
        assert_eq!(ledger.abandon_unanswered().count(), 1);
        ledger.ask(whole(5, 30), false);
        assert!(!ledger.expects_answer());
        assert_eq!(ledger.take_back_last(), Some(10));
        assert_eq!(ledger.abandon().count(), 1);
        assert_eq!((ledger.unanswered(), ledger.take_back_last()), (0, None));
    }
}
