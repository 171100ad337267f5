//! The dialogue of one connection, in the declared protocol while its bytes can be parsed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ledger::{Ledger, Unasked};
use super::postgresql::PostgreSql;
use super::redis::Redis;
use super::tcp::Tcp;

/// The protocol by which queries are recognised.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// PostgreSQL's frontend/backend protocol, version 3
    #[value(name = "postgresql")]
    PostgreSql,
    /// RESP2 and RESP3 (Redis)
    Redis,
    /// Any protocol: from the first byte of a burst until the server's first bytes after it
    Tcp,
}

/// Bytes of a stream that arrived together.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    /// The bytes of the piece.
    pub bytes: &'a [u8],
    /// The offset of the first byte in the stream.
    pub from: u64,
    /// The instant at which the bytes arrived (CLOCK_MONOTONIC).
    pub arrived_ns: u64,
}

/// The reason why the queries of a connection cannot be distinguished.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unparsed {
    /// The client sent bytes that are not in the protocol.
    #[error("the client does not speak {0}")]
    Client(&'static str),
    /// The server sent bytes that are not in the protocol.
    #[error("the server does not speak {0}")]
    Server(&'static str),
    /// There were more answers than requests.
    #[error("an answer came without a request")]
    Unasked,
    /// Commands are not answered by exactly one reply each.
    #[error("the server does not answer {0} by exactly one reply")]
    NotPaired(String),
}

impl From<Unasked> for Unparsed {
    fn from(_: Unasked) -> Self {
        Self::Unasked
    }
}

/// The dialogue of one connection.
#[derive(Debug)]
pub enum Conversation {
    /// See [`PostgreSql`].
    PostgreSql(PostgreSql),
    /// See [`Redis`].
    Redis(Box<Redis>),
    /// See [`Tcp`].
    Tcp,
}

impl Conversation {
    /// The dialogue of a new connection, from its first byte on.
    pub fn new(protocol: Protocol) -> Self {
        match protocol {
            Protocol::PostgreSql => Self::PostgreSql(PostgreSql::default()),
            Protocol::Redis => Self::Redis(Box::default()),
            Protocol::Tcp => Self::Tcp,
        }
    }

    /// Reads bytes of the client on their way to the server.
    ///
    /// # Errors
    /// [`Unparsed`]. The connection is then read as plain TCP.
    pub fn client(&mut self, piece: Piece<'_>, ledger: &mut Ledger) -> Result<(), Unparsed> {
        let read = match self {
            Self::PostgreSql(dialogue) => dialogue.client(piece, ledger),
            Self::Redis(dialogue) => dialogue.client(piece, ledger),
            Self::Tcp => {
                Tcp::client(piece, ledger);
                Ok(())
            }
        };
        self.unless_understood(read)
    }

    /// Reads bytes of the server on their way to the client.
    ///
    /// # Errors
    /// The same errors as [`Self::client`].
    pub fn server(&mut self, piece: Piece<'_>, ledger: &mut Ledger) -> Result<(), Unparsed> {
        let read = match self {
            Self::PostgreSql(dialogue) => dialogue.server(piece, ledger),
            Self::Redis(dialogue) => dialogue.server(piece, ledger),
            Self::Tcp => {
                Tcp::server(piece, ledger);
                Ok(())
            }
        };
        self.unless_understood(read)
    }

    /// The number of requests to cancel that were passed on.
    pub fn cancellations(&self) -> u64 {
        match self {
            Self::PostgreSql(dialogue) => dialogue.cancellations(),
            Self::Redis(_) | Self::Tcp => 0,
        }
    }

    fn unless_understood(&mut self, read: Result<(), Unparsed>) -> Result<(), Unparsed> {
        if read.is_err() {
            *self = Self::Tcp;
        }
        read
    }
}
