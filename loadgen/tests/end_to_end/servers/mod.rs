//! Servers that the tests run against, on loopback, one thread a connection.
//!
//! - [`listener`]: accepts, and ends when dropped
//! - [`http`], [`honest`]: requests read, an HTTP server that answers well and notes what it saw
//! - [`frames`]: HTTP/2 frame by frame, as a test chooses
//! - [`multiplexed`]: an HTTP/2 and gRPC server that answers well
//! - [`store`]: a Redis that answers well
//! - [`rogue`]: an HTTP server that behaves as a test chooses
//! - [`authority`]: certificates for TLS

pub mod authority;
pub mod frames;
pub mod honest;
pub mod http;
pub mod listener;
pub mod multiplexed;
pub mod rogue;
pub mod store;

pub use authority::Authority;
pub use honest::Honest;
pub use listener::Server;
pub use multiplexed::Multiplexed;
pub use store::Store;
