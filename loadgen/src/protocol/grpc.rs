//! The answer to a unary gRPC call: one message with a prefix of 5 bytes, and a status in the
//! trailers (the protocol's document "gRPC over HTTP/2").

use super::answer::BodySink;
use super::number::decimal;

/// Bytes before a message: whether it is compressed, and its length.
pub const PREFIX_BYTES: usize = 5;

/// The names of the statuses, by number; the last two are of other numbers and of answers
/// without a status.
pub const STATUS_NAMES: [&str; 19] = [
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
    "OTHER",
    "MISSING",
];

/// The number of [`STATUS_NAMES`] for a status that is none of the protocol's.
const OTHER: u8 = 17;
/// The same for an answer without one.
const MISSING: u8 = 18;

/// What has come of an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallAnswer {
    prefix: [u8; PREFIX_BYTES],
    /// Bytes of the body so far, prefix included.
    body_bytes: u64,
    status: Option<u8>,
}

impl CallAnswer {
    /// A piece of the body; `sink` gets the message's part of it.
    pub fn piece<S: BodySink + ?Sized>(&mut self, bytes: &[u8], sink: &mut S) {
        let prefix_from = self.body_bytes.min(PREFIX_BYTES as u64) as usize;
        let prefix_bytes = bytes.len().min(PREFIX_BYTES - prefix_from);
        let (prefix, message) = bytes.split_at(prefix_bytes);
        self.prefix[prefix_from..prefix_from + prefix_bytes].copy_from_slice(prefix);
        self.body_bytes = self.body_bytes.saturating_add(bytes.len() as u64);
        if !message.is_empty() {
            sink.piece(message);
        }
    }

    /// The value of `grpc-status`.
    pub fn note_status(&mut self, value: &[u8]) {
        let number = decimal(value).unwrap_or(u64::MAX);
        self.status = Some(number.min(u64::from(OTHER)) as u8);
    }

    /// The number in [`STATUS_NAMES`].
    pub fn status(&self) -> u8 {
        self.status.unwrap_or(MISSING)
    }

    /// What is wrong with the message of an answer whose status is OK.
    ///
    /// # Errors
    /// It is not one whole, uncompressed message.
    pub fn check(&self) -> Result<(), String> {
        let [compressed, length @ ..] = self.prefix;
        let said = u64::from(u32::from_be_bytes(length));
        let Some(came) = self.body_bytes.checked_sub(PREFIX_BYTES as u64) else {
            return Err(format!(
                "gRPC: the status is OK, but the answer has {} bytes and contains no message",
                self.body_bytes
            ));
        };
        if compressed != 0 {
            return Err(
                "gRPC: the message is compressed, although the request did not ask for \
                        compression"
                    .to_owned(),
            );
        }
        if said != came {
            return Err(format!(
                "gRPC: the message is {said} bytes long by its prefix, but {came} bytes arrived"
            ));
        }
        Ok(())
    }
}

/// The bytes before a message of this length.
pub fn prefix(length: usize) -> [u8; PREFIX_BYTES] {
    let [a, b, c, d] = (length as u32).to_be_bytes();
    [0, a, b, c, d]
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Kept(Vec<u8>);

    impl BodySink for Kept {
        fn piece(&mut self, bytes: &[u8]) {
            self.0.extend_from_slice(bytes);
        }
    }

    fn read(body: &[u8], size: usize) -> (CallAnswer, Vec<u8>) {
        let (mut answer, mut kept) = (CallAnswer::default(), Kept(Vec::new()));
        for piece in body.chunks(size) {
            answer.piece(piece, &mut kept);
        }
        (answer, kept.0)
    }

    #[test]
    fn a_message_is_read_however_it_is_cut() {
        let mut body = prefix(300).to_vec();
        body.extend((0..300_u32).map(|number| number as u8));
        for size in [1, 2, 4, 5, 6, 305] {
            let (answer, message) = read(&body, size);
            assert_eq!(answer.check(), Ok(()));
            assert_eq!(message, body[PREFIX_BYTES..]);
        }
    }

    #[test]
    fn a_broken_prefix_is_told() {
        for (body, why) in [
            (&b""[..], "no message"),
            (b"\0\0\0", "no message"),
            (b"\0\0\0\0\x02a", "2 bytes long by its prefix, but 1"),
            (b"\0\0\0\0\0a", "0 bytes long by its prefix, but 1"),
            (b"\x01\0\0\0\x01a", "compressed"),
        ] {
            let error = read(body, 2).0.check().unwrap_err();
            assert!(error.contains(why), "{error}");
        }
        assert_eq!(read(b"\0\0\0\0\0", 1).0.check(), Ok(()), "an empty message");
    }

    #[test]
    fn statuses_have_names() {
        let name = |value: Option<&[u8]>| {
            let mut answer = CallAnswer::default();
            value
                .into_iter()
                .for_each(|value| answer.note_status(value));
            STATUS_NAMES[usize::from(answer.status())]
        };
        assert_eq!(name(Some(b"0")), "OK");
        assert_eq!(name(Some(b"16")), "UNAUTHENTICATED");
        for odd in [&b"17"[..], b"18", b"999", b"", b"\xff", b"-1", b"+0"] {
            assert_eq!(name(Some(odd)), "OTHER");
        }
        assert_eq!(name(None), "MISSING");
    }
}
