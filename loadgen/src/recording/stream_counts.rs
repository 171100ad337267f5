//! What the servers said of streams and calls.

use crate::http2::ERROR_NAMES;
use crate::protocol::grpc::STATUS_NAMES;

/// What the servers said of streams and calls, of HTTP/2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamCounts {
    /// Streams reset by the server, by error code ([`ERROR_NAMES`]).
    pub resets: [u64; ERROR_NAMES.len()],
    /// GOAWAY frames, by error code.
    pub go_aways: [u64; ERROR_NAMES.len()],
    /// Answers to gRPC calls by status ([`STATUS_NAMES`]).
    pub calls: [u64; STATUS_NAMES.len()],
    /// The fewest streams that a server took at once on a connection.
    pub allowed: u64,
}

impl Default for StreamCounts {
    fn default() -> Self {
        Self {
            resets: [0; ERROR_NAMES.len()],
            go_aways: [0; ERROR_NAMES.len()],
            calls: [0; STATUS_NAMES.len()],
            allowed: u64::MAX,
        }
    }
}

impl StreamCounts {
    /// Adds another thread's.
    pub fn add(&mut self, other: &Self) {
        let sums = self.resets.iter_mut().zip(other.resets);
        let sums = sums.chain(self.go_aways.iter_mut().zip(other.go_aways));
        for (ours, theirs) in sums.chain(self.calls.iter_mut().zip(other.calls)) {
            *ours += theirs;
        }
        self.allowed = self.allowed.min(other.allowed);
    }
}
