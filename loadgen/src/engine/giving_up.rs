//! Ends waits that are too long: for answers, for connections, and for the end of the run.

use super::connection::State;
use super::worker::{Source, Worker};
use crate::judgement::counts::Failure;

/// The time for which an open loop waits for the answers under way after Ctrl-C, in ns. A
/// closed loop waits until they time out: it may have been ended as planned, and a slow answer
/// is then no failure.
const PATIENCE_NS: u64 = 1_000_000_000;

impl Worker<'_> {
    /// Sends no more requests. Requests in flight may still be answered.
    pub(super) fn stop(&mut self, now_ns: u64) {
        self.stopped_ns = Some(now_ns);
        if self.load.is_open() {
            self.patience_until_ns = now_ns + PATIENCE_NS;
            self.cut_off += self.give_up_due(now_ns);
        }
        self.send_no_more();
    }

    fn send_no_more(&mut self) {
        match &mut self.source {
            Source::Schedule(share) => share.end(),
            Source::ClosedLoop { end_index, .. } => *end_index = 0,
        }
        self.backlog_since_ns = None;
    }

    /// Stops waiting for answers and for attempts to connect that take too long.
    pub(super) fn give_up_overdue(&mut self, now_ns: u64) {
        let load = self.load;
        for id in 0..self.pool.connections.len() {
            if self.pool.connections[id].session.is_some() && now_ns <= self.patience_until_ns {
                self.abandon_overdue(id as u32, now_ns);
            }
            let connection = &self.pool.connections[id];
            let late = match connection.flights.front() {
                Some(flight) => {
                    now_ns > flight.sent_ns + load.timeout_ns || now_ns > self.patience_until_ns
                }
                None => {
                    connection.state == State::Opening
                        && now_ns > connection.opening_ns + load.connect_timeout_ns
                }
            };
            if late {
                if now_ns > self.patience_until_ns {
                    self.cut_off += connection.flights.len() as u64;
                }
                self.lose(id as u32, Failure::TimedOut, now_ns);
            }
        }
    }

    /// Fails requests that found no connection until long after the schedule's end.
    pub(super) fn give_up_unsent(&mut self, now_ns: u64) {
        let Some(deadline_ns) = self.horizon_ns.checked_add(self.load.timeout_ns) else {
            return;
        };
        if !self.load.is_open() || now_ns < deadline_ns {
            return;
        }
        self.give_up_due(now_ns);
        self.set_backlog(None);
    }

    /// Fails the requests that are due, and returns their number.
    fn give_up_due(&mut self, now_ns: u64) -> u64 {
        let kind = if self.no_socket {
            Failure::NoSocket
        } else {
            Failure::Unsent
        };
        let mut given_up = 0;
        while let Some(arrival) = self.take_due(now_ns) {
            self.fail_unsent(arrival, now_ns, kind);
            given_up += 1;
        }
        given_up
    }

    /// Ends a closed loop with a fixed number of requests if the server is dead. With every
    /// attempt only one request fails, so a million requests would take hours. A living
    /// server answers within the two time-outs.
    pub(super) fn give_up_unanswered(&mut self, now_ns: u64) {
        let load = self.load;
        let patience_ns = load.timeout_ns.saturating_add(load.connect_timeout_ns);
        if load.horizon_ns().is_none()
            && self.has_more()
            && now_ns.saturating_sub(self.answered_ns) > patience_ns
        {
            self.given_up = true;
            self.send_no_more();
        }
    }
}
