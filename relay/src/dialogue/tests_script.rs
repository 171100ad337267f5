//! Plays a conversation in pieces of any size, and collects the recognised queries.

use super::conversation::{Conversation, Piece, Protocol, Unparsed};
use super::ledger::{Ledger, Query};

/// A complete text of one end.
#[derive(Clone, Debug)]
pub enum Says {
    Client(Vec<u8>),
    Server(Vec<u8>),
}

/// The recognised queries.
#[derive(Debug, PartialEq, Eq)]
pub struct Understood {
    /// For each query: the bytes of the request, the bytes of the answer, and whether it
    /// failed. Logins are left out.
    pub queries: Vec<(u64, u64, bool)>,
    pub logins: usize,
    pub unanswered: usize,
    pub cancellations: u64,
    pub unparsed: Option<Unparsed>,
}

/// Plays the conversation in pieces of these sizes, in turn. Every piece is forwarded and
/// delivered at once.
pub fn play(protocol: Protocol, script: &[Says], sizes: &[usize]) -> Understood {
    let (mut conversation, mut ledger) = (Conversation::new(protocol), Ledger::default());
    let (mut turn, mut clock_ns, mut positions) = (0, 1, [0_u64; 2]);
    let (mut over, mut unparsed): (Vec<Query>, _) = (Vec::new(), None);
    'script: for said in script {
        let (client, mut rest) = match said {
            Says::Client(bytes) => (true, bytes.as_slice()),
            Says::Server(bytes) => (false, bytes.as_slice()),
        };
        while !rest.is_empty() {
            let (bytes, others) = rest.split_at(sizes[turn % sizes.len()].clamp(1, rest.len()));
            (rest, turn, clock_ns) = (others, turn + 1, clock_ns + 1);
            let position = &mut positions[usize::from(client)];
            let piece = Piece {
                bytes,
                from: *position,
                arrived_ns: clock_ns,
            };
            *position += bytes.len() as u64;
            let read = if client {
                conversation.client(piece, &mut ledger)
            } else {
                conversation.server(piece, &mut ledger)
            };
            if client {
                ledger.forwarded(*position, clock_ns);
            } else {
                over.extend(std::iter::from_fn(|| ledger.delivered(*position, clock_ns)));
            }
            if let Err(reason) = read {
                unparsed = Some(reason);
                break 'script;
            }
        }
    }
    for query in &over {
        let instants = [
            query.arrived_ns,
            query.forwarded_ns,
            query.answered_ns,
            query.delivered_ns,
        ];
        assert!(instants.is_sorted() && instants[0] > 0, "{query:?}");
    }
    let (logins, queries): (Vec<_>, Vec<_>) = over.into_iter().partition(|query| query.login);
    Understood {
        queries: queries
            .iter()
            .map(|query| (query.request_bytes, query.answer_bytes, query.failed))
            .collect(),
        logins: logins.len(),
        unanswered: ledger.unanswered(),
        cancellations: conversation.cancellations(),
        unparsed,
    }
}

/// Plays the conversation whole, then cut at every byte, and then in pieces of each size up to
/// 64. The recognised queries must be the same each time.
pub fn understood(protocol: Protocol, script: &[Says]) -> Understood {
    let whole = play(protocol, script, &[usize::MAX]);
    for size in 1..=64 {
        let cut = play(protocol, script, &[size]);
        assert_eq!(cut, whole, "in pieces of {size} bytes");
    }
    for first in 1..=300 {
        let cut = play(protocol, script, &[first, usize::MAX]);
        assert_eq!(cut, whole, "cut after {first} bytes");
    }
    whole
}
