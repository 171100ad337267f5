//! PostgreSQL's protocol, version 3
//! (<https://www.postgresql.org/docs/current/protocol-flow.html>).
//!
//! A request ends with Query, FunctionCall or Sync. The server answers each of them with one
//! ReadyForQuery, even after an error, and answers pipelined requests in their order. The
//! exception is COPY FROM STDIN: the copied data and their end belong to the request that began
//! the copy. The server ignores a Sync that it reads while it takes data ("COPY Operations").

use std::collections::VecDeque;

use super::conversation::{Piece, Unparsed};
use super::ledger::{Ledger, Whole};
use super::message::{Message, Messages};

const NAME: &str = "PostgreSQL's protocol 3";
/// The upper half of the code of a startup packet: the protocol's major version.
const MAJOR_VERSION: u32 = 3;
/// The code of a request to cancel. Such a request has a separate connection and no answer.
const CANCEL_REQUEST: u32 = 80_877_102;

/// A request that has not been answered by ReadyForQuery yet.
#[derive(Clone, Copy, Debug)]
struct Asked {
    /// The request was a Query. If it copies data to the server, the copy ends without a Sync.
    simple: bool,
    /// The request contains the end of copied data.
    copied: bool,
}

/// The messages since the last request.
#[derive(Clone, Copy, Debug, Default)]
struct Partial {
    bytes: u64,
    copied: bool,
    /// There are messages other than copied data.
    others: bool,
}

/// The dialogue of one connection.
#[derive(Debug)]
pub struct PostgreSql {
    client: Messages,
    server: Messages,
    asked: VecDeque<Asked>,
    partial: Partial,
    answer_bytes: u64,
    failed: bool,
    /// The server takes copied data, and the client has not sent their end yet.
    copying: bool,
    cancellations: u64,
}

impl Default for PostgreSql {
    fn default() -> Self {
        Self {
            client: Messages::of_client(),
            server: Messages::of_server(),
            asked: VecDeque::new(),
            partial: Partial::default(),
            answer_bytes: 0,
            failed: false,
            copying: false,
            cancellations: 0,
        }
    }
}

impl PostgreSql {
    /// Reads bytes of the client.
    ///
    /// # Errors
    /// [`Unparsed::Client`].
    pub fn client(&mut self, piece: Piece<'_>, ledger: &mut Ledger) -> Result<(), Unparsed> {
        let mut at = 0;
        while let Some(rest) = piece.bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let (used, message) = self.client.next(rest).map_err(|_| Unparsed::Client(NAME))?;
            at += used;
            self.partial.bytes += used as u64;
            if let Some(message) = message {
                self.said(message, piece.arrived_ns, piece.from + at as u64, ledger)?;
            }
        }
        Ok(())
    }

    /// Reads bytes of the server.
    ///
    /// # Errors
    /// [`Unparsed::Server`], [`Unparsed::Unasked`].
    pub fn server(&mut self, piece: Piece<'_>, ledger: &mut Ledger) -> Result<(), Unparsed> {
        let mut at = 0;
        while let Some(rest) = piece.bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let (used, message) = self.server.next(rest).map_err(|_| Unparsed::Server(NAME))?;
            at += used;
            self.answer_bytes += used as u64;
            match message {
                Some(Message::Typed(b'Z')) => {
                    self.asked.pop_front();
                    let answer = Whole {
                        arrived_ns: piece.arrived_ns,
                        end: piece.from + at as u64,
                        bytes: std::mem::take(&mut self.answer_bytes),
                    };
                    ledger.answer(answer, std::mem::take(&mut self.failed))?;
                    self.copying = false;
                }
                Some(Message::Typed(b'E')) => {
                    self.failed = true;
                    self.copying = false;
                }
                Some(Message::Typed(b'G' | b'W')) => self.copy_in(ledger),
                _ => {}
            }
        }
        Ok(())
    }

    /// The number of requests to cancel that were passed on.
    pub fn cancellations(&self) -> u64 {
        self.cancellations
    }

    fn said(
        &mut self,
        message: Message,
        arrived_ns: u64,
        end: u64,
        ledger: &mut Ledger,
    ) -> Result<(), Unparsed> {
        match message {
            Message::Startup(CANCEL_REQUEST) => {
                self.cancellations += 1;
                self.partial = Partial::default();
            }
            Message::Startup(code) if code >> 16 == MAJOR_VERSION => {
                self.ask(arrived_ns, end, ledger, true, true);
            }
            Message::Startup(_) => return Err(Unparsed::Client(NAME)),
            Message::Typed(b'Q' | b'F') => self.ask(arrived_ns, end, ledger, true, false),
            Message::Typed(b'S') if !self.copying => {
                self.ask(arrived_ns, end, ledger, false, false);
            }
            Message::Typed(b'c' | b'f') => self.copied(arrived_ns, end, ledger),
            Message::Typed(b'd') => {}
            // Answers to the server's questions during the login, and Terminate.
            Message::Typed(b'p' | b'X') => self.partial = Partial::default(),
            Message::Typed(_) => self.partial.others = true,
        }
        Ok(())
    }

    fn ask(&mut self, arrived_ns: u64, end: u64, ledger: &mut Ledger, simple: bool, login: bool) {
        let partial = std::mem::take(&mut self.partial);
        self.asked.push_back(Asked {
            simple,
            copied: partial.copied,
        });
        let request = Whole {
            arrived_ns,
            end,
            bytes: partial.bytes,
        };
        ledger.ask(request, login);
    }

    /// The client has sent the end of its copied data.
    fn copied(&mut self, arrived_ns: u64, end: u64, ledger: &mut Ledger) {
        self.copying = false;
        match self.asked.back_mut() {
            Some(last) if last.simple && !self.partial.others => {
                last.copied = true;
                let bytes = std::mem::take(&mut self.partial).bytes;
                ledger.extend_last(Whole {
                    arrived_ns,
                    end,
                    bytes,
                });
            }
            _ => self.partial.copied = true,
        }
    }

    /// Handles the beginning of COPY FROM STDIN in the present request. The client's messages
    /// since the request belong to it, up to the end of the data. If the request is not a
    /// Query, they also include a Sync after the data.
    fn copy_in(&mut self, ledger: &mut Ledger) {
        while let Some(first) = self.asked.front().copied().filter(|first| !first.copied) {
            if first.simple {
                self.copying = true;
                return;
            }
            self.asked.pop_front();
            if !self.asked.is_empty() {
                ledger.merge_first_two();
                continue;
            }
            self.partial.bytes += ledger.take_back_last().unwrap_or_default();
            self.partial.others = true;
            self.copying = !self.partial.copied;
        }
    }
}
