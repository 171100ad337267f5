//! One connection: its stream, what is in flight on it, and how far its answer is.

use std::collections::VecDeque;

use crate::protocol::{Inspection, Parser};
use crate::transport::stream::Stream;

/// A request that was sent and has no whole answer yet.
#[derive(Clone, Copy, Debug)]
pub struct Flight {
    /// Its number in the schedule.
    pub index: u64,
    /// When it was meant to go, ns since the start.
    pub intended_ns: u64,
    /// When a connection was free for it.
    pub free_ns: u64,
    /// When it was handed to the kernel.
    pub sent_ns: u64,
    /// Which template made it.
    pub template: u32,
    /// It was a HEAD: its answer has no body.
    pub head: bool,
    /// Its answer's body is tested.
    pub checked: bool,
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
    /// The stream, unless closed.
    pub stream: Option<Stream>,
    /// Where it is in its life.
    pub state: State,
    /// Counts the streams of this place, so that late events of an old one are known.
    pub generation: u32,
    /// Requests in flight, in the order in which they were sent.
    pub flights: VecDeque<Flight>,
    /// When it became free last, or began to open, ns since the start.
    pub free_ns: u64,
    /// It stands in the pool's list of free ones.
    pub listed: bool,
    /// Attempts since a good answer, which lengthen the pause before the next.
    pub attempts: u32,
    /// Reads the answers.
    pub parser: Parser,
    /// Judges the answer that is being read.
    pub inspection: Inspection,
}

impl Connection {
    /// An empty place; room for `pipeline` requests in flight is taken now.
    pub fn new(parser: Parser, pipeline: usize) -> Self {
        Self {
            stream: None,
            state: State::Closed,
            generation: 0,
            flights: VecDeque::with_capacity(pipeline),
            free_ns: 0,
            listed: false,
            attempts: 0,
            parser,
            inspection: Inspection::new(),
        }
    }

    /// Whether it can take a request now.
    #[inline]
    pub fn has_room(&self, pipeline: usize) -> bool {
        self.state == State::Open
            && self.flights.len() < pipeline
            && !self.stream.as_ref().is_some_and(Stream::is_sending)
    }
}
