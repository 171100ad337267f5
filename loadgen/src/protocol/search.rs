//! Looking for bytes in a body that comes in pieces.

use memchr::memmem;

/// One needle and what is known of it.
#[derive(Debug, Default)]
pub(super) struct Search {
    needle: Vec<u8>,
    /// The end of what has passed, too short to hold the whole needle.
    tail: Vec<u8>,
    found: bool,
}

impl Search {
    /// Turns to another body, and perhaps another needle.
    pub(super) fn begin(&mut self, needle: &[u8]) {
        self.needle.clear();
        self.needle.extend_from_slice(needle);
        self.tail.clear();
        self.found = needle.is_empty();
    }

    /// Whether the needle was in the body so far.
    pub(super) fn has_found(&self) -> bool {
        self.found
    }

    /// The next bytes of the body.
    pub(super) fn piece(&mut self, bytes: &[u8]) {
        if self.found {
            return;
        }
        let overlap = self.needle.len() - 1;
        if !self.tail.is_empty() {
            // Every occurrence that straddles the cut lies within the tail and
            // as many bytes after it.
            let head = bytes.get(..overlap).unwrap_or(bytes);
            self.tail.extend_from_slice(head);
            self.found = memmem::find(&self.tail, &self.needle).is_some();
        }
        self.found = self.found || memmem::find(bytes, &self.needle).is_some();
        if bytes.len() >= overlap || self.tail.is_empty() {
            self.tail.clear();
            let kept = bytes.len().saturating_sub(overlap);
            self.tail
                .extend_from_slice(bytes.get(kept..).unwrap_or_default());
        } else {
            let dropped = self.tail.len().saturating_sub(overlap);
            self.tail.drain(..dropped);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn finds<'a>(needle: &[u8], pieces: impl IntoIterator<Item = &'a [u8]>) -> bool {
        let mut search = Search::default();
        search.begin(needle);
        for piece in pieces {
            search.piece(piece);
        }
        search.has_found()
    }

    #[test]
    fn a_needle_is_found_across_cuts() {
        let body = b"say hello world";
        assert!(finds(b"hello", [&body[..]]));
        assert!(finds(b"hello", body.chunks(1)));
        assert!(finds(b"o w", [&body[..9], &body[9..]]));
        assert!(!finds(b"hallo", body.chunks(2)));
    }

    #[test]
    fn nothing_is_in_every_body() {
        assert!(finds(b"", []));
        assert!(!finds(b"a", []));
    }

    #[test]
    fn a_new_body_begins_without_the_last_ones_end() {
        let mut search = Search::default();
        search.begin(b"ab");
        search.piece(b"a");
        search.begin(b"ab");
        search.piece(b"b");
        assert!(!search.has_found());
    }

    proptest! {
        #[test]
        fn cuts_change_nothing(
            body in "[ab]{0,40}", needle in "[ab]{0,6}", sizes in prop::collection::vec(1..9usize, 1..40),
        ) {
            let mut rest = body.as_bytes();
            let mut pieces = Vec::new();
            for size in sizes.iter().cycle().take(body.len()) {
                let (piece, after) = rest.split_at((*size).min(rest.len()));
                if !piece.is_empty() {
                    pieces.push(piece);
                }
                rest = after;
            }
            prop_assert_eq!(finds(needle.as_bytes(), pieces), body.contains(&needle));
        }
    }
}
