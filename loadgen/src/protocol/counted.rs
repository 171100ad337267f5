//! Parts of an answer whose length was announced.

use super::answer::{BodySink, Malformed};

/// Hands over what has come of the announced bytes: the body `left` to come
/// shrinks and `body_bytes` grows by the bytes of input that are returned.
#[inline]
pub(super) fn hand_over<S: BodySink + ?Sized>(
    input: &[u8],
    left: &mut u64,
    sink: &mut S,
    body_bytes: &mut u64,
) -> usize {
    let most = usize::try_from(*left).unwrap_or(usize::MAX);
    let piece = input.get(..most).unwrap_or(input);
    if !piece.is_empty() {
        sink.piece(piece);
    }
    *left -= piece.len() as u64;
    *body_bytes = body_bytes.saturating_add(piece.len() as u64);
    piece.len()
}

/// The one byte that must come next; nothing used while it has not come.
#[inline]
pub(super) fn expect_byte(
    input: &[u8],
    byte: u8,
    otherwise: Malformed,
) -> Result<usize, Malformed> {
    match input.first() {
        None => Ok(0),
        Some(first) if *first == byte => Ok(1),
        Some(_) => Err(otherwise),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Collected(Vec<Vec<u8>>);

    impl BodySink for Collected {
        fn piece(&mut self, bytes: &[u8]) {
            self.0.push(bytes.to_vec());
        }
    }

    #[test]
    fn no_more_than_announced_is_handed_over() {
        let (mut sink, mut left, mut body_bytes) = (Collected::default(), 5, 10);
        assert_eq!(hand_over(b"abc", &mut left, &mut sink, &mut body_bytes), 3);
        assert_eq!(hand_over(b"", &mut left, &mut sink, &mut body_bytes), 0);
        assert_eq!(hand_over(b"defg", &mut left, &mut sink, &mut body_bytes), 2);
        assert_eq!((left, body_bytes), (0, 15));
        assert_eq!(sink.0, [b"abc".to_vec(), b"de".to_vec()]);
    }

    #[test]
    fn only_the_expected_byte_passes() {
        assert_eq!(expect_byte(b"\r\n", b'\r', Malformed::ChunkEnd), Ok(1));
        assert_eq!(expect_byte(b"", b'\r', Malformed::ChunkEnd), Ok(0));
        assert_eq!(
            expect_byte(b"\n", b'\r', Malformed::ChunkEnd),
            Err(Malformed::ChunkEnd)
        );
    }
}
