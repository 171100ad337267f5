//! An unknown protocol. An exchange lasts from the first byte of a client's burst until the
//! first bytes of the server.
//!
//! Bytes that the client sends before the server's first bytes belong to the same burst.
//! Bytes that the server sends without a burst, or after its first bytes, belong to no
//! exchange. The first bytes of both sides are timed. The bytes of the burst and the
//! server's first bytes are counted.

use super::conversation::Piece;
use super::ledger::{Ledger, Whole};

/// Finds exchanges. Their state is in the ledger.
#[derive(Debug)]
pub struct Tcp;

impl Tcp {
    /// Reads bytes of the client.
    pub fn client(piece: Piece<'_>, ledger: &mut Ledger) {
        let bytes = piece.bytes.len() as u64;
        if ledger.unanswered() > 0 {
            ledger.grow_last(bytes);
            return;
        }
        let burst = Whole {
            arrived_ns: piece.arrived_ns,
            end: piece.from + bytes,
            bytes,
        };
        ledger.ask(burst, false);
    }

    /// Reads bytes of the server.
    pub fn server(piece: Piece<'_>, ledger: &mut Ledger) {
        let bytes = piece.bytes.len() as u64;
        let first = Whole {
            arrived_ns: piece.arrived_ns,
            end: piece.from + bytes,
            bytes,
        };
        // Bytes without a request are no answer, and no error either.
        let _ = ledger.answer(first, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(bytes: &[u8], from: u64, arrived_ns: u64) -> Piece<'_> {
        Piece {
            bytes,
            from,
            arrived_ns,
        }
    }

    #[test]
    fn an_exchange_is_a_burst_and_the_first_bytes_back() {
        let mut ledger = Ledger::default();
        Tcp::server(piece(b"hello", 0, 1), &mut ledger);
        Tcp::client(piece(b"ab", 0, 2), &mut ledger);
        Tcp::client(piece(b"cd", 2, 3), &mut ledger);
        Tcp::server(piece(b"early", 5, 4), &mut ledger); // the burst has not reached the server yet
        ledger.forwarded(4, 5);
        Tcp::server(piece(b"one", 10, 6), &mut ledger);
        Tcp::server(piece(b"more", 13, 7), &mut ledger);
        let exchange = ledger.delivered(13, 8).unwrap();
        assert_eq!(
            (
                exchange.arrived_ns,
                exchange.forwarded_ns,
                exchange.answered_ns
            ),
            (2, 5, 6)
        );
        assert_eq!((exchange.request_bytes, exchange.answer_bytes), (4, 3));
        Tcp::client(piece(b"next", 4, 9), &mut ledger);
        assert_eq!(ledger.unanswered(), 1);
        assert_eq!(ledger.delivered(99, 10), None);
    }
}
