//! The thread of the relay: it handles events and timers, accepts clients, and ends.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::io::{self, Read};
use std::os::fd::AsRawFd;

use runfair_measuring::kernel::epoll::{Epoll, Ready};
use runfair_measuring::kernel::{clock, descriptors, socket, thread};
use runfair_measuring::lead::Lead;
use runfair_measuring::stamps::StampClock;
use socket2::Socket;

use super::connection::{of_token, Connection, Shared};
use super::length::Length;
use super::listener::Listener;
use super::place::Target;
use crate::accounting::Account;
use crate::dialogue::Protocol;

/// The token of the listener. No connection reaches this number.
const LISTENER: u64 = u64::MAX;
/// The token of standard input.
const STDIN: u64 = u64::MAX - 1;
/// The number of bytes that are read at once.
const SCRATCH_BYTES: usize = 64 * 1024;
/// The longest wait of the thread. A signal that comes just before the wait does not wake
/// the thread.
const LOOK_UP_NS: u64 = 100_000_000;
/// The time after which accepting is tried again if clients wait and descriptors are
/// exhausted.
const ACCEPT_RETRY_NS: u64 = 10_000_000;
/// The thread's time slice. It is shorter than the scheduler's own (3 ms), so that the thread
/// runs soon after it wakes. EEVDF grants no shorter slice.
const SLICE_NS: u64 = 100_000;

/// The steps up and down of the timers' lead, in ns. The lead follows the 25th percentile of the
/// lateness of timers, within some hundreds of timers. The thread spins for the remaining time,
/// which is less than the spread of the lateness.
const LEAD_STEPS_NS: (u64, u64) = (125, 375);
/// The greatest lead. Longer delays occur only on a disturbed machine, and too rarely to be
/// learned.
const LEAD_MOST_NS: u64 = 100_000;
/// The greatest age of the measured difference of the clocks.
const CLOCKS_AGE_NS: u64 = 100_000_000;

/// What an error of a [`Relay`] means.
pub const REFUSED: &str =
    "the kernel refuses a call that the relay needs (use Linux 5.11 or newer)";

/// A relay, which runs on one thread.
pub struct Relay {
    listener: Listener,
    protocol: Protocol,
    shared: Shared,
    connections: HashMap<u32, Connection>,
    /// The instants at which connections must be woken. If an earlier timer replaces a
    /// timer, the old timer stays until it fires and is then ignored.
    timers: BinaryHeap<Reverse<(u64, u32)>>,
    lead: Lead,
    /// When the difference of the clocks is read again.
    clocks_again_ns: u64,
    next_number: u32,
    accept_again_ns: Option<u64>,
    stdin_ended: bool,
    _stamping: Socket,
}

impl Relay {
    /// A relay that connects the clients of `listener` to `target` with this declared round
    /// trip.
    ///
    /// # Errors
    /// The kernel refuses something that every relay needs ([`REFUSED`]).
    pub fn new(
        listener: Listener,
        target: Target,
        protocol: Protocol,
        length: Length,
        account: Account,
    ) -> io::Result<Self> {
        // Each connection needs two descriptors.
        descriptors::raise();
        let epoll = Epoll::new()?;
        epoll.watch(listener.descriptor(), LISTENER)?;
        Ok(Self {
            listener,
            protocol,
            shared: Shared {
                length,
                target,
                epoll,
                stamps: StampClock::now(),
                scratch: vec![0; SCRATCH_BYTES].into(),
                account,
            },
            connections: HashMap::new(),
            timers: BinaryHeap::new(),
            lead: Lead::following(0, LEAD_STEPS_NS, LEAD_MOST_NS),
            clocks_again_ns: 0,
            next_number: 0,
            accept_again_ns: None,
            stdin_ended: false,
            _stamping: socket::keep_stamping()?,
        })
    }

    /// Makes the relay end when standard input ends.
    ///
    /// # Errors
    /// The kernel refuses something that every relay needs ([`REFUSED`]).
    pub fn watch_stdin(&mut self) -> io::Result<()> {
        match self.shared.epoll.watch(io::stdin().as_raw_fd(), STDIN) {
            // Epoll does not accept files and /dev/null. They are treated as ended input.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                self.stdin_ended = true;
                Ok(())
            }
            watched => watched,
        }
    }

    /// Relays until `stop` is set, or until standard input ends if it is watched.
    ///
    /// # Errors
    /// The kernel refuses something that every relay needs ([`REFUSED`]).
    pub fn run(&mut self, stop: impl Fn() -> bool) -> io::Result<()> {
        thread::sharpen_timers();
        // If the kernel refuses, the thread keeps the default slice; the delay error shows
        // this.
        let _ = thread::shorten_slice(SLICE_NS);
        while !stop() && !self.stdin_ended {
            let now_ns = clock::monotonic_ns();
            if now_ns >= self.clocks_again_ns {
                self.shared.stamps.refresh();
                self.clocks_again_ns = now_ns + CLOCKS_AGE_NS;
            }
            self.shared.account.keep(now_ns);
            let due_ns = self.due_ns(now_ns);
            let ring_ns = due_ns.saturating_sub(self.lead.ns());
            let count = self.shared.epoll.wait(ring_ns.saturating_sub(now_ns))?;
            for number in 0..count {
                let ready = self.shared.epoll.event(number);
                self.serve(ready);
            }
            if count == 0 && ring_ns > now_ns {
                self.await_due(ring_ns, due_ns);
            }
            self.tick(clock::monotonic_ns());
        }
        Ok(())
    }

    /// Closes every connection, and returns the account.
    pub fn close(mut self) -> Account {
        self.shared.account.connections.open_at_end = self.connections.len() as u64;
        for (_, connection) in self.connections.drain() {
            connection.close(&mut self.shared.account);
        }
        self.shared.account
    }

    /// The instant of the next action if no event comes before.
    fn due_ns(&self, now_ns: u64) -> u64 {
        let timer_ns = self.timers.peek().map(|Reverse((due_ns, _))| *due_ns);
        [timer_ns, self.accept_again_ns]
            .into_iter()
            .flatten()
            .fold(now_ns + LOOK_UP_NS, u64::min)
    }

    /// Handles a timer that fired: spins for the rest of the time until the instant.
    fn await_due(&mut self, ring_ns: u64, due_ns: u64) {
        let rung_ns = clock::monotonic_ns();
        // A signal may also end the wait before the timer fires.
        if rung_ns >= ring_ns {
            self.lead.learn(rung_ns - ring_ns);
            clock::spin_until(due_ns);
        }
    }

    fn serve(&mut self, ready: Ready) {
        match ready.token {
            LISTENER => self.accept(),
            STDIN => self.look_at_stdin(ready),
            token => {
                let (number, end) = of_token(token);
                // The connection may have ended with an earlier event of the same batch.
                if let Some(connection) = self.connections.get_mut(&number) {
                    connection.ready(end, ready, &mut self.shared);
                    self.settle(number);
                }
            }
        }
    }

    fn tick(&mut self, now_ns: u64) {
        if self.accept_again_ns.is_some_and(|due_ns| due_ns <= now_ns) {
            self.accept_again_ns = None;
            self.accept();
        }
        // The list is taken first: a connection that asks again must wait for new events.
        let mut due = Vec::new();
        while let Some(Reverse((due_ns, number))) = self.timers.peek().copied() {
            if due_ns > now_ns {
                break;
            }
            self.timers.pop();
            due.push((due_ns, number));
        }
        for (due_ns, number) in due {
            let Some(connection) = self.connections.get_mut(&number) else {
                continue;
            };
            if connection.timer_counts(due_ns) {
                connection.tick(clock::monotonic_ns(), &mut self.shared);
                self.settle(number);
            }
        }
    }

    /// After an event of a connection, sets the timer for its next instant, or removes it
    /// if it has ended.
    fn settle(&mut self, number: u32) {
        let Some(connection) = self.connections.get_mut(&number) else {
            return;
        };
        if connection.is_over() {
            if let Some(connection) = self.connections.remove(&number) {
                connection.close(&mut self.shared.account);
            }
        } else if let Some(next_ns) = connection.timer_to_set_ns() {
            self.timers.push(Reverse((next_ns, number)));
        }
    }

    fn accept(&mut self) {
        loop {
            let accepted = self.listener.accept().and_then(|client| {
                let number = self.next_number;
                Connection::accept(number, client, self.protocol, &mut self.shared)
            });
            match accepted {
                Ok(connection) => {
                    let number = self.next_number;
                    self.next_number += 1;
                    self.connections.insert(number, connection);
                    let open = self.connections.len() as u64;
                    let connections = &mut self.shared.account.connections;
                    connections.accepted += 1;
                    connections.most_open = connections.most_open.max(open);
                    self.settle(number);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                // The client left before it was accepted.
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
                Err(_) => {
                    self.shared.account.connections.accept_failures += 1;
                    self.accept_again_ns = Some(clock::monotonic_ns() + ACCEPT_RETRY_NS);
                    return;
                }
            }
        }
    }

    fn look_at_stdin(&mut self, ready: Ready) {
        let mut nothing = [0; 4096];
        self.stdin_ended =
            ready.ending() || io::stdin().read(&mut nothing).is_ok_and(|count| count == 0);
    }
}
