//! Feeds a stream to a parser in pieces, as a connection does, and holds the
//! parser to what it promises of every call.

use super::{Answer, BodySink, Ending, Malformed, Parser, Step};

/// Everything a stream was read as.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) answers: Vec<(Answer, Vec<u8>)>,
    pub(super) end: Result<Ending, Malformed>,
    /// The body bytes of the answer that was not complete before the end.
    pub(super) rest: Vec<u8>,
}

#[derive(Default)]
struct Collected(Vec<u8>);

impl BodySink for Collected {
    fn piece(&mut self, bytes: &[u8]) {
        assert!(!bytes.is_empty(), "an empty piece");
        self.0.extend_from_slice(bytes);
    }
}

/// Reads the pieces, then the end of the connection. `to_head` says which
/// answers, counted from 0, are to HEAD requests.
pub(super) fn read<'a>(
    mut parser: Parser,
    pieces: impl IntoIterator<Item = &'a [u8]>,
    to_head: impl Fn(usize) -> bool,
) -> Reading {
    let mut answers = Vec::new();
    let mut body = Collected::default();
    for mut input in pieces {
        while !input.is_empty() {
            match parser.advance(to_head(answers.len()), input, &mut body) {
                Err(malformed) => {
                    assert!(parser.is_idle(), "as new after an error");
                    return Reading {
                        answers,
                        end: Err(malformed),
                        rest: body.0,
                    };
                }
                Ok((used, Step::Incomplete)) => {
                    assert_eq!(used, input.len(), "incomplete, but input left");
                    assert!(!parser.is_idle(), "idle within an answer");
                    input = &[];
                }
                Ok((used, Step::Complete(answer))) => {
                    assert!((1..=input.len()).contains(&used), "used {used}");
                    assert!(parser.is_idle() && !parser.until_close());
                    assert_eq!(answer.body_bytes, body.0.len() as u64);
                    answers.push((answer, std::mem::take(&mut body.0)));
                    input = &input[used..];
                }
            }
        }
    }
    let ending = parser.finish();
    if let Ending::Complete(answer) = ending {
        assert_eq!(answer.body_bytes, body.0.len() as u64);
    }
    assert!(parser.is_idle(), "as new after the end");
    Reading {
        answers,
        end: Ok(ending),
        rest: body.0,
    }
}

/// The stream cut at the given places, each taken modulo its length.
pub(super) fn cut<'a>(stream: &'a [u8], places: &[usize]) -> Vec<&'a [u8]> {
    let mut places: Vec<usize> = places
        .iter()
        .map(|place| place % (stream.len() + 1))
        .collect();
    places.extend([0, stream.len()]);
    places.sort_unstable();
    places
        .windows(2)
        .map(|pair| &stream[pair[0]..pair[1]])
        .collect()
}
