//! A body that has to be read whole, because it is JSON.

use serde_json::Value;

/// Longest body that is kept for a JSON rule. A longer one cannot be judged
/// and counts as wrong: memory has to stay bounded.
pub const JSON_BODY_LIMIT_BYTES: usize = 16 * 1024 * 1024;

/// Room a connection keeps for the next JSON body. More is given back.
const KEPT_BYTES: usize = 64 * 1024;

/// A body kept for JSON rules.
#[derive(Debug, Default)]
pub(super) struct JsonBody {
    collecting: bool,
    bytes: Vec<u8>,
    too_long: bool,
}

impl JsonBody {
    /// Collects the next body.
    pub(super) fn begin(&mut self) {
        self.leave();
        self.collecting = true;
    }

    /// Lets the next body pass.
    pub(super) fn leave(&mut self) {
        self.collecting = false;
        self.too_long = false;
        self.bytes.clear();
        if self.bytes.capacity() > KEPT_BYTES {
            self.bytes = Vec::new();
        }
    }

    /// The next bytes of the body.
    pub(super) fn piece(&mut self, bytes: &[u8]) {
        self.too_long = self.too_long || self.bytes.len() + bytes.len() > JSON_BODY_LIMIT_BYTES;
        if self.collecting && !self.too_long {
            self.bytes.extend_from_slice(bytes);
        }
    }

    /// Whether the body is JSON with these values at these pointers (RFC 6901).
    /// Numbers are equal as they are written: 1 is not 1.0.
    pub(super) fn has(&self, wanted: &[(String, Value)]) -> bool {
        if self.too_long || !self.collecting {
            return false;
        }
        serde_json::from_slice::<Value>(&self.bytes).is_ok_and(|body| {
            wanted
                .iter()
                .all(|(pointer, value)| body.pointer(pointer) == Some(value))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn collected(pieces: &[&[u8]]) -> JsonBody {
        let mut body = JsonBody::default();
        body.begin();
        for piece in pieces {
            body.piece(piece);
        }
        body
    }

    fn at(pointer: &str, value: Value) -> Vec<(String, Value)> {
        vec![(pointer.to_owned(), value)]
    }

    #[test]
    fn values_are_found_by_pointer() {
        let body = collected(&[b"{\"a\":[1,{\"b/c\"", b":\"x\"}]}"]);
        assert!(body.has(&at("/a/0", json!(1))));
        assert!(body.has(&at("/a/1/b~1c", json!("x"))));
        assert!(!body.has(&at("/a/0", json!(1.0))));
        assert!(!body.has(&at("/b", json!(null))));
        assert!(body.has(&[]));
    }

    #[test]
    fn what_is_not_json_has_nothing() {
        assert!(!collected(&[b"{"]).has(&[]));
        assert!(!collected(&[]).has(&[]));
        assert!(!collected(&[b"1 2"]).has(&at("", json!(1))));
    }

    #[test]
    fn a_body_over_the_limit_has_nothing_and_its_room_is_given_back() {
        let spaces = vec![b' '; JSON_BODY_LIMIT_BYTES - 1];
        let mut body = collected(&[&spaces, b"1"]);
        assert!(body.has(&at("", json!(1))));
        body.begin();
        assert_eq!(body.bytes.capacity(), 0);
        let body = collected(&[&spaces, b" ", b"1"]);
        assert!(!body.has(&at("", json!(1))));
        assert!(body.bytes.len() <= JSON_BODY_LIMIT_BYTES);
    }
}
