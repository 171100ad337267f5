//! The first bytes of a PostgreSQL client, with which it may request encryption.
//!
//! The relay cannot read encrypted bytes. It therefore declines encryption by answering
//! `N`. The client then continues without encryption, or leaves if it requires encryption
//! (<https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-SSL>).

use super::message::STARTUP_HEAD_BYTES;

/// The code of a request for TLS.
pub const SSL_REQUEST: u32 = 80_877_103;
/// The code of a request for GSSAPI encryption.
pub const GSSENC_REQUEST: u32 = 80_877_104;
/// The answer with which a server declines encryption.
pub const NO_ENCRYPTION: &[u8] = b"N";

/// The action for the client's first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Greeted {
    /// Wait for more bytes.
    Waiting,
    /// Answer [`NO_ENCRYPTION`]; the request itself is not passed on.
    Encryption,
    /// Pass on the first bytes and all bytes after them.
    Done,
}

/// The first bytes of a client, until it is clear that the client does not request
/// encryption.
#[derive(Debug, Default)]
pub struct Greeting {
    held: Vec<u8>,
}

impl Greeting {
    /// Adds further bytes.
    pub fn hold(&mut self, bytes: &[u8]) {
        self.held.extend_from_slice(bytes);
    }

    /// The action for the bytes so far. After [`Greeted::Encryption`], call this again.
    pub fn decide(&mut self) -> Greeted {
        let Some((head, _)) = self.held.split_first_chunk::<STARTUP_HEAD_BYTES>() else {
            // Every startup packet is shorter than 64 KiB: its length begins with zeros.
            let startup = self.held.iter().take(2).all(|byte| *byte == 0);
            return if startup {
                Greeted::Waiting
            } else {
                Greeted::Done
            };
        };
        let [.., a, b, c, d] = *head;
        let asked = [SSL_REQUEST, GSSENC_REQUEST].contains(&u32::from_be_bytes([a, b, c, d]));
        if asked && head[..4] == [0, 0, 0, STARTUP_HEAD_BYTES as u8] {
            self.held.drain(..STARTUP_HEAD_BYTES);
            return Greeted::Encryption;
        }
        Greeted::Done
    }

    /// The bytes that were held, which are to be passed on.
    pub fn into_held(self) -> Vec<u8> {
        self.held
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(code: u32) -> Vec<u8> {
        [8_u32.to_be_bytes(), code.to_be_bytes()].concat()
    }

    #[test]
    fn requests_for_encryption_are_taken_out_and_the_rest_is_not() {
        let mut greeting = Greeting::default();
        for code in [GSSENC_REQUEST, SSL_REQUEST] {
            for byte in request(code) {
                assert_eq!(greeting.decide(), Greeted::Waiting);
                greeting.hold(&[byte]);
            }
            assert_eq!(greeting.decide(), Greeted::Encryption);
        }
        let startup = [request(196_608), b"user".to_vec()].concat();
        greeting.hold(&startup);
        assert_eq!(greeting.decide(), Greeted::Done);
        assert_eq!(greeting.into_held(), startup);
    }

    #[test]
    fn bytes_that_begin_no_startup_packet_are_not_held_up() {
        for other in [&b"\x16"[..], b"*", b"\0\x01"] {
            let mut greeting = Greeting::default();
            greeting.hold(other);
            assert_eq!(greeting.decide(), Greeted::Done);
        }
    }
}
