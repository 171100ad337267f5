//! The head of an HTTP/1 answer: status line and fields (RFC 9112 §4 to §6),
//! read line by line, keeping only what decides where the answer ends.

use super::answer::Malformed;
use super::line::{without_end, LineBuffer};
use super::number::decimal;

/// Longest head, and longest trailer, that is read. RFC 9110 §5.4 leaves the
/// limit to the reader; common servers send at most 8 to 32 KiB.
pub const HEAD_LIMIT_BYTES: usize = 64 * 1024;

/// Most fields a head, or a trailer, may have (RFC 9110 §5.4, as above).
pub const FIELD_COUNT_LIMIT: u8 = 128;

/// Every status line begins so (RFC 9112 §2.3 and §4), whatever minor version.
const STATUS_LINE_BEGIN: &[u8] = b"HTTP/1.";

/// How the body of an answer is delimited (RFC 9112 §6.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// A number of bytes, zero included.
    Fixed(u64),
    /// Chunks, the last of size zero.
    Chunked,
    /// All bytes until the connection closes.
    UntilClose,
}

/// The final transfer coding seen so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Coding {
    #[default]
    None,
    Chunked,
    Other,
}

/// Which field a line belongs to: a folded line continues the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Field {
    #[default]
    None,
    Framing,
    Unread,
}

/// A head as far as it was read.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Head {
    content_length: Option<u64>,
    bytes: u32,
    status: u16,
    fields: u8,
    minor_version: u8,
    coding: Coding,
    last_field: Field,
    chunked_seen: bool,
    close: bool,
    keep_alive: bool,
}

impl Head {
    /// Whether the status line was read. Codes begin at 100.
    pub(super) fn has_begun(&self) -> bool {
        self.status != 0
    }

    /// The status code.
    pub(super) fn status(&self) -> u16 {
        self.status
    }

    /// Reads on, and gives the bytes used and whether the head is complete.
    #[inline]
    pub(super) fn advance(
        &mut self,
        lines: &mut LineBuffer,
        input: &[u8],
    ) -> Result<(usize, bool), Malformed> {
        if !self.has_begun() {
            check_begin(lines.held_bytes(), input)?;
        }
        let mut used = 0;
        loop {
            let rest = input.get(used..).unwrap_or_default();
            let left_bytes = HEAD_LIMIT_BYTES.saturating_sub(self.bytes as usize);
            let Some((taken, line)) = lines.read(rest, left_bytes, Malformed::HeadTooLong)? else {
                return Ok((input.len(), false));
            };
            used += taken;
            self.bytes = self.bytes.saturating_add(line.len() as u32);
            let text = without_end(line);
            let complete = self.has_begun() && text.is_empty();
            if !self.has_begun() {
                self.status_line(text)?;
            } else if !complete {
                self.field_line(text)?;
            }
            lines.clear();
            if complete {
                return Ok((used, true));
            }
        }
    }

    /// `HTTP/1.1 200 OK`; the reason may be empty or missing (§4).
    fn status_line(&mut self, text: &[u8]) -> Result<(), Malformed> {
        let rest = text
            .strip_prefix(STATUS_LINE_BEGIN)
            .ok_or(Malformed::StatusLine)?;
        let [minor @ (b'0' | b'1'), b' ', a @ b'1'..=b'9', b @ b'0'..=b'9', c @ b'0'..=b'9', reason @ ..] =
            rest
        else {
            return Err(Malformed::StatusLine);
        };
        let reason_is_good = reason.first().is_none_or(|first| *first == b' ');
        if !reason_is_good || has_control(reason) {
            return Err(Malformed::StatusLine);
        }
        self.minor_version = minor - b'0';
        self.status = u16::from(a - b'0') * 100 + u16::from(b - b'0') * 10 + u16::from(c - b'0');
        Ok(())
    }

    /// `name: value`, or the continuation of the field before it.
    fn field_line(&mut self, text: &[u8]) -> Result<(), Malformed> {
        if has_control(text) {
            return Err(Malformed::Field);
        }
        if matches!(text.first(), Some(b' ' | b'\t')) {
            return match self.last_field {
                Field::None => Err(Malformed::Field),
                Field::Framing => Err(Malformed::FoldedFraming),
                Field::Unread => Ok(()),
            };
        }
        if self.fields == FIELD_COUNT_LIMIT {
            return Err(Malformed::TooManyFields);
        }
        self.fields += 1;
        let (name, value) = name_and_value(text).ok_or(Malformed::Field)?;
        self.last_field = Field::Framing;
        // Names differ in length, so that most fields cost one comparison.
        match name.len() {
            14 if name.eq_ignore_ascii_case(b"content-length") => self.content_length(value),
            17 if name.eq_ignore_ascii_case(b"transfer-encoding") => self.transfer_encoding(value),
            10 if name.eq_ignore_ascii_case(b"connection") => {
                self.connection(value);
                Ok(())
            }
            _ => {
                self.last_field = Field::Unread;
                Ok(())
            }
        }
    }

    /// Equal lengths, repeated in one field or several, count as one
    /// (RFC 9110 §8.6).
    fn content_length(&mut self, value: &[u8]) -> Result<(), Malformed> {
        for element in value.split(|byte| *byte == b',') {
            let length = decimal(element.trim_ascii()).ok_or(Malformed::ContentLength)?;
            if self.content_length.is_some_and(|before| before != length) {
                return Err(Malformed::ConflictingLengths);
            }
            self.content_length = Some(length);
        }
        Ok(())
    }

    fn transfer_encoding(&mut self, value: &[u8]) -> Result<(), Malformed> {
        let mut codings = 0;
        for element in elements(value) {
            codings += 1;
            self.coding = if element.eq_ignore_ascii_case(b"chunked") {
                if self.chunked_seen {
                    return Err(Malformed::TransferEncoding);
                }
                self.chunked_seen = true;
                Coding::Chunked
            } else {
                Coding::Other
            };
        }
        if codings == 0 {
            return Err(Malformed::TransferEncoding);
        }
        Ok(())
    }

    fn connection(&mut self, value: &[u8]) {
        for option in elements(value) {
            self.close |= option.eq_ignore_ascii_case(b"close");
            self.keep_alive |= option.eq_ignore_ascii_case(b"keep-alive");
        }
    }

    /// Where the body ends; `to_head` when the request was HEAD (§6.3).
    pub(super) fn framing(&self, to_head: bool) -> Framing {
        let bodiless = to_head || matches!(self.status, 100..=199 | 204 | 304);
        match (bodiless, self.coding, self.content_length) {
            (true, ..) => Framing::Fixed(0),
            (false, Coding::Chunked, _) => Framing::Chunked,
            (false, Coding::Other, _) | (false, Coding::None, None) => Framing::UntilClose,
            (false, Coding::None, Some(length)) => Framing::Fixed(length),
        }
    }

    /// Whether the connection persists after this answer (RFC 9112 §9.3),
    /// its body's end left aside.
    pub(super) fn persists(&self) -> bool {
        // Two framings at once, or a transfer coding in HTTP/1.0, mean that
        // some hop is confused: use the answer, then close (§6.1, §6.3).
        let doubtful = self.coding != Coding::None
            && (self.content_length.is_some() || self.minor_version == 0);
        let asked = self.minor_version == 1 || self.keep_alive;
        asked && !self.close && !doubtful
    }
}

/// The trailer after the last chunk: fields that are checked and dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Trailer {
    bytes: u32,
    fields: u8,
}

impl Trailer {
    /// Reads on, and gives the bytes used and whether the trailer is complete.
    pub(super) fn advance(
        &mut self,
        lines: &mut LineBuffer,
        input: &[u8],
    ) -> Result<(usize, bool), Malformed> {
        let mut used = 0;
        loop {
            let rest = input.get(used..).unwrap_or_default();
            let left_bytes = HEAD_LIMIT_BYTES.saturating_sub(self.bytes as usize);
            let Some((taken, line)) = lines.read(rest, left_bytes, Malformed::TrailerTooLong)?
            else {
                return Ok((input.len(), false));
            };
            used += taken;
            self.bytes = self.bytes.saturating_add(line.len() as u32);
            let text = without_end(line);
            let complete = text.is_empty();
            if !complete {
                self.field_line(text)?;
            }
            lines.clear();
            if complete {
                return Ok((used, true));
            }
        }
    }

    fn field_line(&mut self, text: &[u8]) -> Result<(), Malformed> {
        let folded = self.fields > 0 && matches!(text.first(), Some(b' ' | b'\t'));
        if has_control(text) || !(folded || name_and_value(text).is_some()) {
            return Err(Malformed::Field);
        }
        if self.fields == FIELD_COUNT_LIMIT && !folded {
            return Err(Malformed::TrailerTooLong);
        }
        self.fields += u8::from(!folded);
        Ok(())
    }
}

/// Garbage shows in the first bytes; no need to wait for a line end that may
/// never come. `held_bytes` of the line have been checked before.
#[inline]
fn check_begin(held_bytes: usize, input: &[u8]) -> Result<(), Malformed> {
    let awaited = STATUS_LINE_BEGIN.get(held_bytes..).unwrap_or_default();
    let agrees = awaited.iter().zip(input).all(|(a, b)| a == b);
    agrees.then_some(()).ok_or(Malformed::StatusLine)
}

/// A name is a token directly followed by a colon (RFC 9112 §5.1).
#[inline]
fn name_and_value(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = text.iter().position(|byte| !TOKEN[usize::from(*byte)])?;
    let (name, rest) = text.split_at(end);
    let value = rest.strip_prefix(b":")?;
    (!name.is_empty()).then_some((name, value))
}

/// Whether a control character other than a tab is in the text: RFC 9110 §5.5
/// allows none in a field, and CR or NUL are dangerous.
#[inline]
fn has_control(text: &[u8]) -> bool {
    // Without an early exit, the loop is compiled to vector instructions.
    text.iter().fold(false, |found, byte| {
        found | ((*byte < b' ') & (*byte != b'\t')) | (*byte == 0x7f)
    })
}

/// The elements of a comma-separated list, empty ones skipped (RFC 9110 §5.6.1).
fn elements(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value
        .split(|byte| *byte == b',')
        .map(<[u8]>::trim_ascii)
        .filter(|element| !element.is_empty())
}

/// The characters of a token (RFC 9110 §5.6.2).
pub(crate) const TOKEN: [bool; 256] = {
    let marks = b"!#$%&'*+-.^_`|~";
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    let mut mark = 0;
    while mark < marks.len() {
        table[marks[mark] as usize] = true;
        mark += 1;
    }
    table
};
