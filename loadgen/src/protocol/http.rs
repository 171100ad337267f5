//! HTTP/1 answers as a client reads them (RFC 9112).

use super::answer::{Answer, BodySink, Ending, Malformed, Status, Step};
use super::chunked::Chunked;
use super::counted::hand_over;
use super::head::{Framing, Head};
use super::known_head::KnownHead;
use super::line::LineBuffer;

/// Which part of an answer comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Part {
    #[default]
    Head,
    Fixed(u64),
    Chunked(Chunked),
    UntilClose,
}

/// Reads the answers of one connection, in whatever pieces they arrive.
#[derive(Debug, Default)]
pub struct HttpParser {
    lines: LineBuffer,
    head: Head,
    known: KnownHead,
    part: Part,
    body_bytes: u64,
    /// A 1xx answer came; the final one is still owed.
    interim_seen: bool,
}

impl HttpParser {
    /// Reads input up to the end of the first answer in it, and gives the bytes
    /// used: all of them when the answer is incomplete. `to_head` says that the
    /// answer is to a HEAD request and so has no body whatever its header says.
    /// Interim answers (1xx) are passed over.
    ///
    /// # Errors
    /// Bytes that are not an HTTP/1 answer. The connection must be closed; the
    /// parser itself is then as new.
    #[inline]
    pub fn advance<S: BodySink + ?Sized>(
        &mut self,
        to_head: bool,
        input: &[u8],
        sink: &mut S,
    ) -> Result<(usize, Step), Malformed> {
        let read = self.read(to_head, input, sink);
        if read.is_err() {
            *self = Self::default();
        }
        read
    }

    fn read<S: BodySink + ?Sized>(
        &mut self,
        to_head: bool,
        input: &[u8],
        sink: &mut S,
    ) -> Result<(usize, Step), Malformed> {
        let mut used = 0;
        loop {
            let rest = input.get(used..).unwrap_or_default();
            let (taken, complete) = match &mut self.part {
                Part::Head => {
                    let (taken, complete) = self.read_head(rest)?;
                    used += taken;
                    if !complete {
                        return Ok((used, Step::Incomplete));
                    }
                    self.begin_body(to_head)?;
                    continue;
                }
                Part::Fixed(left) => {
                    let taken = hand_over(rest, left, sink, &mut self.body_bytes);
                    (taken, *left == 0)
                }
                Part::Chunked(chunked) => {
                    chunked.advance(&mut self.lines, rest, sink, &mut self.body_bytes)?
                }
                Part::UntilClose => {
                    let mut left = u64::MAX;
                    let taken = hand_over(rest, &mut left, sink, &mut self.body_bytes);
                    (taken, false)
                }
            };
            used += taken;
            let step = if complete {
                Step::Complete(self.take_answer())
            } else {
                Step::Incomplete
            };
            return Ok((used, step));
        }
    }

    /// Reads on in a head, and gives the bytes used and whether it is complete.
    #[inline]
    fn read_head(&mut self, input: &[u8]) -> Result<(usize, bool), Malformed> {
        let begins = !self.head.has_begun() && self.lines.held_bytes() == 0;
        if begins {
            if let Some((taken, head)) = self.known.recall(input) {
                self.head = head;
                return Ok((taken, true));
            }
        }
        let (taken, complete) = self.head.advance(&mut self.lines, input)?;
        if begins && complete {
            self.known
                .learn(input.get(..taken).unwrap_or_default(), self.head);
        }
        Ok((taken, complete))
    }

    /// The connection has ended. The parser is then as new.
    pub fn finish(&mut self) -> Ending {
        let ending = if self.until_close() {
            Ending::Complete(self.take_answer())
        } else if self.is_idle() {
            Ending::NothingPending
        } else {
            Ending::Short
        };
        *self = Self::default();
        ending
    }

    /// Whether nothing of an answer has come.
    pub fn is_idle(&self) -> bool {
        self.part == Part::Head
            && !self.head.has_begun()
            && self.lines.held_bytes() == 0
            && !self.interim_seen
    }

    /// Whether the body being read ends with the connection.
    pub fn until_close(&self) -> bool {
        self.part == Part::UntilClose
    }

    fn begin_body(&mut self, to_head: bool) -> Result<(), Malformed> {
        match self.head.status() {
            101 => return Err(Malformed::SwitchedProtocols),
            100..=199 => {
                self.interim_seen = true;
                self.head = Head::default();
            }
            _ => {
                self.part = match self.head.framing(to_head) {
                    Framing::Fixed(length) => Part::Fixed(length),
                    Framing::Chunked => Part::Chunked(Chunked::Size),
                    Framing::UntilClose => Part::UntilClose,
                };
            }
        }
        Ok(())
    }

    /// The answer that is complete, leaving the parser ready for the next.
    fn take_answer(&mut self) -> Answer {
        let answer = Answer {
            status: Status::Http(self.head.status()),
            body_bytes: self.body_bytes,
            reusable: self.head.persists() && !self.until_close(),
        };
        self.head = Head::default();
        self.part = Part::Head;
        self.body_bytes = 0;
        self.interim_seen = false;
        answer
    }
}
