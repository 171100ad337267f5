//! Opens and closes connections.

use std::io;

use super::address::unreachable_line;
use super::connection::State;
use super::crew::LOOK_NS;
use super::load::Protocol;
use super::punctual_send::Availability;
use super::streams::{ALPN, NO_AGREEMENT};
use super::worker::{Worker, LAST_LOOK_NS};
use crate::judgement::counts::Failure;
use crate::recording::openings::Opening;
use crate::transport::stream::OpenError;
use runfair_measuring::kernel::{clock, socket};

/// The number of handshakes that are under way together before the start. It is at most the
/// usual backlog of a listener.
pub(super) const TOGETHER: usize = 64;

impl Worker<'_> {
    /// Opens all connections, before the run.
    ///
    /// # Errors
    /// One line that says why the first failed connection failed.
    pub fn connect(&mut self) -> Result<(), String> {
        self.start_ns = clock::monotonic_ns();
        let deadline_ns = self.load.connect_timeout_ns;
        let places = self.pool.connections.len();
        let mut begun = 0;
        loop {
            let open = self.count(State::Open);
            if open == places {
                break;
            }
            // One first: it shows whether anybody answers.
            let together = if open == 0 { 1 } else { TOGETHER };
            while begun < places && begun - open < together {
                self.open(begun as u32, 0);
                begun += 1;
            }
            if let Some(reason) = self.connect_error.take() {
                return Err(reason);
            }
            let now_ns = self.now();
            if now_ns >= deadline_ns {
                let question = match self.load.protocol {
                    Protocol::Http2 => "does the server accept connections and speak HTTP/2?",
                    Protocol::Http | Protocol::Resp => "does the server accept connections?",
                };
                return Err(format!(
                    "only {} of this thread's {places} connections were open after {:.1} s; \
                     {question} (--connect-timeout sets this limit)",
                    self.count(State::Open),
                    deadline_ns as f64 / 1e9
                ));
            }
            self.reopen_due();
            let wait_ns = (deadline_ns - now_ns).min(10_000_000);
            self.gather(wait_ns).map_err(|error| error.to_string())?;
        }
        self.connecting = false;
        Ok(())
    }

    /// Looks at the connections until an instant (CLOCK_MONOTONIC, ns), at least once. Opens those
    /// again that the server closes while the start of the run is awaited.
    ///
    /// # Errors
    /// What epoll refuses.
    pub fn keep_open(&mut self, until_ns: u64) -> io::Result<()> {
        loop {
            let left_ns = until_ns.saturating_sub(clock::monotonic_ns());
            let wait_ns = match self.pool.next_retry_ns() {
                Some(_) => left_ns.min(LAST_LOOK_NS),
                None => left_ns,
            };
            self.gather(wait_ns)?;
            self.reopen_due();
            if left_ns == 0 {
                return Ok(());
            }
        }
    }

    /// How long the next call of [`Self::keep_open`] may be put off, in ns.
    pub fn look_ns(&self) -> u64 {
        if self.pool.opening > 0 || self.pool.next_retry_ns().is_some() {
            LAST_LOOK_NS
        } else {
            LOOK_NS
        }
    }

    fn count(&self, state: State) -> usize {
        self.pool
            .connections
            .iter()
            .filter(|connection| connection.state == state)
            .count()
    }

    /// Begins to open the connection of a place.
    pub(super) fn open(&mut self, id: u32, now_ns: u64) {
        // Each place counts one connection before the start ([`super::pool::Pool::begin`]).
        let began_ns = (self.connecting || self.begun).then(|| self.now());
        let connection = &mut self.pool.connections[id as usize];
        connection.opening_ns = now_ns;
        connection.began_ns = began_ns;
        self.figures.counts.replaced += u64::from(std::mem::take(&mut connection.worn_out));
        match self.pool.open(id) {
            Ok(true) => self.advance_opening(id),
            Ok(false) => {}
            // A unix listener's queue is full: TCP would try again by itself.
            Err(OpenError::Socket(error))
                if error.kind() == io::ErrorKind::WouldBlock && self.load.over_unix =>
            {
                self.pool.attempts -= 1;
                self.pool.retry(id, now_ns);
            }
            Err(OpenError::Socket(error)) => self.fail_to_open(id, &error, now_ns),
            Err(OpenError::Tls(error)) => {
                self.complain(format!("TLS: {error:#}"));
                self.lose(id, Failure::Tls, now_ns);
            }
        }
    }

    /// Examines the state of an opening connection, and makes it available when it is open.
    pub(super) fn advance_opening(&mut self, id: u32) {
        let Some(stream) = &mut self.pool.connections[id as usize].stream else {
            return;
        };
        let result = match stream.connected() {
            Ok(true) => stream.flush(),
            Ok(false) => return,
            Err(error) => Err(error),
        };
        if let Err(error) = result {
            let now_ns = self.now();
            self.fail_to_open(id, &error, now_ns);
            return;
        }
        let mut is_handshaking = stream.is_handshaking();
        let agreed = !is_handshaking && stream.agreed_protocol() == Some(ALPN);
        let now_ns = self.now();
        let connection = &mut self.pool.connections[id as usize];
        if let Some(session) = &connection.session {
            if !is_handshaking && self.load.over_tls && !agreed {
                self.complain(NO_AGREEMENT.to_owned());
                self.lose(id, Failure::Tls, now_ns);
                return;
            }
            is_handshaking |= !session.is_ready();
        }
        let established_ns = *connection.established_ns.get_or_insert(now_ns);
        if !is_handshaking {
            self.no_socket = false;
            if let Some(began_ns) = connection.began_ns {
                self.figures.openings.push(Opening {
                    connect_ns: established_ns - began_ns,
                    handshake_ns: now_ns - established_ns,
                });
            }
            let free_ns = now_ns;
            self.pool.opened(id);
            let connection = &mut self.pool.connections[id as usize];
            let availability = Availability {
                free_ns,
                ..connection.availability
            };
            self.pool.release(id, availability);
        }
    }

    /// Closes a connection that has carried its requests, and opens the next.
    pub(super) fn replace(&mut self, id: u32, now_ns: u64) {
        self.pool.connections[id as usize].worn_out = true;
        self.lose(id, Failure::Closed, now_ns);
    }

    fn fail_to_open(&mut self, id: u32, error: &io::Error, now_ns: u64) {
        if error.kind() == io::ErrorKind::ConnectionReset {
            self.complain_of_no_http2(id);
        }
        if self.connecting && self.connect_error.is_none() {
            self.connect_error = Some(unreachable_line(self.pool.address(id), error));
        }
        self.complaint
            .get_or_insert_with(|| format!("a connection could not be opened: {error}"));
        let kind = match error.kind() {
            _ if socket::is_shortage(error) => Failure::NoSocket,
            io::ErrorKind::ConnectionReset => Failure::Reset,
            _ => Failure::Refused,
        };
        self.no_socket = kind == Failure::NoSocket;
        self.lose(id, kind, now_ns);
    }

    /// Stores the first complaint about the server, for people.
    pub(super) fn complain(&mut self, text: String) {
        if self.connecting && self.connect_error.is_none() {
            self.connect_error = Some(text.clone());
        }
        self.complaint.get_or_insert(text);
    }

    /// Handles a lost connection. Its requests in flight have failed: the first for this
    /// reason, the requests pipelined behind it because they have no connection. A failed
    /// attempt to connect also fails one waiting request, as it would for a real client. In an
    /// open loop, no request waits while a connection is free. Before the start, none is due.
    pub(super) fn lose(&mut self, id: u32, kind: Failure, now_ns: u64) {
        let connection = &mut self.pool.connections[id as usize];
        let opening = connection.state == State::Opening;
        let carried = connection.flights.front().copied();
        connection.availability.behind_ns = match carried {
            Some(flight) => flight.behind_ns,
            // It was idle, and where a punctual generator would have had it.
            None if connection.listed && !opening => 0,
            None => connection.availability.behind_ns,
        };
        self.look_for_losses(id);
        // Streams stand beside each other, and what ends the connection ends them all.
        let behind = match self.pool.connections[id as usize].session {
            None => Failure::Closed,
            Some(_) => kind,
        };
        self.pool.close(id);
        let mut reason = kind;
        while let Some(flight) = self.pool.connections[id as usize].flights.pop_front() {
            self.in_flight -= 1;
            self.fail(id, &flight, reason, now_ns);
            reason = behind;
        }
        if self.connecting {
            return;
        }
        if !self.begun {
            if !opening {
                // It worked, and is opened again soon. No request waits for it.
                self.pool.connections[id as usize].attempts = 1;
            }
        } else if carried.is_none()
            && !(self.load.is_open() && self.pool.has_free())
            && (opening || matches!(kind, Failure::Refused | Failure::NoSocket | Failure::Tls))
        {
            if let Some(arrival) = self.take_due(now_ns) {
                self.fail_unsent(arrival, now_ns, kind);
                if let Some(target) = self.target_of(id) {
                    target.counts.failures[kind as usize] += 1;
                }
            }
        }
        if self.has_more() {
            self.pool.retry(id, now_ns);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::super::fixture::connected;
    use super::super::sending::IN_ONE_GO;
    use super::*;

    /// A server may close all idle connections at the same time.
    #[test]
    fn many_connections_are_not_opened_again_in_one_go() {
        const PLACES: usize = 100;
        connected(PLACES, &[], b"", |worker, peers| {
            drop(peers);
            while worker.count(State::Closed) < PLACES {
                worker.gather(10_000_000).unwrap();
            }
            assert_eq!(worker.look_ns(), LAST_LOOK_NS);
            thread::sleep(Duration::from_millis(2)); // each waits for a moment
            worker.keep_open(0).unwrap();
            assert_eq!(worker.count(State::Closed), PLACES - TOGETHER);
            worker.begin(worker.start_ns);
            worker.reopen_due();
            assert_eq!(worker.count(State::Closed), PLACES - TOGETHER - IN_ONE_GO);
        });
    }
}
