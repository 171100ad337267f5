//! The queries of one connection that are under way, in the order in which they were asked.

use std::collections::VecDeque;

/// One query. Instants are on CLOCK_MONOTONIC; 0 where it did not come so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// When its last byte arrived from the client.
    pub arrived_ns: u64,
    /// When its last byte was handed to the kernel towards the server.
    pub forwarded_ns: u64,
    /// When the end of its answer arrived from the server.
    pub answered_ns: u64,
    /// When that was handed to the kernel towards the client.
    pub delivered_ns: u64,
    /// Bytes of the request.
    pub request_bytes: u64,
    /// Bytes of the answer.
    pub answer_bytes: u64,
    /// The server said that it failed.
    pub failed: bool,
    /// It is the client's introduction, not a query.
    pub login: bool,
}

/// A request, or its answer, once its last byte is here.
#[derive(Clone, Copy, Debug)]
pub struct Whole {
    /// When that was.
    pub arrived_ns: u64,
    /// Where it ends in its stream.
    pub end: u64,
    /// How many bytes it has.
    pub bytes: u64,
}

/// An answer came that nobody had asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unasked;

#[derive(Clone, Copy, Debug)]
struct Open {
    query: Query,
    request_end: u64,
    answer_end: u64,
}

/// Queries under way: first the answered ones, then those on their way to the server or
/// with it, then those that are not forwarded yet.
#[derive(Debug, Default)]
pub struct Ledger {
    open: VecDeque<Open>,
    answered: usize,
    forwarded: usize,
}

impl Ledger {
    /// A request is whole.
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

    /// The last request is longer than it seemed: this belongs to it, and ends it.
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

    /// The last request has further bytes that do not change its instants.
    pub fn grow_last(&mut self, bytes: u64) {
        if let Some(last) = self.open.back_mut() {
            last.query.request_bytes += bytes;
        }
    }

    /// The first unanswered request and the one after it are one.
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
                // The server has begun to answer, so that enough of it is there.
                second.query.forwarded_ns = first.query.forwarded_ns;
            }
        }
    }

    /// The last unanswered request is not whole after all; gives the bytes it has so far.
    pub fn take_back_last(&mut self) -> Option<u64> {
        if self.unanswered() == 0 {
            return None;
        }
        let last = self.open.pop_back()?;
        self.forwarded = self.forwarded.min(self.open.len());
        Some(last.query.request_bytes)
    }

    /// Requests that are waiting for their answers.
    pub fn unanswered(&self) -> usize {
        self.open.len() - self.answered
    }

    /// The request stream has left the relay up to an offset.
    pub fn forwarded(&mut self, left_bytes: u64, now_ns: u64) {
        while let Some(open) = self.open.get_mut(self.forwarded) {
            if open.request_end > left_bytes {
                break;
            }
            // One that was answered before its last byte went keeps what the answer counts from.
            if open.query.answered_ns == 0 {
                open.query.forwarded_ns = now_ns;
            }
            self.forwarded += 1;
        }
    }

    /// Whether the first unanswered request has been forwarded, so that an answer can be to it.
    pub fn expects_answer(&self) -> bool {
        self.open
            .get(self.answered)
            .is_some_and(|open| open.query.forwarded_ns != 0)
    }

    /// The answer to the first unanswered request is whole.
    ///
    /// # Errors
    /// [`Unasked`] where no request was forwarded that it could be to.
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

    /// The answer stream has left the relay up to an offset; gives the next query that is
    /// over by that, and `None` when there is no further one.
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

    /// Gives up on the requests without an answer.
    pub fn abandon_unanswered(&mut self) -> impl Iterator<Item = Query> + '_ {
        self.forwarded = self.forwarded.min(self.answered);
        self.open.drain(self.answered..).map(|open| open.query)
    }

    /// Gives up on everything under way.
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
