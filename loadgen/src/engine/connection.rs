//! One connection: its stream, its requests in flight, and the state of the answer that is
//! being read.

use std::collections::VecDeque;

use super::punctual_send::{Availability, ABSENCE_NS};
use crate::http2::Session;
use crate::protocol::{Inspection, Parser};
use crate::transport::stream::Stream;
use runfair_measuring::kernel::tcp_losses::Losses;

/// A request that was sent and whose answer is not complete yet.
#[derive(Clone, Copy, Debug)]
pub struct Flight {
    /// The number of the request in the schedule.
    pub index: u64,
    /// The intended instant, in ns since the start.
    pub intended_ns: u64,
    /// The instant at which a connection was free for the request, or would have been if
    /// the generator were punctual.
    pub free_ns: u64,
    /// The time by which the connection is behind a punctual generator's
    /// ([`super::punctual_send`]), in ns.
    pub behind_ns: u64,
    /// The instant at which the request was handed to the kernel.
    pub sent_ns: u64,
    /// The template from which the request was made.
    pub template: u32,
    /// The request was a HEAD, so its answer has no body.
    pub head: bool,
    /// The body of the answer is checked.
    pub checked: bool,
}

impl Flight {
    /// Records the instant at which the call that sent the request returned. If the
    /// generator was stopped during the call, it delayed the answer and all requests that
    /// wait behind this request.
    #[inline]
    pub fn note_return(&mut self, back_ns: u64) {
        let took_ns = back_ns.saturating_sub(self.sent_ns);
        if took_ns > ABSENCE_NS {
            self.behind_ns += took_ns;
        }
    }
}

/// The state of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The connection is closed. It will be opened again at an instant that the pool knows.
    Closed,
    /// The socket is not established yet, or the TLS handshake is not complete.
    Opening,
    /// The connection can carry requests.
    Open,
}

/// A place for one connection. When the connection is lost, another connection takes the
/// place.
pub struct Connection {
    /// The server of the connection, as an index.
    pub target: usize,
    /// The stream, unless closed.
    pub stream: Option<Stream>,
    /// The streams inside it, where HTTP/2 is spoken.
    pub session: Option<Session>,
    /// Where it is in its life.
    pub state: State,
    /// Counts the streams of this place, so that late events of an old stream are
    /// recognised.
    pub generation: u32,
    /// Set if bytes of this stream are left for the next turn (`super::unread`); the
    /// value says whether to read to the stream's end.
    pub left_unread: Option<bool>,
    /// Requests in flight, in the order in which they were sent.
    pub flights: VecDeque<Flight>,
    /// Requests that may be in flight together: of HTTP/2 no more than the server takes.
    pub width: usize,
    /// Segments lost of this stream, when they were looked at last.
    pub losses: Losses,
    /// The number of requests that the connection may still carry before it is replaced.
    pub requests_left: u64,
    /// The connection was closed because it has carried its requests. The next connection
    /// takes its place.
    pub worn_out: bool,
    /// When the stream began to open, ns since the start; `None` if it began while the start was
    /// awaited, because such an opening is no part of the run.
    pub began_ns: Option<u64>,
    /// When its socket was there, ns since the start; `None` while the socket is not there.
    pub established_ns: Option<u64>,
    /// The instant from which another request may be sent.
    pub availability: Availability,
    /// The instant at which the connection last began to open, in ns since the start.
    pub opening_ns: u64,
    /// The place is in the pool's list of free places.
    pub listed: bool,
    /// The number of failed attempts to connect since the last good answer. They lengthen
    /// the pause before the next attempt.
    pub attempts: u32,
    /// The parser of the answers.
    pub parser: Parser,
    /// The checks of the answer that is being read.
    pub inspection: Inspection,
}

impl Connection {
    /// An empty place. Memory for `pipeline` requests in flight is reserved now.
    pub fn new(target: usize, parser: Parser, pipeline: usize) -> Self {
        Self {
            target,
            stream: None,
            session: None,
            state: State::Closed,
            generation: 0,
            left_unread: None,
            flights: VecDeque::with_capacity(pipeline),
            width: pipeline,
            losses: Losses::default(),
            requests_left: 0,
            worn_out: false,
            began_ns: None,
            established_ns: None,
            availability: Availability::default(),
            opening_ns: 0,
            listed: false,
            attempts: 0,
            parser,
            inspection: Inspection::default(),
        }
    }

    /// Whether the connection can take a request now.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.state == State::Open
            && self.flights.len() < self.width
            && self.requests_left > 0
            && !self.stream.as_ref().is_some_and(Stream::is_sending)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    /// When the next request, meant for 10 ms, was free to go: the one before was sent at
    /// 5 ms by a call that was back at `back_ns`, and answered at `done_ns`.
    fn next_free_ns(back_ns: u64, done_ns: u64) -> u64 {
        let mut flight = Flight {
            index: 0,
            intended_ns: 5 * MS,
            free_ns: 5 * MS,
            behind_ns: 0,
            sent_ns: 5 * MS,
            template: 0,
            head: false,
            checked: false,
        };
        flight.note_return(back_ns);
        let availability = Availability {
            free_ns: done_ns,
            behind_ns: flight.behind_ns,
        };
        availability
            .punctual_send(10 * MS, done_ns, Some(10 * MS))
            .free_ns
    }

    #[test]
    fn a_generator_stopped_while_it_sends_is_to_blame_for_what_waits_behind() {
        assert_eq!(next_free_ns(300 * MS, 301 * MS), 10 * MS);
    }

    #[test]
    fn a_server_that_takes_its_time_is_to_blame_itself() {
        assert_eq!(next_free_ns(5 * MS + 100_000, 301 * MS), 301 * MS);
    }
}
