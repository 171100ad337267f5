//! Lines out of a stream that may be cut anywhere.

use memchr::memchr;

use super::answer::Malformed;

/// Room a connection keeps between answers that come in parts. More is given
/// back, so that 10,000 connections do not each remember their longest line.
const KEPT_BYTES: usize = 1024;

/// Holds the beginning of a line whose end has not come yet.
///
/// Every byte is searched for a line end once, however the input is cut. On
/// lines that arrive whole the buffer stays empty and has no heap.
#[derive(Debug, Default)]
pub(super) struct LineBuffer {
    held: Vec<u8>,
}

impl LineBuffer {
    /// Bytes of a line that has begun.
    pub(super) fn held_bytes(&self) -> usize {
        self.held.len()
    }

    /// The line that ends in `input`, its LF included, and the bytes of `input`
    /// it took; `None` when all of `input` was taken and the line goes on.
    /// After a line the buffer must be cleared.
    ///
    /// Fails with `too_long` on a line of more than `limit_bytes`, which is
    /// found without waiting for its end.
    #[inline]
    pub(super) fn read<'a>(
        &'a mut self,
        input: &'a [u8],
        limit_bytes: usize,
        too_long: Malformed,
    ) -> Result<Option<(usize, &'a [u8])>, Malformed> {
        let end = memchr(b'\n', input);
        let taken = end.map_or(input.len(), |at| at + 1);
        if self.held.len() + taken > limit_bytes {
            return Err(too_long);
        }
        let piece = input.get(..taken).unwrap_or(input);
        if end.is_some() && self.held.is_empty() {
            return Ok(Some((taken, piece)));
        }
        self.held.extend_from_slice(piece);
        Ok(end.map(|_| (taken, self.held.as_slice())))
    }

    /// Forgets the line.
    #[inline]
    pub(super) fn clear(&mut self) {
        self.held.clear();
        if self.held.capacity() > KEPT_BYTES {
            self.held = Vec::new();
        }
    }
}

/// The line without its LF or CR LF.
#[inline]
pub(super) fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(buffer: &mut LineBuffer, input: &[u8]) -> Option<(usize, Vec<u8>)> {
        let found = buffer
            .read(input, 10_000, Malformed::HeadTooLong)
            .unwrap()
            .map(|(taken, line)| (taken, line.to_vec()));
        if found.is_some() {
            buffer.clear();
        }
        found
    }

    #[test]
    fn a_whole_line_needs_no_heap() {
        let mut buffer = LineBuffer::default();
        assert_eq!(
            read(&mut buffer, b"one\r\ntwo"),
            Some((5, b"one\r\n".to_vec()))
        );
        assert_eq!(buffer.held.capacity(), 0);
    }

    #[test]
    fn parts_are_joined() {
        let mut buffer = LineBuffer::default();
        assert_eq!(read(&mut buffer, b"on"), None);
        assert_eq!(read(&mut buffer, b""), None);
        assert_eq!(read(&mut buffer, b"e\r"), None);
        assert_eq!(buffer.held_bytes(), 4);
        assert_eq!(read(&mut buffer, b"\ntwo"), Some((1, b"one\r\n".to_vec())));
        assert_eq!(buffer.held_bytes(), 0);
    }

    #[test]
    fn the_limit_counts_the_line_end_and_does_not_wait_for_it() {
        let mut buffer = LineBuffer::default();
        assert!(buffer.read(b"123\n", 4, Malformed::HeadTooLong).is_ok());
        assert_eq!(
            buffer.read(b"1234\n", 4, Malformed::HeadTooLong),
            Err(Malformed::HeadTooLong)
        );
        assert_eq!(buffer.read(b"12", 4, Malformed::HeadTooLong), Ok(None));
        assert_eq!(
            buffer.read(b"345", 4, Malformed::HeadTooLong),
            Err(Malformed::HeadTooLong)
        );
    }

    #[test]
    fn a_long_line_is_not_remembered() {
        let mut buffer = LineBuffer::default();
        assert_eq!(read(&mut buffer, &[b'a'; 5000]), None);
        assert!(read(&mut buffer, b"\n").is_some());
        assert_eq!(buffer.held.capacity(), 0);
    }

    #[test]
    fn ends_are_stripped_once() {
        assert_eq!(without_end(b"a\r\n"), b"a");
        assert_eq!(without_end(b"a\n"), b"a");
        assert_eq!(without_end(b"a\r\r\n"), b"a\r");
        assert_eq!(without_end(b"\n"), b"");
    }
}
