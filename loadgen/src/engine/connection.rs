//! One connection: its stream, what is in flight on it, and how far its answer is.

use std::collections::VecDeque;

use super::punctual_send::{Availability, ABSENCE_NS};
use crate::http2::Session;
use crate::kernel::tcp_losses::Losses;
use crate::protocol::{Inspection, Parser};
use crate::transport::stream::Stream;

/// A request that was sent and has no whole answer yet.
#[derive(Clone, Copy, Debug)]
pub struct Flight {
    /// Its number in the schedule.
    pub index: u64,
    /// When it was meant to go, ns since the start.
    pub intended_ns: u64,
    /// When a connection was free for it, or would have been by a punctual generator.
    pub free_ns: u64,
    /// How far the connection is behind meanwhile ([`super::turn`]), ns.
    pub behind_ns: u64,
    /// When it was handed to the kernel.
    pub sent_ns: u64,
    /// Which template made it.
    pub template: u32,
    /// It was a HEAD: its answer has no body.
    pub head: bool,
    /// Its answer's body is tested.
    pub checked: bool,
}

impl Flight {
    /// The call that sent it was back at this instant. Stopped within it, the generator
    /// held up the answer and all that waits behind it.
    #[inline]
    pub fn note_return(&mut self, back_ns: u64) {
        let took_ns = back_ns.saturating_sub(self.sent_ns);
        if took_ns > ABSENCE_NS {
            self.behind_ns += took_ns;
        }
    }
}

/// Where a connection is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Not there: to be opened again at an instant that the pool knows.
    Closed,
    /// The socket is not established yet, or TLS has not agreed yet.
    Opening,
    /// It carries requests.
    Open,
}

/// A place for one connection; the connection itself may change.
pub struct Connection {
    /// Which of the run's servers it goes to.
    pub target: usize,
    /// The stream, unless closed.
    pub stream: Option<Stream>,
    /// The streams inside it, where HTTP/2 is spoken.
    pub session: Option<Session>,
    /// Where it is in its life.
    pub state: State,
    /// Counts the streams of this place, so that late events of an old one are known.
    pub generation: u32,
    /// Bytes of this stream are left for the next turn ([`super::unread`]); `true` in it: to its
    /// end.
    pub left_unread: Option<bool>,
    /// Requests in flight, in the order in which they were sent.
    pub flights: VecDeque<Flight>,
    /// Requests that may be in flight together: of HTTP/2 no more than the server takes.
    pub width: usize,
    /// Segments lost of this stream, when they were looked at last.
    pub losses: Losses,
    /// Requests that it may still carry before it is replaced.
    pub requests_left: u64,
    /// It is closed because it has carried its requests; the next one takes its place.
    pub worn_out: bool,
    /// When the stream began to open, and when its socket was there, ns since the start.
    pub began_ns: u64,
    /// See `began_ns`; `None` while the socket is not there.
    pub established_ns: Option<u64>,
    /// Since when another request may go.
    pub availability: Availability,
    /// When it began to open last, ns since the start.
    pub opening_ns: u64,
    /// It stands in the pool's list of free ones.
    pub listed: bool,
    /// Attempts since a good answer that came to nothing, which lengthen the pause
    /// before the next.
    pub attempts: u32,
    /// Reads the answers.
    pub parser: Parser,
    /// Judges the answer that is being read.
    pub inspection: Inspection,
}

impl Connection {
    /// An empty place; room for `pipeline` requests in flight is taken now.
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
            began_ns: 0,
            established_ns: None,
            availability: Availability::default(),
            opening_ns: 0,
            listed: false,
            attempts: 0,
            parser,
            inspection: Inspection::new(),
        }
    }

    /// Whether it can take a request now.
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
