//! HTTP/2 without any I/O of its own: bytes of the peer in, answers and bytes for the peer out.
//!
//! - [`session`]: one connection, by the library nghttp2
//! - `callbacks`: what the library tells of, while it reads
//! - [`exchange`]: one stream: its request's body, how far its answer is
//!
//! The only room with `unsafe`: every block is a call of nghttp2 on a
//! session that lives for the call, or a callback of it.
#![allow(unsafe_code)]

mod callbacks;
pub mod exchange;
pub mod session;

pub use callbacks::End;
pub use session::Session;

/// The names of the error codes (RFC 9113, section 7), by number; the last is of all others.
pub const ERROR_NAMES: [&str; 15] = [
    "NO_ERROR",
    "PROTOCOL_ERROR",
    "INTERNAL_ERROR",
    "FLOW_CONTROL_ERROR",
    "SETTINGS_TIMEOUT",
    "STREAM_CLOSED",
    "FRAME_SIZE_ERROR",
    "REFUSED_STREAM",
    "CANCEL",
    "COMPRESSION_ERROR",
    "CONNECT_ERROR",
    "ENHANCE_YOUR_CALM",
    "INADEQUATE_SECURITY",
    "HTTP_1_1_REQUIRED",
    "OTHER",
];

/// An error code's place in [`ERROR_NAMES`].
pub fn error_number(code: u32) -> usize {
    (code as usize).min(ERROR_NAMES.len() - 1)
}
