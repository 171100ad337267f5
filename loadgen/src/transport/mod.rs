//! Where requests go, and the byte stream that carries them: TCP or a unix
//! socket, bare or under TLS.

pub mod stream;
pub mod target;
pub mod tls;
