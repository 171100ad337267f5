//! Recognises which bytes of a conversation are a query, and which are its answer. All
//! functions are pure: they take bytes and instants, and return queries.
//!
//! ```text
//! conversation   the protocol of one connection; plain TCP if the bytes do not match
//!  ├ postgresql  requests up to Query or Sync, answers up to ReadyForQuery
//!  │  ├ message   the ends of messages
//!  │  └ greeting  the first bytes, which may request encryption
//!  ├ redis       commands and replies in pairs
//!  │  ├ command   the ends and names of commands
//!  │  └ reply     the ends of replies
//!  ├ tcp         bursts, and the first bytes back
//!  └ ledger      queries under way, in order, with their instants
//! ```

pub mod command;
pub mod conversation;
pub mod greeting;
pub mod ledger;
pub mod message;
pub mod postgresql;
pub mod redis;
pub mod reply;
pub mod tcp;
#[cfg(test)]
mod tests_postgresql;
#[cfg(test)]
mod tests_redis;
#[cfg(test)]
mod tests_script;

pub use conversation::{Conversation, Piece, Protocol, Unparsed};
pub use greeting::{Greeted, Greeting};
pub use ledger::{Ledger, Query};
