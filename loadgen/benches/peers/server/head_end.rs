//! Counting requests: each ends with an empty line, wherever the reads cut it.

use memchr::memmem;

const END: &[u8] = b"\r\n\r\n";

/// How much of an empty line the bytes so far end with. Requests with bodies are not understood:
/// every tool sends plain GETs here.
#[derive(Default)]
pub struct HeadEnd {
    seen: usize,
}

impl HeadEnd {
    /// The number of requests that these bytes complete.
    pub fn count(&mut self, bytes: &[u8]) -> usize {
        let mut completed = 0;
        let mut rest = bytes;
        while let (true, Some((&byte, after))) = (self.seen > 0, rest.split_first()) {
            rest = after;
            if byte == END[self.seen] {
                self.seen += 1;
            } else {
                self.seen = usize::from(byte == END[0]);
            }
            if self.seen == END.len() {
                completed += 1;
                self.seen = 0;
            }
        }
        if rest.is_empty() {
            return completed;
        }
        let mut after_last = 0;
        for at in memmem::find_iter(rest, END) {
            completed += 1;
            after_last = at + END.len();
        }
        let tail = &rest[after_last..];
        self.seen = (1..END.len())
            .rev()
            .find(|&length| tail.ends_with(&END[..length]))
            .unwrap_or(0);
        completed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn cutting_does_not_change_the_count(
            text in "[a\r\n]{0,60}",
            cuts in proptest::collection::vec(0usize..60, 0..6),
        ) {
            let bytes = text.as_bytes();
            let whole = HeadEnd::default().count(bytes);
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.sort_unstable();
            cuts.push(bytes.len());
            let (mut head_end, mut from, mut counted) = (HeadEnd::default(), 0, 0);
            for cut in cuts {
                counted += head_end.count(&bytes[from..cut]);
                from = cut;
            }
            prop_assert_eq!(counted, whole);
        }
    }

    #[test]
    fn pipelined_requests_are_each_counted() {
        let three = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(3);
        assert_eq!(HeadEnd::default().count(&three), 3);
    }
}
