//! RESP2 replies, the protocol of Redis
//! (<https://redis.io/docs/latest/develop/reference/protocol-spec/>).

use std::borrow::Cow;

use super::answer::{Answer, BodySink, Ending, Malformed, ReplyKind, Status, Step};
use super::counted::{expect_byte, hand_over};
use super::line::LineBuffer;
use super::number::decimal;

/// Largest bulk string: Redis's own default limit, `proto-max-bulk-len`.
pub const BULK_LIMIT_BYTES: u64 = 512 * 1024 * 1024;

/// Deepest nesting of arrays that is read. The deepest replies of everyday
/// commands, those of XREAD, are five deep: streams, stream, entries, entry,
/// fields.
pub const NESTING_LIMIT: usize = 8;

/// How much of an error's text is kept for a message.
pub const ERROR_TEXT_LIMIT_BYTES: usize = 200;

/// Longest line: simple strings and errors are short by nature, and Redis
/// itself reads no inline request longer than this (`PROTO_INLINE_MAX_SIZE`).
pub(super) const REPLY_LINE_LIMIT_BYTES: usize = 64 * 1024;

/// Which part of a reply comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Part {
    #[default]
    Line,
    Bulk(u64),
    BulkCr,
    BulkLf,
}

/// Reads the replies of one connection, in whatever pieces they arrive.
#[derive(Debug, Default)]
pub struct RespParser {
    lines: LineBuffer,
    error_text: Vec<u8>,
    body_bytes: u64,
    part: Part,
    /// Elements still to come of each open array, the outermost first.
    open: [u32; NESTING_LIMIT],
    depth: u8,
    /// The outermost kind, once its line was read.
    kind: Option<ReplyKind>,
}

/// What the line of a reply announces.
enum Announced {
    /// The reply is complete with its line.
    Whole(ReplyKind),
    /// So many bytes follow.
    Bulk(u64),
    /// So many replies follow.
    Array(u32),
}

impl RespParser {
    /// Reads input up to the end of the first reply in it, and gives the bytes
    /// used: all of them when the reply is incomplete. The text of simple and
    /// bulk strings goes to the sink, at whatever depth.
    ///
    /// # Errors
    /// Bytes that are not RESP2. The connection must be closed; the parser
    /// itself is then as new.
    #[inline]
    pub fn advance<S: BodySink + ?Sized>(
        &mut self,
        input: &[u8],
        sink: &mut S,
    ) -> Result<(usize, Step), Malformed> {
        let read = self.read(input, sink);
        if read.is_err() {
            *self = Self::default();
        }
        read
    }

    fn read<S: BodySink + ?Sized>(
        &mut self,
        input: &[u8],
        sink: &mut S,
    ) -> Result<(usize, Step), Malformed> {
        let mut used = 0;
        while let Some(rest) = input.get(used..).filter(|rest| !rest.is_empty()) {
            let (taken, item_complete) = match &mut self.part {
                Part::Line => self.read_line(rest, sink)?,
                Part::Bulk(left) => {
                    let taken = hand_over(rest, left, sink, &mut self.body_bytes);
                    if *left == 0 {
                        self.part = Part::BulkCr;
                    }
                    (taken, false)
                }
                Part::BulkCr => {
                    let taken = expect_byte(rest, b'\r', Malformed::BulkEnd)?;
                    self.part = Part::BulkLf;
                    (taken, false)
                }
                Part::BulkLf => {
                    let taken = expect_byte(rest, b'\n', Malformed::BulkEnd)?;
                    self.part = Part::Line;
                    (taken, true)
                }
            };
            used += taken;
            if item_complete && self.close_arrays() {
                return Ok((used, Step::Complete(self.take_answer())));
            }
        }
        Ok((used, Step::Incomplete))
    }

    /// The connection has ended. The parser is then as new.
    pub fn finish(&mut self) -> Ending {
        let ending = if self.is_idle() {
            Ending::NothingPending
        } else {
            Ending::Short
        };
        *self = Self::default();
        ending
    }

    /// Whether nothing of a reply has come.
    pub fn is_idle(&self) -> bool {
        self.kind.is_none() && self.lines.held_bytes() == 0
    }

    /// The beginning of the first error in the reply last read, without its
    /// `-`, until the next reply begins; empty when there was none.
    pub fn error_text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.error_text)
    }

    /// Reads the line a reply begins with; gives the bytes used and whether
    /// that completes it.
    fn read_line<S: BodySink + ?Sized>(
        &mut self,
        rest: &[u8],
        sink: &mut S,
    ) -> Result<(usize, bool), Malformed> {
        if self.lines.held_bytes() == 0 {
            check_begin(rest)?;
        }
        let found = self
            .lines
            .read(rest, REPLY_LINE_LIMIT_BYTES, Malformed::ReplyLineTooLong)?;
        let Some((taken, line)) = found else {
            return Ok((rest.len(), false));
        };
        if self.kind.is_none() {
            self.error_text.clear();
        }
        let (&mark, text) = line
            .strip_suffix(b"\r\n")
            .and_then(<[u8]>::split_first)
            .ok_or(Malformed::ReplyLine)?;
        let announced = announced(mark, text)?;
        match announced {
            Announced::Whole(ReplyKind::Simple) if !text.is_empty() => {
                sink.piece(text);
                self.body_bytes = self.body_bytes.saturating_add(text.len() as u64);
            }
            Announced::Whole(ReplyKind::Error) if self.error_text.is_empty() => {
                let kept = text.get(..ERROR_TEXT_LIMIT_BYTES).unwrap_or(text);
                self.error_text.extend_from_slice(kept);
            }
            _ => {}
        }
        self.lines.clear();
        let kind = match announced {
            Announced::Whole(kind) => kind,
            Announced::Bulk(_) => ReplyKind::Bulk,
            Announced::Array(_) => ReplyKind::Array,
        };
        self.kind.get_or_insert(kind);
        let complete = match announced {
            Announced::Whole(_) | Announced::Array(0) => true,
            Announced::Bulk(0) => {
                self.part = Part::BulkCr;
                false
            }
            Announced::Bulk(length) => {
                self.part = Part::Bulk(length);
                false
            }
            Announced::Array(count) => {
                let level = self
                    .open
                    .get_mut(usize::from(self.depth))
                    .ok_or(Malformed::NestedTooDeep)?;
                *level = count;
                self.depth += 1;
                false
            }
        };
        Ok((taken, complete))
    }

    /// Counts one complete reply in the innermost open array, closing those it
    /// completes; whether none is left open.
    fn close_arrays(&mut self) -> bool {
        while let Some(level) = usize::from(self.depth)
            .checked_sub(1)
            .and_then(|index| self.open.get_mut(index))
        {
            *level -= 1;
            if *level > 0 {
                return false;
            }
            self.depth -= 1;
        }
        true
    }

    /// The reply that is complete, leaving the parser ready for the next.
    fn take_answer(&mut self) -> Answer {
        let kind = self.kind.take().unwrap_or(ReplyKind::Null);
        let body_bytes = std::mem::take(&mut self.body_bytes);
        Answer {
            status: Status::Reply(kind),
            body_bytes,
            reusable: true,
        }
    }
}

/// Garbage, RESP3 included, shows in the first byte.
fn check_begin(input: &[u8]) -> Result<(), Malformed> {
    match input.first() {
        Some(b'+' | b'-' | b':' | b'$' | b'*') | None => Ok(()),
        Some(other) => Err(Malformed::NotResp(*other)),
    }
}

fn announced(mark: u8, text: &[u8]) -> Result<Announced, Malformed> {
    match mark {
        b'+' | b'-' if text.contains(&b'\r') => Err(Malformed::ReplyLine),
        b'+' => Ok(Announced::Whole(ReplyKind::Simple)),
        b'-' => Ok(Announced::Whole(ReplyKind::Error)),
        b':' if is_integer(text) => Ok(Announced::Whole(ReplyKind::Integer)),
        b':' => Err(Malformed::ReplyInteger),
        b'$' | b'*' if text == b"-1" => Ok(Announced::Whole(ReplyKind::Null)),
        b'$' => match decimal(text).ok_or(Malformed::ReplyLength)? {
            length @ 0..=BULK_LIMIT_BYTES => Ok(Announced::Bulk(length)),
            _ => Err(Malformed::BulkTooLong),
        },
        b'*' => decimal(text)
            .and_then(|count| u32::try_from(count).ok())
            .map(Announced::Array)
            .ok_or(Malformed::ReplyLength),
        other => Err(Malformed::NotResp(other)),
    }
}

/// Whether the text is a number of 64 bits: `-9223372036854775808` to
/// `9223372036854775807`, a `+` allowed.
fn is_integer(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|text| text.parse::<i64>().is_ok())
}
