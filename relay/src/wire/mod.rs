//! The relayed connections: bytes that arrive on one side leave on the other side after the
//! delay.
//!
//! ```text
//! relay          the thread: events, timers, accepting, ending
//!  ├ listener    the socket at which clients connect
//!  ├ connection  a client, its connection to the target, and a pipe each way
//!  │  ├ side     one of the two sockets, and the state of reading
//!  │  └ pipe     bytes in flight in one direction, each with its due instant
//!  └ place       an address: a TCP port or a unix socket
//! ```

pub mod connection;
pub mod length;
pub mod listener;
pub mod pipe;
pub mod place;
pub mod relay;
pub mod side;

pub use length::Length;
pub use listener::Listener;
pub use place::{Place, Target};
pub use relay::{Relay, REFUSED};
