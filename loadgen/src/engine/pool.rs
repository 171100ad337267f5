//! The connections of one thread. If the connection of a place is lost, the place opens
//! another after a pause, which doubles after each failure. `super::growth` adds places.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::io;

use socket2::SockAddr;

use super::connection::{Connection, State};
use super::load::{Endpoint, Load, Protocol};
use super::punctual_send::Availability;
use crate::http2::Session;
use crate::protocol::Parser;
use crate::transport::stream::{OpenError, Stream};
use runfair_measuring::kernel::epoll::{Epoll, Ready};
use runfair_measuring::kernel::tcp_losses::Losses;

/// The first pause after a failed attempt, in ns. It doubles up to [`LONGEST_PAUSE_NS`].
const FIRST_PAUSE_NS: u64 = 1_000_000;

/// The longest pause between two attempts of one place, in ns.
const LONGEST_PAUSE_NS: u64 = 100_000_000;

/// The places of one thread: all places, the free places, and the places that wait to be
/// opened.
pub struct Pool<'a> {
    endpoints: &'a [Endpoint],
    protocol: Protocol,
    stamped: bool,
    pipeline: usize,
    /// The number of requests that a connection carries before it is replaced.
    requests_each: u64,
    /// Places whose connection is being opened.
    pub opening: usize,
    /// The epoll set of all connections.
    pub epoll: Epoll,
    /// The places.
    pub connections: Vec<Connection>,
    /// The free places, with the longest free first.
    free: VecDeque<u32>,
    /// The places that wait to be opened, with their instants in ns since the start.
    retries: BinaryHeap<Reverse<(u64, u32)>>,
    /// Attempts to connect so far.
    pub attempts: u64,
}

impl<'a> Pool<'a> {
    /// Places for so many connections, none open yet; `before` those of other threads. All
    /// threads' places together are given to the endpoints in turn.
    ///
    /// # Errors
    /// No descriptor left for epoll.
    pub fn new(
        load: &Load,
        endpoints: &'a [Endpoint],
        before: usize,
        places: usize,
    ) -> io::Result<Self> {
        let mut pool = Self {
            endpoints,
            protocol: load.protocol,
            stamped: load.is_stamped(),
            pipeline: load.pipeline,
            requests_each: load.requests_each(),
            opening: 0,
            epoll: Epoll::new()?,
            connections: Vec::with_capacity(places),
            free: VecDeque::with_capacity(places),
            retries: BinaryHeap::with_capacity(places),
            attempts: 0,
        };
        for place in 0..places {
            pool.add_place(before + place);
        }
        Ok(pool)
    }

    /// A further place, not open yet; `number` is its number among those of all threads.
    pub fn add_place(&mut self, number: usize) -> u32 {
        let parser = self.parser();
        let target = number % self.endpoints.len();
        self.connections
            .push(Connection::new(target, parser, self.pipeline));
        (self.connections.len() - 1) as u32
    }

    fn parser(&self) -> Parser {
        match self.protocol {
            // Not asked where HTTP/2 is spoken: its session reads.
            Protocol::Http | Protocol::Http2 => Parser::http(),
            Protocol::Resp => Parser::resp(),
        }
    }

    /// Begins to connect a place. `true`: the socket is established already.
    ///
    /// # Errors
    /// What is known at once: refused, no descriptor, no port.
    pub fn open(&mut self, id: u32) -> Result<bool, OpenError> {
        self.attempts += 1;
        let parser = self.parser();
        let connection = &mut self.connections[id as usize];
        connection.attempts = connection.attempts.saturating_add(1);
        connection.generation = connection.generation.wrapping_add(1);
        connection.parser = parser;
        connection.losses = Losses::default();
        connection.left_unread = None;
        connection.requests_left = self.requests_each;
        connection.established_ns = None;
        let endpoint = &self.endpoints[connection.target];
        let (mut stream, established) = Stream::open(
            endpoint.source.as_ref(),
            &endpoint.address,
            self.stamped,
            endpoint.tls.as_ref(),
        )?;
        let token = u64::from(connection.generation) << 32 | u64::from(id);
        self.epoll.watch(stream.descriptor(), token)?;
        connection.session = None;
        connection.width = self.pipeline;
        if self.protocol == Protocol::Http2 {
            connection.session = Some(greeted(&mut stream)?);
        }
        connection.stream = Some(stream);
        connection.state = State::Opening;
        self.opening += 1;
        Ok(established)
    }

    /// The place to which an event belongs; `None` if its stream is gone.
    #[inline]
    pub fn place(&self, ready: Ready) -> Option<u32> {
        let id = ready.token as u32;
        let connection = self.connections.get(id as usize)?;
        (connection.generation == (ready.token >> 32) as u32 && connection.stream.is_some())
            .then_some(id)
    }

    /// The address that a place's connections go to.
    pub fn address(&self, id: u32) -> &SockAddr {
        &self.endpoints[self.connections[id as usize].target].address
    }

    /// Marks a place as free from an instant on, if it has room.
    #[inline]
    pub fn release(&mut self, id: u32, availability: Availability) {
        let connection = &mut self.connections[id as usize];
        connection.availability = availability;
        if !connection.listed && connection.has_room() {
            connection.listed = true;
            self.free.push_back(id);
        }
    }

    /// Puts a place back at the end of the list, if it still has room.
    #[inline]
    pub fn keep_free(&mut self, id: u32) {
        let availability = self.connections[id as usize].availability;
        self.release(id, availability);
    }

    /// The place that has been free longest.
    #[inline]
    pub fn take_free(&mut self) -> Option<u32> {
        while let Some(id) = self.free.pop_front() {
            let connection = &mut self.connections[id as usize];
            connection.listed = false;
            if connection.has_room() {
                return Some(id);
            }
        }
        None
    }

    /// Whether some place may be free: none is listed that was not when listed.
    #[inline]
    pub fn has_free(&self) -> bool {
        !self.free.is_empty()
    }

    /// A place's connection is there: it may carry requests.
    pub fn opened(&mut self, id: u32) {
        self.connections[id as usize].state = State::Open;
        self.opening -= 1;
    }

    /// Gives up a place's stream.
    pub fn close(&mut self, id: u32) {
        let connection = &mut self.connections[id as usize];
        self.opening -= usize::from(connection.state == State::Opening);
        connection.stream = None;
        connection.session = None;
        connection.state = State::Closed;
    }

    /// Plans to open a place again: at once if its connection had worked, after a growing
    /// pause if attempts failed.
    pub fn retry(&mut self, id: u32, now_ns: u64) {
        let attempts = self.connections[id as usize].attempts;
        let pause_ns = match attempts {
            0 => 0,
            _ => (FIRST_PAUSE_NS << (attempts - 1).min(20)).min(LONGEST_PAUSE_NS),
        };
        self.retries.push(Reverse((now_ns + pause_ns, id)));
    }

    /// Begins the run, from whose start time is now counted: a closed place may be opened at once.
    /// Connections that were opened again before do not count.
    pub fn begin(&mut self) {
        self.attempts = self.connections.len() as u64;
        self.retries.clear();
        for (id, connection) in self.connections.iter_mut().enumerate() {
            connection.availability = Availability::default();
            connection.opening_ns = 0;
            if connection.state == State::Closed {
                self.retries.push(Reverse((0, id as u32)));
            }
        }
    }

    /// A place whose instant to open has come.
    #[inline]
    pub fn due_retry(&mut self, now_ns: u64) -> Option<u32> {
        match self.retries.peek() {
            Some(Reverse((at_ns, _))) if *at_ns <= now_ns => {
                self.retries.pop().map(|Reverse((_, id))| id)
            }
            _ => None,
        }
    }

    /// When the next place is to be opened.
    #[inline]
    pub fn next_retry_ns(&self) -> Option<u64> {
        self.retries.peek().map(|Reverse((at_ns, _))| *at_ns)
    }
}

/// An HTTP/2 session whose preface goes as soon as the stream can carry it.
fn greeted(stream: &mut Stream) -> io::Result<Session> {
    let mut session = Session::new().ok_or(io::ErrorKind::OutOfMemory)?;
    let mut preface = Vec::new();
    session
        .take_outgoing(&mut preface)
        .map_err(io::Error::other)?;
    stream.queue(&preface)?;
    Ok(session)
}
