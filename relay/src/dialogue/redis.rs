//! The protocol of Redis. The server answers each command with one reply, in the order of the
//! commands, also if commands are pipelined.
//!
//! Some commands have no single reply and cannot be timed: subscriptions (in RESP2 their
//! messages come without a request), MONITOR, replication, and commands after the client has
//! switched replies off. Such a connection is then read as plain TCP.

use super::command::{Commands, Words};
use super::conversation::{Piece, Unparsed};
use super::ledger::{Ledger, Whole};
use super::reply::{Replies, Reply};

const NAME: &str = "RESP";
const NOT_PAIRED: [&[u8]; 9] = [
    b"MONITOR",
    b"PSUBSCRIBE",
    b"PSYNC",
    b"PUNSUBSCRIBE",
    b"SSUBSCRIBE",
    b"SUBSCRIBE",
    b"SUNSUBSCRIBE",
    b"SYNC",
    b"UNSUBSCRIBE",
];

/// The dialogue of one connection.
#[derive(Debug, Default)]
pub struct Redis {
    commands: Commands,
    replies: Replies,
    command_bytes: u64,
    reply_bytes: u64,
}

impl Redis {
    /// Reads bytes of the client.
    ///
    /// # Errors
    /// [`Unparsed::Client`], [`Unparsed::NotPaired`].
    pub fn client(&mut self, piece: Piece<'_>, ledger: &mut Ledger) -> Result<(), Unparsed> {
        let mut at = 0;
        while let Some(rest) = piece.bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let (used, command) = self
                .commands
                .next(rest)
                .map_err(|_| Unparsed::Client(NAME))?;
            at += used;
            self.command_bytes += used as u64;
            let Some(words) = command else { continue };
            paired(&words)?;
            let request = Whole {
                arrived_ns: piece.arrived_ns,
                end: piece.from + at as u64,
                bytes: std::mem::take(&mut self.command_bytes),
            };
            ledger.ask(request, false);
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
            let (used, reply) = self
                .replies
                .next(rest)
                .map_err(|_| Unparsed::Server(NAME))?;
            at += used;
            self.reply_bytes += used as u64;
            let Some(reply) = reply else { continue };
            let bytes = std::mem::take(&mut self.reply_bytes);
            if reply == Reply::Push {
                continue;
            }
            let answer = Whole {
                arrived_ns: piece.arrived_ns,
                end: piece.from + at as u64,
                bytes,
            };
            ledger.answer(answer, reply == Reply::Error)?;
        }
        Ok(())
    }
}

fn paired(words: &Words) -> Result<(), Unparsed> {
    let name = words.get(0);
    if NOT_PAIRED.contains(&name) {
        return Err(Unparsed::NotPaired(
            String::from_utf8_lossy(name).into_owned(),
        ));
    }
    if (name, words.get(1)) == (b"CLIENT", b"REPLY") {
        return Err(Unparsed::NotPaired(
            "a command after CLIENT REPLY".to_owned(),
        ));
    }
    Ok(())
}
