//! What is sent: HTTP requests from one description or a file of them, or
//! Redis commands over a key space.
//!
//! Everything random about request `k` is drawn from the seed and `k`, so the
//! bytes of a request, and what its answer should be, can be worked out again
//! at any time and by any thread.

mod alias;
mod checked_text;
mod digits;
mod expect;
pub mod feed;
pub mod file;
pub mod http;
pub mod http2;
pub mod keyspace;
mod line;
pub mod operation;
pub mod redis;
pub mod reply;
pub mod request;
pub mod selection;
pub mod template;
#[allow(
    clippy::module_inception,
    reason = "the room is named after the thing it makes"
)]
pub mod traffic;
pub mod value;

pub use expect::digest_of_hex;
pub use feed::{Feed, FeedError, FeedOrder};
pub use file::{FileError, TrafficFile};
pub use http::{HttpError, HttpSpec};
pub use http2::{Http2Spec, Message};
pub use keyspace::{KeySpace, KeySpaceError};
pub use line::traffic_schema;
pub use operation::{Operation, Operations, OperationsError};
pub use redis::{RedisError, RedisSpec};
pub use reply::ReplyRule;
pub use request::{Body, RequestError, RequestSpec};
pub use selection::Order;
pub use template::TemplateError;
pub use traffic::{Encoded, Expected, Traffic};
pub use value::Value;
