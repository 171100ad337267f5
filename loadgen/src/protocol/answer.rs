//! What a parser says of the bytes it was given.

use thiserror::Error;

use super::chunked::CHUNK_LINE_LIMIT_BYTES;
use super::head::{FIELD_COUNT_LIMIT, HEAD_LIMIT_BYTES};
use super::resp::{BULK_LIMIT_BYTES, NESTING_LIMIT, REPLY_LINE_LIMIT_BYTES};

/// What the server said of the request as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// The status code of an HTTP answer, 200 to 999.
    Http(u16),
    /// The kind of a RESP reply.
    Reply(ReplyKind),
}

/// The kind of a RESP2 reply, the outermost one where replies are nested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReplyKind {
    /// A simple string, `+OK`.
    Simple,
    /// An error, `-ERR …`.
    Error,
    /// A signed 64-bit integer, `:1`.
    Integer,
    /// A bulk string, `$3`.
    Bulk,
    /// A null bulk string or a null array, `$-1` and `*-1`.
    Null,
    /// An array, `*2`.
    Array,
}

/// One complete answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// What the server said.
    pub status: Status,
    /// Bytes handed to the sink: the body without its chunk framing, or the
    /// text of all simple and bulk strings of a reply.
    pub body_bytes: u64,
    /// Whether the connection may carry another request after this answer.
    pub reusable: bool,
}

/// Takes an answer's body as it arrives.
pub trait BodySink {
    /// The next bytes of the body, never empty. How a body is cut into pieces
    /// depends on the network and says nothing about the answer.
    fn piece(&mut self, bytes: &[u8]);
}

/// How far a parser came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// All input is used and the answer goes on.
    Incomplete,
    /// An answer is complete; input after it belongs to the next one.
    Complete(Answer),
}

/// What the end of the connection means for the answer being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Nothing of an answer had come.
    NothingPending,
    /// The end of the connection is the end of this answer's body.
    Complete(Answer),
    /// The connection closed in the middle of an answer.
    Short,
}

/// Why bytes are not an answer. The connection they came on is of no more use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
pub enum Malformed {
    /// RFC 9112 §4.
    #[error("the answer does not begin with an HTTP/1.0 or HTTP/1.1 status line")]
    StatusLine,
    /// RFC 9110 §15.2.2: only an asked-for upgrade may be granted.
    #[error("the server switched protocols (101), although the request did not ask for it")]
    SwitchedProtocols,
    /// A limit of ours.
    #[error("the header is longer than {} KiB", HEAD_LIMIT_BYTES / 1024)]
    HeadTooLong,
    /// A limit of ours.
    #[error("the header has more than {} fields", FIELD_COUNT_LIMIT)]
    TooManyFields,
    /// RFC 9112 §5.
    #[error("a header line is not of the form `name: value`")]
    Field,
    /// RFC 9112 §5.2 lets a reader join folded lines; one that decides where
    /// the answer ends is not worth guessing at.
    #[error("a header that says where the answer ends is folded over several lines")]
    FoldedFraming,
    /// RFC 9112 §6.3, rule 5.
    #[error("the Content-Length is not a number of bytes")]
    ContentLength,
    /// RFC 9112 §6.3, rule 5.
    #[error("the header gives two different Content-Lengths")]
    ConflictingLengths,
    /// RFC 9112 §6.1: chunked at most once, and never without a name.
    #[error("the header Transfer-Encoding is empty or contains chunked twice")]
    TransferEncoding,
    /// RFC 9112 §7.1.
    #[error("a chunk does not begin with its size in hexadecimal digits")]
    ChunkSize,
    /// A limit of ours.
    #[error("the line with the size of a chunk is longer than {} KiB", CHUNK_LINE_LIMIT_BYTES / 1024)]
    ChunkLineTooLong,
    /// RFC 9112 §7.1.
    #[error("a chunk is longer than its size says")]
    ChunkEnd,
    /// A limit of ours.
    #[error("the trailer is longer than {} KiB or has more than {} fields", HEAD_LIMIT_BYTES / 1024, FIELD_COUNT_LIMIT)]
    TrailerTooLong,
    /// The first byte of a RESP2 reply gives its kind.
    #[error(
        "the reply begins with the byte 0x{0:02x}, so it is not RESP2 (the protocol of Redis)"
    )]
    NotResp(u8),
    /// RESP lines end with CR LF.
    #[error("a line of a RESP reply does not end with CR LF")]
    ReplyLine,
    /// A limit of ours.
    #[error("a line of a RESP reply is longer than {} KiB", REPLY_LINE_LIMIT_BYTES / 1024)]
    ReplyLineTooLong,
    /// A RESP integer is a signed 64-bit number.
    #[error("a RESP integer is not a signed 64-bit number")]
    ReplyInteger,
    /// A RESP length is a count or −1.
    #[error("a RESP length is not a whole number of -1 or more")]
    ReplyLength,
    /// The protocol's own limit.
    #[error("a RESP bulk string is longer than {} MiB", BULK_LIMIT_BYTES / (1024 * 1024))]
    BulkTooLong,
    /// A bulk string is followed by CR LF.
    #[error("a RESP bulk string is longer than its length says")]
    BulkEnd,
    /// A limit of ours.
    #[error("RESP arrays are nested deeper than {}", NESTING_LIMIT)]
    NestedTooDeep,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_complaint_is_one_line_with_its_limit() {
        assert_eq!(
            Malformed::HeadTooLong.to_string(),
            "the header is longer than 64 KiB"
        );
        assert_eq!(
            Malformed::BulkTooLong.to_string(),
            "a RESP bulk string is longer than 512 MiB"
        );
        assert_eq!(
            Malformed::NotResp(b'H').to_string(),
            "the reply begins with the byte 0x48, so it is not RESP2 (the protocol of Redis)"
        );
        assert_eq!(
            Malformed::TrailerTooLong.to_string(),
            "the trailer is longer than 64 KiB or has more than 128 fields"
        );
    }
}
