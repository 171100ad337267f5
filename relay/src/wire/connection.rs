//! A connection of a client, the relay's connection to the target, and a pipe for each
//! direction.

use std::io;
use std::net::Shutdown;
use std::time::Duration;

use runfair_measuring::kernel::epoll::{Epoll, Ready};
use runfair_measuring::kernel::{clock, socket};
use runfair_measuring::stamps::StampClock;
use socket2::Socket;

use super::length::Length;
use super::pipe::{Ending, Pipe};
use super::place::Target;
use super::side::{Side, Took};
use crate::accounting::Account;
use crate::dialogue::greeting::NO_ENCRYPTION;
use crate::dialogue::{Conversation, Greeted, Greeting, Ledger, Piece, Protocol};

/// The number of bytes that a connection may read before other connections are served.
const TURN_BYTES: usize = 256 * 1024;
/// The time after which connecting to a unix listener with a full queue is tried again. The
/// kernel does not report when the queue has room.
const RETRY_NS: u64 = 1_000_000;

/// An end of the relayed connection. A pipe is named after the end where bytes enter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The client that connected to the relay.
    Client,
    /// The target to which the relay connected.
    Target,
}

impl End {
    /// The end where the bytes that enter here leave.
    pub fn other(self) -> Self {
        match self {
            Self::Client => Self::Target,
            Self::Target => Self::Client,
        }
    }
}

/// The data that all connections share.
pub struct Shared {
    /// The declared round trip.
    pub length: Length,
    /// The target of the relay.
    pub target: Target,
    /// The epoll set that watches the sockets.
    pub epoll: Epoll,
    /// The conversion of the kernel's time stamps.
    pub stamps: StampClock,
    /// The buffer for reads.
    pub scratch: Box<[u8]>,
    /// The account of the relay.
    pub account: Account,
}

/// The state of opening the connection to the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Opening {
    /// Connecting is in progress, after this many addresses failed.
    Connecting(usize),
    /// Connecting will be tried at an instant.
    Waiting(usize, u64),
    Done,
}

/// One connection through the relay.
#[derive(Debug)]
pub struct Connection {
    number: u32,
    /// The instants at which the ends would be connected over a network with the declared
    /// round trip, by [`End`]. The handshake takes one round trip until the client may
    /// send, and half a round trip more until the server may send.
    connected_ns: [u64; 2],
    sides: [Option<Side>; 2],
    pipes: [Pipe; 2],
    finished: [bool; 2],
    opening: Opening,
    over: bool,
    /// The instant for which the connection's timer is set.
    scheduled_ns: Option<u64>,
    greeting: Option<Greeting>,
    conversation: Conversation,
    ledger: Ledger,
}

impl Connection {
    /// Makes the connection for a client that was just accepted.
    ///
    /// # Errors
    /// The socket cannot be watched.
    pub fn accept(
        number: u32,
        client: Socket,
        protocol: Protocol,
        shared: &mut Shared,
    ) -> io::Result<Self> {
        let now_ns = clock::monotonic_ns();
        let length = shared.length;
        let client = Side::new(client, now_ns);
        shared
            .epoll
            .watch(client.descriptor(), token(number, End::Client))?;
        let client_ns = now_ns.saturating_add(length.delay_ns);
        let mut connection = Self {
            number,
            connected_ns: [client_ns, client_ns.saturating_add(length.there_ns())],
            sides: [Some(client), None],
            pipes: Default::default(),
            finished: [false; 2],
            opening: Opening::Done,
            over: false,
            scheduled_ns: None,
            greeting: (protocol == Protocol::PostgreSql).then(Greeting::default),
            conversation: Conversation::new(protocol),
            ledger: Ledger::default(),
        };
        connection.open_target(0, shared);
        Ok(connection)
    }

    /// Handles a socket of the connection that is ready.
    pub fn ready(&mut self, end: End, ready: Ready, shared: &mut Shared) {
        if end == End::Target && self.opening != Opening::Done {
            self.see_target(shared);
        }
        let now_ns = clock::monotonic_ns();
        let Some(side) = &mut self.sides[end as usize] else {
            return;
        };
        if ready.ending() {
            side.hangup = true;
            // If a side is not read any more, only this shows that it is broken.
            if side.ended && side.error().is_some() {
                return self.broke(end, shared);
            }
        }
        if ready.writable() {
            self.pipes[end.other() as usize].unblock(now_ns);
            self.flush(end.other(), now_ns, shared);
        }
        if ready.readable() {
            self.read(end, shared);
        }
    }

    /// Handles the instant for which the timer was set.
    pub fn tick(&mut self, now_ns: u64, shared: &mut Shared) {
        if let Opening::Waiting(tried, retry_ns) = self.opening {
            if retry_ns <= now_ns {
                self.open_target(tried, shared);
            }
        }
        for end in [End::Client, End::Target] {
            self.flush(end, now_ns, shared);
            let unread = self.sides[end as usize]
                .as_mut()
                .is_some_and(|side| std::mem::take(&mut side.unread));
            if unread {
                self.read(end, shared);
            }
        }
    }

    /// The instant for which a timer must be set, or `None` if an early enough timer is set.
    /// The instant is 0 if the connection must be served again right after the other
    /// connections.
    pub fn timer_to_set_ns(&mut self) -> Option<u64> {
        let next_ns = self.next_ns()?;
        if self.scheduled_ns.is_some_and(|set_ns| set_ns <= next_ns) {
            return None;
        }
        self.scheduled_ns = Some(next_ns);
        Some(next_ns)
    }

    /// Records that a timer fired. Returns whether the timer is still valid; [`Self::tick`]
    /// must then be called.
    pub fn timer_counts(&mut self, rung_ns: u64) -> bool {
        let counts = self.scheduled_ns == Some(rung_ns);
        if counts {
            self.scheduled_ns = None;
        }
        counts
    }

    fn next_ns(&self) -> Option<u64> {
        if self.sides.iter().flatten().any(|side| side.unread) {
            return Some(0);
        }
        let retry_ns = match self.opening {
            Opening::Waiting(_, retry_ns) => Some(retry_ns),
            _ => None,
        };
        let there_ns = match self.opening {
            Opening::Done => self.pipes[End::Client as usize].next_due_ns(),
            _ => None,
        };
        let back_ns = self.pipes[End::Target as usize].next_due_ns();
        [retry_ns, there_ns, back_ns].into_iter().flatten().min()
    }

    /// Whether the connection has ended.
    pub fn is_over(&self) -> bool {
        self.over || self.finished == [true; 2]
    }

    /// Closes the account of the connection. Queries under way are counted as unfinished.
    pub fn close(mut self, account: &mut Account) {
        for query in self.ledger.abandon() {
            account.unfinished(&query, self.number);
        }
        account.cancelled(self.conversation.cancellations());
    }

    fn open_target(&mut self, tried: usize, shared: &mut Shared) {
        let mut tried = tried;
        while let Some(address) = shared.target.address(tried) {
            match socket::connect(None, address, true) {
                Ok((socket, established)) => {
                    let side = Side::new(socket, clock::monotonic_ns());
                    let token = token(self.number, End::Target);
                    if shared.epoll.watch(side.descriptor(), token).is_ok() {
                        self.sides[End::Target as usize] = Some(side);
                        self.opening = if established {
                            Opening::Done
                        } else {
                            Opening::Connecting(tried)
                        };
                        return;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.opening = Opening::Waiting(tried, clock::monotonic_ns() + RETRY_NS);
                    return;
                }
                Err(_) => {}
            }
            tried += 1;
        }
        self.refuse(shared);
    }

    /// Examines whether the connection to the target was opened.
    fn see_target(&mut self, shared: &mut Shared) {
        let Opening::Connecting(tried) = self.opening else {
            return;
        };
        let Some(side) = &self.sides[End::Target as usize] else {
            return;
        };
        if side.error().is_some() {
            self.sides[End::Target as usize] = None;
            self.open_target(tried + 1, shared);
        } else if side.socket().peer_addr().is_ok() {
            self.opening = Opening::Done;
            self.flush(End::Client, clock::monotonic_ns(), shared);
        }
    }

    /// Refuses the client because the target cannot be reached. The client gets a reset one
    /// round trip after it connected.
    fn refuse(&mut self, shared: &mut Shared) {
        shared.account.connections.refused += 1;
        self.opening = Opening::Done;
        let due_ns = clock::monotonic_ns().max(self.connected_ns[End::Client as usize]);
        self.pipes[End::Target as usize].end(Ending::Reset, due_ns);
        self.lose(End::Target);
    }

    /// Handles a broken side. The other side gets a reset after the declared delay.
    fn broke(&mut self, end: End, shared: &mut Shared) {
        shared.account.connections.reset += 1;
        let due_ns = clock::monotonic_ns().saturating_add(self.way_ns(end, shared.length));
        self.pipes[end as usize].end(Ending::Reset, due_ns);
        self.lose(end);
    }

    /// Handles a side to which no more bytes can be sent. The relay stops reading the other
    /// side.
    fn lose(&mut self, end: End) {
        self.sides[end as usize] = None;
        self.pipes[end.other() as usize].cut();
        match &mut self.sides[end.other() as usize] {
            Some(side) => (side.ended, side.unread, side.paused) = (true, false, false),
            None => self.over = true,
        }
    }

    fn read(&mut self, end: End, shared: &mut Shared) {
        if end == End::Target && self.opening != Opening::Done {
            return;
        }
        let mut left_bytes = TURN_BYTES;
        while let Some(side) = &mut self.sides[end as usize] {
            if side.ended {
                break;
            }
            let room = self.pipes[end as usize].room(shared.length.capacity_bytes());
            if room == 0 {
                side.paused = true;
                break;
            }
            if left_bytes == 0 {
                side.unread = true;
                break;
            }
            let most = room.min(shared.scratch.len()).min(left_bytes);
            match side.read(&mut shared.scratch[..most], shared.stamps) {
                Took::Bytes(count, arrived_ns) => {
                    let drained = count < most && !side.hangup;
                    left_bytes -= count;
                    // `took` needs the account in `shared`, so the buffer is taken out for the
                    // call.
                    let scratch = std::mem::take(&mut shared.scratch);
                    self.took(end, &scratch[..count], arrived_ns, shared);
                    shared.scratch = scratch;
                    if drained {
                        break;
                    }
                }
                Took::Nothing => break,
                Took::End => {
                    side.ended = true;
                    self.finish(end, shared);
                }
                Took::Broken => self.broke(end, shared),
            }
        }
        self.flush(end, clock::monotonic_ns(), shared);
    }

    fn took(&mut self, end: End, bytes: &[u8], arrived_ns: u64, shared: &mut Shared) {
        if end == End::Target {
            return self.pass(end, bytes, arrived_ns, shared);
        }
        let Some(mut greeting) = self.greeting.take() else {
            return self.pass(end, bytes, arrived_ns, shared);
        };
        greeting.hold(bytes);
        loop {
            match greeting.decide() {
                Greeted::Encryption => {
                    shared.account.encryption_declined();
                    let connected_ns = self.connected_ns[End::Client as usize];
                    let due_ns = arrived_ns
                        .max(connected_ns)
                        .saturating_add(shared.length.delay_ns);
                    self.pipes[End::Target as usize].enter(NO_ENCRYPTION, due_ns);
                }
                Greeted::Waiting => {
                    self.greeting = Some(greeting);
                    return;
                }
                Greeted::Done => return self.pass(end, &greeting.into_held(), arrived_ns, shared),
            }
        }
    }

    /// Reads bytes and puts them into a pipe.
    fn pass(&mut self, end: End, bytes: &[u8], arrived_ns: u64, shared: &mut Shared) {
        let pipe = &mut self.pipes[end as usize];
        let piece = Piece {
            bytes,
            from: pipe.entered_bytes(),
            arrived_ns,
        };
        let read = match end {
            End::Client => self.conversation.client(piece, &mut self.ledger),
            End::Target => self.conversation.server(piece, &mut self.ledger),
        };
        if let Err(reason) = read {
            shared.account.unparsed(&reason);
            for query in self.ledger.abandon_unanswered() {
                shared.account.unfinished(&query, self.number);
            }
        }
        let due_ns = self.due_ns(end, arrived_ns, shared.length);
        self.pipes[end as usize].enter(bytes, due_ns);
    }

    /// Handles a side that has finished sending.
    fn finish(&mut self, end: End, shared: &mut Shared) {
        let now_ns = clock::monotonic_ns();
        if let (End::Client, Some(greeting)) = (end, self.greeting.take()) {
            self.pass(end, &greeting.into_held(), now_ns, shared);
        }
        let due_ns = self.due_ns(end, now_ns, shared.length);
        self.pipes[end as usize].end(Ending::Finished, due_ns);
    }

    fn due_ns(&self, end: End, arrived_ns: u64, length: Length) -> u64 {
        arrived_ns
            .max(self.connected_ns[end as usize])
            .saturating_add(self.way_ns(end, length))
    }

    fn way_ns(&self, end: End, length: Length) -> u64 {
        match end {
            End::Client => length.there_ns(),
            End::Target => length.back_ns(),
        }
    }

    /// Sends those bytes that entered at `end` and are due.
    fn flush(&mut self, end: End, now_ns: u64, shared: &mut Shared) {
        if end == End::Client && self.opening != Opening::Done {
            return;
        }
        let Some(receiver) = &self.sides[end.other() as usize] else {
            return;
        };
        let descriptor = receiver.descriptor();
        let pipe = &mut self.pipes[end as usize];
        let before_bytes = pipe.left_bytes();
        let account = &mut shared.account;
        let sent = pipe.flush(
            now_ns,
            |bytes| socket::send(descriptor, bytes),
            clock::monotonic_ns,
            account,
        );
        let count = pipe.left_bytes() - before_bytes;
        match (end, &sent) {
            (End::Client, Ok(Some(progress))) => {
                account.bytes.to_target += count;
                self.ledger.forwarded(progress.left_bytes, progress.left_ns);
            }
            (End::Target, Ok(Some(progress))) => {
                account.bytes.to_clients += count;
                while let Some(query) = self.ledger.delivered(progress.left_bytes, progress.left_ns)
                {
                    account.delivered(&query, self.number);
                }
            }
            (_, Ok(None)) => {}
            (_, Err(_)) => return self.broke(end.other(), shared),
        }
        match pipe.take_ending(now_ns) {
            Some(Ending::Finished) => {
                // If the receiver has left already, its own events report it.
                let _ = receiver.socket().shutdown(Shutdown::Write);
                self.finished[end as usize] = true;
            }
            Some(Ending::Reset) => {
                // Closing with a linger time of zero sends a reset. The peer of a unix socket
                // sees the end of the stream.
                let _ = receiver.socket().set_linger(Some(Duration::ZERO));
                self.over = true;
            }
            None => {}
        }
        let room = pipe.room(shared.length.capacity_bytes());
        if let Some(sender) = &mut self.sides[end as usize] {
            if sender.paused && room > 0 {
                sender.resume(now_ns);
            }
        }
    }
}

/// The token under which a socket is watched.
pub fn token(number: u32, end: End) -> u64 {
    u64::from(number) << 1 | end as u64
}

/// The socket of a token.
pub fn of_token(token: u64) -> (u32, End) {
    let end = if token & 1 == 0 {
        End::Client
    } else {
        End::Target
    };
    ((token >> 1) as u32, end)
}
