//! Answers: reading them off a connection, and judging them.
//!
//! A connection keeps one [`Parser`], which is fed whatever bytes arrived and
//! reports each answer once its last byte is there, and one [`Inspection`],
//! which sees the body as it streams by and judges the answer against what was
//! expected. Neither ever panics on what a server sends, and neither allocates
//! for an answer that arrives whole, but for the first heads of a connection.

mod answer;
mod chunked;
mod counted;
pub mod expectation;
pub mod grpc;
pub(crate) mod head;
mod http;
mod inspection;
mod json_body;
mod known_head;
mod line;
mod number;
mod parser;
mod reply_text;
mod resp;
mod search;

#[cfg(test)]
mod tests_http;
#[cfg(test)]
mod tests_http_grammar;
#[cfg(test)]
mod tests_reading;
#[cfg(test)]
mod tests_resp;

pub use answer::{Answer, BodySink, Ending, Malformed, ReplyKind, Status, Step};
pub use expectation::{BodyRule, Expectation, StatusRule};
pub use head::{FIELD_COUNT_LIMIT, HEAD_LIMIT_BYTES};
pub use http::HttpParser;
pub use inspection::{Comparison, Inspection, Judgement};
pub use json_body::JSON_BODY_LIMIT_BYTES;
pub use parser::Parser;
pub use resp::{RespParser, BULK_LIMIT_BYTES, ERROR_TEXT_LIMIT_BYTES, NESTING_LIMIT};
