//! The chunked transfer coding (RFC 9112 §7.1).

use super::answer::{BodySink, Malformed};
use super::counted::{expect_byte, hand_over};
use super::head::Trailer;
use super::line::LineBuffer;
use super::number::hexadecimal;

/// Longest line of a chunk size with its extensions. §7.1.1 asks readers to
/// limit them; 16 KiB is the limit that hyper sets for a whole body.
pub(super) const CHUNK_LINE_LIMIT_BYTES: usize = 16 * 1024;

/// Where in a chunked body the reader stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Chunked {
    /// In the line of a chunk's size.
    Size,
    /// In a chunk's data, this many bytes of it still to come.
    Data(u64),
    /// Before the CR that follows the data.
    DataCr,
    /// Before the LF that follows it.
    DataLf,
    /// After the last chunk.
    Trailer(Trailer),
}

impl Chunked {
    /// Reads on, and gives the bytes used and whether the body is complete.
    /// `body_bytes` grows by what was handed to the sink.
    pub(super) fn advance<S: BodySink + ?Sized>(
        &mut self,
        lines: &mut LineBuffer,
        input: &[u8],
        sink: &mut S,
        body_bytes: &mut u64,
    ) -> Result<(usize, bool), Malformed> {
        let mut used = 0;
        while let Some(rest) = input.get(used..).filter(|rest| !rest.is_empty()) {
            match self {
                Self::Size => {
                    let found =
                        lines.read(rest, CHUNK_LINE_LIMIT_BYTES, Malformed::ChunkLineTooLong)?;
                    let Some((taken, line)) = found else {
                        return Ok((input.len(), false));
                    };
                    let size = chunk_size(line).ok_or(Malformed::ChunkSize)?;
                    lines.clear();
                    used += taken;
                    *self = match size {
                        0 => Self::Trailer(Trailer::default()),
                        size => Self::Data(size),
                    };
                }
                Self::Data(left) => {
                    used += hand_over(rest, left, sink, body_bytes);
                    if *left == 0 {
                        *self = Self::DataCr;
                    }
                }
                Self::DataCr => {
                    used += expect_byte(rest, b'\r', Malformed::ChunkEnd)?;
                    *self = Self::DataLf;
                }
                Self::DataLf => {
                    used += expect_byte(rest, b'\n', Malformed::ChunkEnd)?;
                    *self = Self::Size;
                }
                Self::Trailer(trailer) => {
                    let (taken, complete) = trailer.advance(lines, rest)?;
                    return Ok((used + taken, complete));
                }
            }
        }
        Ok((used, false))
    }
}

/// The size out of `1a;name=value CR LF`. The leniency of RFC 9112 §2.2 about
/// bare line feeds covers header lines only, so a chunk's line needs its CR.
fn chunk_size(line: &[u8]) -> Option<u64> {
    let text = line.strip_suffix(b"\r\n")?;
    let end = text
        .iter()
        .position(|byte| !byte.is_ascii_hexdigit())
        .unwrap_or(text.len());
    let (digits, extensions) = text.split_at(end);
    let extensions = extensions.trim_ascii_start();
    let well_formed = (extensions.is_empty() || extensions.starts_with(b";"))
        && !extensions
            .iter()
            .any(|byte| byte.is_ascii_control() && *byte != b'\t');
    well_formed.then(|| hexadecimal(digits)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_hexadecimal_in_either_case() {
        assert_eq!(chunk_size(b"1a\r\n"), Some(26));
        assert_eq!(chunk_size(b"1A\r\n"), Some(26));
        assert_eq!(chunk_size(b"0000\r\n"), Some(0));
        assert_eq!(chunk_size(b"ffffffffffffffff\r\n"), Some(u64::MAX));
    }

    #[test]
    fn extensions_are_skipped() {
        assert_eq!(chunk_size(b"5;name\r\n"), Some(5));
        assert_eq!(chunk_size(b"5 ; name=\"a;b\"\r\n"), Some(5));
        assert_eq!(chunk_size(b"5 \t\r\n"), Some(5));
    }

    #[test]
    fn anything_else_is_no_size() {
        let wrong: [&[u8]; 11] = [
            b"\r\n",
            b"5\n",
            b"g\r\n",
            b"-5\r\n",
            b"+5\r\n",
            b"0x5\r\n",
            b"5 5\r\n",
            b" 5\r\n",
            b";a\r\n",
            b"5;a\rb\r\n",
            b"10000000000000000\r\n",
        ];
        for line in wrong {
            assert_eq!(
                chunk_size(line),
                None,
                "{:?}",
                String::from_utf8_lossy(line)
            );
        }
    }
}
