//! The parser of one connection, whichever protocol it speaks.

use std::borrow::Cow;

use super::answer::{BodySink, Ending, Malformed, Step};
use super::http::HttpParser;
use super::resp::RespParser;

/// Reads the answers of one connection. Kept small, without a box, because
/// 10,000 connections keep one each.
#[derive(Debug)]
pub enum Parser {
    /// HTTP/1.0 and HTTP/1.1.
    Http(HttpParser),
    /// RESP2.
    Resp(RespParser),
}

impl Parser {
    /// A parser of HTTP answers.
    pub fn http() -> Self {
        Self::Http(HttpParser::default())
    }

    /// A parser of RESP2 replies.
    pub fn resp() -> Self {
        Self::Resp(RespParser::default())
    }

    /// Reads input up to the end of the first answer in it, and gives the bytes
    /// used: all of them when the answer is incomplete. `to_head` says that an
    /// HTTP answer is to a HEAD request; RESP ignores it.
    ///
    /// # Errors
    /// Bytes that are not an answer. The connection must be closed; the parser
    /// itself is then as new.
    #[inline]
    pub fn advance<S: BodySink + ?Sized>(
        &mut self,
        to_head: bool,
        input: &[u8],
        sink: &mut S,
    ) -> Result<(usize, Step), Malformed> {
        match self {
            Self::Http(parser) => parser.advance(to_head, input, sink),
            Self::Resp(parser) => parser.advance(input, sink),
        }
    }

    /// The connection has ended. The parser is then as new.
    pub fn finish(&mut self) -> Ending {
        match self {
            Self::Http(parser) => parser.finish(),
            Self::Resp(parser) => parser.finish(),
        }
    }

    /// Whether nothing of an answer has come.
    pub fn is_idle(&self) -> bool {
        match self {
            Self::Http(parser) => parser.is_idle(),
            Self::Resp(parser) => parser.is_idle(),
        }
    }

    /// Whether the body being read ends with the connection.
    pub fn until_close(&self) -> bool {
        match self {
            Self::Http(parser) => parser.until_close(),
            Self::Resp(_) => false,
        }
    }

    /// The text of the error last read, for a message; empty without one.
    pub fn error_text(&self) -> Cow<'_, str> {
        match self {
            Self::Http(_) => Cow::Borrowed(""),
            Self::Resp(parser) => parser.error_text(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::answer::{Answer, ReplyKind, Status};

    struct Dropped;

    impl BodySink for Dropped {
        fn piece(&mut self, _bytes: &[u8]) {}
    }

    #[test]
    fn ten_thousand_connections_can_keep_one_each() {
        assert!(size_of::<Parser>() <= 200, "{} bytes", size_of::<Parser>());
    }

    #[test]
    fn both_protocols_are_read() {
        let mut parser = Parser::http();
        let read = parser.advance(false, b"HTTP/1.0 200 OK\r\n\r\nab", &mut Dropped);
        assert_eq!(read, Ok((21, Step::Incomplete)));
        assert!(parser.until_close() && !parser.is_idle());
        let answer = Answer {
            status: Status::Http(200),
            body_bytes: 2,
            reusable: false,
        };
        assert_eq!(parser.finish(), Ending::Complete(answer));
        assert!(parser.is_idle());

        let mut parser = Parser::resp();
        let answer = Answer {
            status: Status::Reply(ReplyKind::Error),
            body_bytes: 0,
            reusable: true,
        };
        let read = parser.advance(true, b"-ERR no\r\n:1", &mut Dropped);
        assert_eq!(read, Ok((9, Step::Complete(answer))));
        assert_eq!(parser.error_text(), "ERR no");
        assert!(!parser.until_close() && parser.is_idle());
    }
}
