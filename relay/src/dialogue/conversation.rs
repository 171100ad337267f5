//! What one connection speaks, as far as it is understood.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ledger::{Ledger, Unasked};
use super::postgresql::PostgreSql;
use super::redis::Redis;
use super::tcp::Tcp;

/// The protocol that queries are found by.
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
    /// Any: an exchange lasts from the first byte of a burst until the first bytes back
    Tcp,
}

/// Bytes of a stream that arrived together.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    /// The bytes.
    pub bytes: &'a [u8],
    /// Where in the stream the first of them stands.
    pub from: u64,
    /// When they arrived (CLOCK_MONOTONIC).
    pub arrived_ns: u64,
}

/// Why the queries of a connection cannot be told apart.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unparsed {
    /// Bytes from the client that the protocol does not have.
    #[error("the client does not speak {0}")]
    Client(&'static str),
    /// Bytes from the server that the protocol does not have.
    #[error("the server does not speak {0}")]
    Server(&'static str),
    /// More answers than requests.
    #[error("an answer came that no request had asked for")]
    Unasked,
    /// Answers that do not come one a command.
    #[error("{0} is not answered once a command")]
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
    /// A connection's, from its first byte on.
    pub fn new(protocol: Protocol) -> Self {
        match protocol {
            Protocol::PostgreSql => Self::PostgreSql(PostgreSql::default()),
            Protocol::Redis => Self::Redis(Box::default()),
            Protocol::Tcp => Self::Tcp,
        }
    }

    /// Reads what the client says, on its way to the server.
    ///
    /// # Errors
    /// [`Unparsed`]; from then on the connection is read as plain TCP.
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

    /// Reads what the server says, on its way to the client.
    ///
    /// # Errors
    /// As [`Self::client`].
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

    /// Requests to cancel that passed.
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
