//! HTTP/2 and gRPC: however a stream is cut, its requests end in the same way.

use runfair_load::http2::{End, Session};
use runfair_load::protocol::grpc::{prefix, CallAnswer, PREFIX_BYTES, STATUS_NAMES};
use runfair_load::protocol::{Answer, BodySink, Judgement};
use runfair_load::traffic::{Body, Http2Spec, HttpSpec, Message, Order, RequestSpec, Traffic};

/// Requests that wait for answers, on the streams 1, 3 and 5.
const REQUESTS: u64 = 3;

/// A server's side of an HTTP/2 connection. The first byte of the input says how it is read: its
/// lowest bit, whether the requests are gRPC calls; the others, in what pieces.
pub fn http2_answer(data: &[u8]) {
    let Some((how, stream)) = data.split_first() else {
        return;
    };
    let traffic = traffic(how & 1 == 1);
    let piece_bytes = usize::from(how >> 1) + 1;
    converse(&traffic, stream.chunks(piece_bytes));
    let bytes = read(&traffic, stream.chunks(1));
    let stream = &stream[..bytes.read_bytes];
    let whole = read(&traffic, [stream]);
    if has_continuation(stream) {
        return;
    }
    assert_eq!(whole, bytes, "byte by byte");
    let pieces = read(&traffic, stream.chunks(piece_bytes));
    assert_eq!(whole, pieces, "in pieces of {piece_bytes}");
}

/// Whether a header goes on in CONTINUATION frames. nghttp2 1.68.1 allows eight of them, and counts
/// a frame again for each piece of its head (its issue 2817), so the cuts matter there.
fn has_continuation(mut stream: &[u8]) -> bool {
    const HEAD_BYTES: usize = 9;
    const HEADERS: u8 = 1;
    const PUSH_PROMISE: u8 = 5;
    const END_HEADERS: u8 = 4;
    while let [a, b, c, kind, flags, ..] = *stream {
        if matches!(kind, HEADERS | PUSH_PROMISE) && flags & END_HEADERS == 0 {
            return true;
        }
        let length = u32::from_be_bytes([0, a, b, c]) as usize;
        stream = stream.get(HEAD_BYTES + length..).unwrap_or_default();
    }
    false
}

fn traffic(calls: bool) -> Traffic {
    let mut request = RequestSpec::new("POST", "/fuzzed.Service/Method");
    request.body = Body::Text("a message".to_owned());
    let http = HttpSpec {
        requests: vec![request],
        authority: "example.test".to_owned(),
        order: Order::File,
        keys: None,
        feed: None,
        seed: 1,
    };
    let scheme = "http";
    let traffic = Traffic::http2(Http2Spec {
        http,
        scheme,
        calls,
    });
    traffic.unwrap_or_else(|error| panic!("the requests are refused: {error}"))
}

/// What a stream was read as.
#[derive(Debug, Default, PartialEq)]
struct Reading {
    read_bytes: usize,
    ended: Vec<(u64, End, Answer, Judgement, Option<CallAnswer>)>,
    go_aways: Vec<u32>,
    is_ready: bool,
    streams_allowed: usize,
    has_begun_answer: bool,
    is_broken: bool,
}

/// A session whose requests have been sent.
fn begun(traffic: &Traffic) -> Session {
    let mut session = Session::new().unwrap_or_else(|| panic!("no memory"));
    let mut message = Message::default();
    for index in 0..REQUESTS {
        let encoded = traffic.encode_message(index, &mut message);
        let expected = traffic.expectation(index, encoded.template);
        assert!(session.request(index, &mut message, expected, true));
    }
    let mut sent = Vec::new();
    let taken = session.take_outgoing(&mut sent);
    assert_eq!(taken, Ok(()), "the requests");
    assert!(sent.starts_with(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"));
    session
}

/// Reads a stream until the connection is over. Nothing is sent before the end: limits of what
/// waits to be sent count the same then, however the stream is cut.
fn read<'a>(traffic: &Traffic, pieces: impl IntoIterator<Item = &'a [u8]>) -> Reading {
    let mut session = begun(traffic);
    let mut reading = Reading::default();
    for piece in pieces {
        reading.read_bytes += piece.len();
        if session.receive(piece).is_err() {
            reading.is_broken = true;
        }
        drain(traffic, &mut session, &mut reading);
        let is_over = session.is_going_away() && reading.ended.len() as u64 == REQUESTS;
        if reading.is_broken || is_over {
            break;
        }
    }
    reading.is_broken |= session.take_outgoing(&mut Vec::new()).is_err();
    drain(traffic, &mut session, &mut reading);
    reading.go_aways = session.take_go_aways();
    reading.is_ready = session.is_ready();
    reading.streams_allowed = session.streams_allowed();
    reading.has_begun_answer = session.has_begun_answer();
    reading
}

/// Answers each piece, as the generator does.
fn converse<'a>(traffic: &Traffic, pieces: impl IntoIterator<Item = &'a [u8]>) {
    let mut session = begun(traffic);
    let mut reading = Reading::default();
    for piece in pieces {
        let mut sent = Vec::new();
        if session.receive(piece).is_err() || session.take_outgoing(&mut sent).is_err() {
            break;
        }
        drain(traffic, &mut session, &mut reading);
    }
    // A time-out at any point.
    for index in 0..REQUESTS {
        session.abandon(index);
    }
    let _ = session.take_outgoing(&mut Vec::new());
    drain(traffic, &mut session, &mut reading);
}

fn drain(traffic: &Traffic, session: &mut Session, reading: &mut Reading) {
    while let Some((slot, end)) = session.next_ended() {
        let exchange = session.exchange(slot);
        let (index, answer) = (exchange.index, exchange.answer());
        assert!(index < REQUESTS, "the end of no request");
        assert!(
            reading.ended.iter().all(|(other, ..)| *other != index),
            "two ends of one request"
        );
        let judgement = exchange
            .inspection
            .finish(traffic.expectation(index, 0), &answer);
        let call = exchange.call().copied();
        assert_eq!(call.is_some(), traffic.has_calls());
        if end == End::Answered {
            assert!(exchange.has_begun(), "an answer without a status");
            if call.is_some_and(|call| call.check().is_ok()) {
                assert!(answer.body_bytes >= PREFIX_BYTES as u64);
            }
        }
        reading.ended.push((index, end, answer, judgement, call));
        session.give_back(slot);
    }
}

/// The body and the status of a gRPC answer: a byte that says in what pieces the body comes, a
/// byte for the length of the status, the status, and the body.
pub fn grpc_answer(data: &[u8]) {
    let [how, status_bytes, rest @ ..] = data else {
        return;
    };
    let Some((status, body)) = rest.split_at_checked(usize::from(*status_bytes)) else {
        return;
    };
    let whole = call(status, [body]);
    let piece_bytes = usize::from(*how) + 1;
    assert_eq!(whole, call(status, body.chunks(piece_bytes)));
    assert_eq!(whole, call(status, body.chunks(1)), "byte by byte");

    let (answer, CameMessage(message)) = whole;
    let is_good = body == [&prefix(message.len())[..], &message].concat();
    assert_eq!(answer.check().is_ok(), is_good, "{:?}", answer.check());
    let text = String::from_utf8_lossy(status);
    let number = text.trim_start_matches('0').parse::<usize>();
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let name = match number {
        _ if !is_number => "OTHER",
        Ok(number) if number < 17 => STATUS_NAMES[number],
        Err(_) if text.bytes().all(|byte| byte == b'0') => "OK",
        _ => "OTHER",
    };
    assert_eq!(STATUS_NAMES[usize::from(answer.status())], name, "{text}");
}

/// The message that came after a prefix.
#[derive(Debug, Default, PartialEq, Eq)]
struct CameMessage(Vec<u8>);

impl BodySink for CameMessage {
    fn piece(&mut self, bytes: &[u8]) {
        assert!(!bytes.is_empty(), "an empty piece");
        self.0.extend_from_slice(bytes);
    }
}

fn call<'a>(
    status: &[u8],
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> (CallAnswer, CameMessage) {
    let (mut answer, mut message) = (CallAnswer::default(), CameMessage::default());
    for piece in pieces {
        answer.piece(piece, &mut message);
    }
    answer.note_status(status);
    (answer, message)
}
