//! The relayed connections: bytes that arrive on one side leave on the other side after the
//! delay.
//!
//! ```text
//! relay          the thread: readiness, timers, accepting, ending
//!  ├ anticipation  how late timers ring
//!  ├ listener    where clients connect, and how many descriptors there are
//!  ├ connection  a client, its connection to the target, and a pipe each way
//!  │  ├ side     one socket of the two, and what is known of its reading
//!  │  └ pipe     bytes under way in one direction, each with its instant
//!  └ place       an address: a TCP port or a unix socket
//! ```

pub mod anticipation;
pub mod connection;
pub mod length;
pub mod listener;
pub mod pipe;
pub mod place;
pub mod relay;
pub mod side;

pub use length::Length;
pub use listener::Listener;
pub use place::{Place, PlaceError, Target};
pub use relay::{Relay, RelayError};
