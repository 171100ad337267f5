//! RESP2 replies: each rule by hand, then replies generated from the grammar.

use proptest::collection::vec;
use proptest::prelude::*;

use super::tests_reading::{cut, read, Reading};
use super::*;

fn whole(stream: &[u8]) -> Reading {
    let reading = read(Parser::resp(), [stream], |_| false);
    let bytewise = read(Parser::resp(), stream.chunks(1), |_| false);
    assert_eq!(reading, bytewise, "one piece and one byte at a time differ");
    reading
}

/// The one reply in the stream, after which nothing is pending.
fn only(stream: &str) -> (ReplyKind, String) {
    let mut reading = whole(stream.as_bytes());
    assert_eq!(reading.end, Ok(Ending::NothingPending), "{stream:?}");
    assert_eq!(reading.answers.len(), 1, "{stream:?}");
    let (answer, body) = reading.answers.remove(0);
    assert!(answer.reusable);
    match answer.status {
        Status::Reply(kind) => (kind, String::from_utf8(body).unwrap()),
        Status::Http(code) => panic!("{code} in RESP"),
    }
}

fn malformed(stream: &str) -> Malformed {
    let reading = whole(stream.as_bytes());
    assert_eq!(reading.answers, [], "{stream:?}");
    reading.end.expect_err(stream)
}

#[test]
fn each_kind_is_read() {
    let cases = [
        ("+OK\r\n", ReplyKind::Simple, "OK"),
        ("+\r\n", ReplyKind::Simple, ""),
        ("-ERR no\r\n", ReplyKind::Error, ""),
        (":0\r\n", ReplyKind::Integer, ""),
        (":-9223372036854775808\r\n", ReplyKind::Integer, ""),
        (":+9223372036854775807\r\n", ReplyKind::Integer, ""),
        ("$5\r\nhello\r\n", ReplyKind::Bulk, "hello"),
        ("$4\r\n\r\n\r\n\r\n", ReplyKind::Bulk, "\r\n\r\n"),
        ("$0\r\n\r\n", ReplyKind::Bulk, ""),
        ("$-1\r\n", ReplyKind::Null, ""),
        ("*-1\r\n", ReplyKind::Null, ""),
        ("*0\r\n", ReplyKind::Array, ""),
        (
            "*4\r\n$1\r\na\r\n:1\r\n$-1\r\n+b\r\n",
            ReplyKind::Array,
            "ab",
        ),
        (
            "*3\r\n*2\r\n*0\r\n+a\r\n*1\r\n$1\r\nb\r\n-E\r\n",
            ReplyKind::Array,
            "ab",
        ),
    ];
    for (stream, kind, body) in cases {
        assert_eq!(only(stream), (kind, body.to_owned()), "{stream:?}");
    }
}

#[test]
fn arrays_nest_to_the_limit() {
    let nested = |depth| "*1\r\n".repeat(depth) + ":1\r\n";
    assert_eq!(only(&nested(8)), (ReplyKind::Array, String::new()));
    assert_eq!(malformed(&nested(9)), Malformed::NestedTooDeep);
    let empty_within = "*1\r\n".repeat(8) + "*0\r\n";
    assert_eq!(only(&empty_within), (ReplyKind::Array, String::new()));
}

#[test]
fn what_is_not_resp2() {
    let cases = [
        ("HTTP/1.1", Malformed::NotResp(b'H')),
        ("\r\n", Malformed::NotResp(b'\r')),
        ("_\r\n", Malformed::NotResp(b'_')),
        ("%1\r\n", Malformed::NotResp(b'%')),
        ("*1\r\n!", Malformed::NotResp(b'!')),
        ("+OK\n", Malformed::ReplyLine),
        ("+O\rK\r\n", Malformed::ReplyLine),
        (":\r\n", Malformed::ReplyInteger),
        (": 1\r\n", Malformed::ReplyInteger),
        (":1.0\r\n", Malformed::ReplyInteger),
        (":9223372036854775808\r\n", Malformed::ReplyInteger),
        ("$\r\n", Malformed::ReplyLength),
        ("$-2\r\n", Malformed::ReplyLength),
        ("$+1\r\n", Malformed::ReplyLength),
        ("*-0\r\n", Malformed::ReplyLength),
        ("*4294967296\r\n", Malformed::ReplyLength),
        ("$536870913\r\n", Malformed::BulkTooLong),
        ("$1\r\nab", Malformed::BulkEnd),
        ("$1\r\na\n", Malformed::BulkEnd),
        ("$1\r\na\rb", Malformed::BulkEnd),
    ];
    for (stream, complaint) in cases {
        assert_eq!(malformed(stream), complaint, "{stream:?}");
    }
}

#[test]
fn sizes_up_to_the_limits_are_awaited() {
    for stream in ["$536870912\r\nabc", "*4294967295\r\n:1\r\n"] {
        assert_eq!(
            whole(stream.as_bytes()).end,
            Ok(Ending::Short),
            "{stream:?}"
        );
    }
    let line = |bytes: usize| format!("+{}\r\n", "a".repeat(bytes - 3));
    assert_eq!(only(&line(64 * 1024)).0, ReplyKind::Simple);
    assert_eq!(malformed(&line(64 * 1024 + 1)), Malformed::ReplyLineTooLong);
}

#[test]
fn a_connection_closed_anywhere_within_a_reply_is_short() {
    let stream = b"*2\r\n$5\r\nhello\r\n*1\r\n:1\r\n";
    for length in 1..stream.len() {
        assert_eq!(
            whole(&stream[..length]).end,
            Ok(Ending::Short),
            "{length} bytes"
        );
    }
}

#[test]
fn the_first_error_is_kept_until_the_next_reply() {
    let mut parser = RespParser::default();
    let mut sink = Inspection::default();
    let long = format!("-{}\r\n", "x".repeat(250));
    parser.advance(long.as_bytes(), &mut sink).unwrap();
    assert_eq!(parser.error_text(), "x".repeat(200));
    parser
        .advance(b"*2\r\n-first\r\n-second\r\n", &mut sink)
        .unwrap();
    assert_eq!(parser.error_text(), "first");
    parser.advance(b":1", &mut sink).unwrap();
    assert_eq!(parser.error_text(), "first");
    parser.advance(b"\r\n", &mut sink).unwrap();
    assert_eq!(parser.error_text(), "");
}

/// A reply and what a reader has to make of it.
#[derive(Debug, Clone)]
enum Generated {
    Simple(String),
    Error(String),
    Integer(i64),
    Bulk(Vec<u8>),
    NullBulk,
    NullArray,
    Array(Vec<Generated>),
}

impl Generated {
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Simple(text) => out.extend_from_slice(format!("+{text}\r\n").as_bytes()),
            Self::Error(text) => out.extend_from_slice(format!("-{text}\r\n").as_bytes()),
            Self::Integer(number) => out.extend_from_slice(format!(":{number}\r\n").as_bytes()),
            Self::Bulk(bytes) => {
                out.extend_from_slice(format!("${}\r\n", bytes.len()).as_bytes());
                out.extend_from_slice(bytes);
                out.extend_from_slice(b"\r\n");
            }
            Self::NullBulk => out.extend_from_slice(b"$-1\r\n"),
            Self::NullArray => out.extend_from_slice(b"*-1\r\n"),
            Self::Array(replies) => {
                out.extend_from_slice(format!("*{}\r\n", replies.len()).as_bytes());
                for reply in replies {
                    reply.write(out);
                }
            }
        }
    }

    fn kind(&self) -> ReplyKind {
        match self {
            Self::Simple(_) => ReplyKind::Simple,
            Self::Error(_) => ReplyKind::Error,
            Self::Integer(_) => ReplyKind::Integer,
            Self::Bulk(_) => ReplyKind::Bulk,
            Self::NullBulk | Self::NullArray => ReplyKind::Null,
            Self::Array(_) => ReplyKind::Array,
        }
    }

    fn text(&self) -> Vec<u8> {
        match self {
            Self::Simple(text) => text.clone().into_bytes(),
            Self::Bulk(bytes) => bytes.clone(),
            Self::Array(replies) => replies.iter().flat_map(Self::text).collect(),
            Self::Error(_) | Self::Integer(_) | Self::NullBulk | Self::NullArray => Vec::new(),
        }
    }

    fn expected(&self) -> (Answer, Vec<u8>) {
        let text = self.text();
        let answer = Answer {
            status: Status::Reply(self.kind()),
            body_bytes: text.len() as u64,
            reusable: true,
        };
        (answer, text)
    }
}

fn generated() -> impl Strategy<Value = Generated> {
    let leaf = prop_oneof![
        "[^\r\n]{0,20}".prop_map(Generated::Simple),
        "[^\r\n]{0,20}".prop_map(Generated::Error),
        any::<i64>().prop_map(Generated::Integer),
        vec(any::<u8>(), 0..60).prop_map(Generated::Bulk),
        Just(Generated::NullBulk),
        Just(Generated::NullArray),
    ];
    leaf.prop_recursive(NESTING_LIMIT as u32, 40, 5, |inner| {
        vec(inner, 0..5).prop_map(Generated::Array)
    })
}

fn nearly_resp() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        Just(b"+OK\r\n".to_vec()),
        Just(b"*2\r\n".to_vec()),
        Just(b"$3\r\n".to_vec()),
        Just(b"abc\r\n".to_vec()),
        Just(b"$-1\r\n".to_vec()),
        Just(b"-ERR\r\n".to_vec()),
        vec(prop::sample::select(b"\r\n+-:$*0123".to_vec()), 0..8),
    ];
    vec(part, 0..16).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn generated_replies_are_read_back_however_cut(
        replies in vec(generated(), 1..6),
        places in vec(any::<usize>(), 0..12),
    ) {
        let mut stream = Vec::new();
        for reply in &replies {
            reply.write(&mut stream);
        }
        let reading = read(Parser::resp(), cut(&stream, &places), |_| false);
        prop_assert_eq!(reading.end, Ok(Ending::NothingPending));
        let expected: Vec<_> = replies.iter().map(Generated::expected).collect();
        prop_assert_eq!(reading.answers, expected);
    }

    #[test]
    fn how_any_bytes_are_cut_changes_nothing(
        stream in prop_oneof![nearly_resp(), vec(any::<u8>(), 0..100)],
        places in vec(any::<usize>(), 0..12),
    ) {
        let in_one = read(Parser::resp(), [&stream[..]], |_| false);
        let in_pieces = read(Parser::resp(), cut(&stream, &places), |_| false);
        prop_assert_eq!(in_one, in_pieces);
    }
}
