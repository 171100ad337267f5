//! Parsers of answers: however a stream is cut, it is the same answers.

use runfair_load::protocol::{Answer, BodySink, Ending, Malformed, Parser, Step};

/// An HTTP stream. The first byte of the input says how it is read: its lowest
/// bit, whether the requests were HEAD; the others, in what pieces.
pub fn http_answer(data: &[u8]) {
    let Some((how, stream)) = data.split_first() else {
        return;
    };
    same_however_cut(
        Parser::http,
        how & 1 == 1,
        usize::from(how >> 1) + 1,
        stream,
    );
}

/// A RESP stream, after a byte that says in what pieces it is read.
pub fn resp_answer(data: &[u8]) {
    let Some((how, stream)) = data.split_first() else {
        return;
    };
    same_however_cut(Parser::resp, false, usize::from(how >> 1) + 1, stream);
}

fn same_however_cut(parser: impl Fn() -> Parser, to_head: bool, piece_bytes: usize, stream: &[u8]) {
    let whole = read(parser(), to_head, [stream]);
    let pieces = read(parser(), to_head, stream.chunks(piece_bytes));
    assert_eq!(whole, pieces, "in pieces of {piece_bytes}");
    let bytes = read(parser(), to_head, stream.chunks(1));
    assert_eq!(whole, bytes, "byte by byte");
}

/// What a stream was read as: bodies by length and hash alone, so that no
/// stream makes this large.
#[derive(Debug, Default, PartialEq, Eq)]
struct Reading {
    answers: Vec<(Answer, Body)>,
    rest: Body,
    end: Option<Result<Ending, Malformed>>,
}

/// A body that went by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Body {
    bytes: u64,
    hash: u64,
}

impl Default for Body {
    fn default() -> Self {
        // The offset basis of FNV-1a, 64 bits.
        Self {
            bytes: 0,
            hash: 0xcbf2_9ce4_8422_2325,
        }
    }
}

impl BodySink for Body {
    fn piece(&mut self, bytes: &[u8]) {
        assert!(!bytes.is_empty(), "an empty piece");
        self.bytes += bytes.len() as u64;
        for byte in bytes {
            self.hash = (self.hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

fn read<'a>(
    mut parser: Parser,
    to_head: bool,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Reading {
    let mut reading = Reading::default();
    for mut input in pieces {
        while !input.is_empty() {
            match parser.advance(to_head, input, &mut reading.rest) {
                Err(malformed) => {
                    assert!(parser.is_idle(), "as new after an error");
                    reading.end = Some(Err(malformed));
                    return reading;
                }
                Ok((used, Step::Incomplete)) => {
                    assert_eq!(used, input.len(), "incomplete, but input left");
                    assert!(!parser.is_idle(), "idle within an answer");
                    input = &[];
                }
                Ok((used, Step::Complete(answer))) => {
                    assert!(used > 0, "an answer out of nothing");
                    assert!(parser.is_idle(), "as new after an answer");
                    assert_eq!(answer.body_bytes, reading.rest.bytes);
                    reading
                        .answers
                        .push((answer, std::mem::take(&mut reading.rest)));
                    input = input.get(used..).unwrap_or_else(|| {
                        panic!("{used} bytes used of {}", input.len());
                    });
                }
            }
        }
    }
    let until_close = parser.until_close();
    let ending = parser.finish();
    assert_eq!(until_close, matches!(ending, Ending::Complete(_)));
    assert!(parser.is_idle(), "as new after the end");
    reading.end = Some(Ok(ending));
    reading
}
