//! How many requests ended how.

use strum::{AsRefStr, VariantArray};

use crate::http2::ERROR_NAMES;
use crate::protocol::grpc::STATUS_NAMES;
use runfair_measuring::kernel::tcp_losses::Losses;

/// The reason why a request got no good answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, AsRefStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
#[repr(u8)]
pub enum Failure {
    /// A whole answer, with a status that was not expected.
    WrongStatus,
    /// A whole answer, with a body that was not expected.
    WrongBody,
    /// The connection ended in the middle of the answer.
    Short,
    /// The bytes were not an answer of the protocol.
    Malformed,
    /// The answer was followed by bytes without a request.
    Unexpected,
    /// The server refused the connection.
    Refused,
    /// The server reset the connection.
    Reset,
    /// The server closed the connection before a byte of the answer.
    Closed,
    /// No whole answer within the time-out.
    TimedOut,
    /// The request was never sent, because no connection was free until the end of the run.
    Unsent,
    /// The TLS session failed.
    Tls,
    /// This machine had no socket, port or descriptor left for a connection.
    NoSocket,
    /// The server reset the stream (HTTP/2).
    StreamReset,
    /// The server said that it goes away and does not answer (HTTP/2).
    GoneAway,
    /// A whole answer to a gRPC call, whose status is not OK.
    GrpcStatus,
}

impl Failure {
    /// Whether the answer was complete, although it was not good.
    pub fn is_complete(self) -> bool {
        matches!(self, Self::WrongStatus | Self::WrongBody | Self::GrpcStatus)
    }
}

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

/// How many requests ended how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Requests whose intended instant has come.
    pub scheduled: u64,
    /// Requests that were handed to the kernel.
    pub sent: u64,
    /// Requests with a good answer.
    pub good: u64,
    /// Good answers that found no value under the key.
    pub misses: u64,
    /// Complete answers whose body was checked.
    pub checked: u64,
    /// Requests without a good answer, by kind ([`Failure::VARIANTS`]).
    pub failures: [u64; Failure::VARIANTS.len()],
    /// Requests that were due before the schedule's end but were sent after it, although a
    /// connection was free, or would have been free if the generator were punctual.
    pub late_by_generator: u64,
    /// Requests that were sent after the schedule's end because no connection was free
    /// before.
    pub late_by_server: u64,
    /// Answers without a usable time stamp of the kernel. Their instant is the instant of
    /// reading.
    pub unstamped: u64,
    /// The number of times that bytes came without a request.
    pub unasked: u64,
    /// Segments lost or reordered by the network.
    pub losses: Losses,
    /// Answers that waited for a missing segment although a later segment had arrived.
    pub overtaken: u64,
    /// Bytes of requests.
    pub bytes_sent: u64,
    /// Bytes of answers.
    pub bytes_received: u64,
    /// Connections opened or tried.
    pub connections_opened: u64,
    /// Connections that were added because all were busy.
    pub grown: u64,
    /// Connections that replaced a connection that had carried its requests.
    pub replaced: u64,
    /// The number of observed steps of the wall clock.
    pub clock_steps: u64,
}

impl Counts {
    /// The number of requests without a good answer.
    pub fn failed(&self) -> u64 {
        self.failures.iter().sum()
    }

    /// The number of requests with a complete answer, good or not.
    pub fn completed(&self) -> u64 {
        let whole: u64 = Failure::VARIANTS
            .iter()
            .filter(|kind| kind.is_complete())
            .map(|kind| self.failures[*kind as usize])
            .sum();
        self.good + whole
    }

    /// Connections opened or tried that were neither added nor replaced on purpose. An attempt
    /// that is taken back may still be counted as a replacement.
    pub fn opened_otherwise(&self) -> u64 {
        self.connections_opened
            .saturating_sub(self.grown + self.replaced)
    }

    /// Adds another's.
    pub fn add(&mut self, other: &Self) {
        self.scheduled += other.scheduled;
        self.sent += other.sent;
        self.good += other.good;
        self.misses += other.misses;
        self.checked += other.checked;
        for (ours, theirs) in self.failures.iter_mut().zip(other.failures) {
            *ours += theirs;
        }
        self.late_by_generator += other.late_by_generator;
        self.late_by_server += other.late_by_server;
        self.unstamped += other.unstamped;
        self.unasked += other.unasked;
        self.losses.add(other.losses);
        self.overtaken += other.overtaken;
        self.bytes_sent += other.bytes_sent;
        self.bytes_received += other.bytes_received;
        self.connections_opened += other.connections_opened;
        self.grown += other.grown;
        self.replaced += other.replaced;
        self.clock_steps += other.clock_steps;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_agree() {
        for (number, kind) in Failure::VARIANTS.iter().enumerate() {
            assert_eq!(*kind as usize, number);
        }
    }

    #[test]
    fn fewer_openings_than_planned_are_none_otherwise() {
        let mut counts = Counts {
            connections_opened: 7,
            grown: 2,
            replaced: 1,
            ..Counts::default()
        };
        assert_eq!(counts.opened_otherwise(), 4);
        counts.replaced = 6;
        assert_eq!(counts.opened_otherwise(), 0);
    }

    #[test]
    fn a_wrong_answer_is_complete_and_failed() {
        let mut counts = Counts {
            good: 5,
            ..Counts::default()
        };
        counts.failures[Failure::WrongBody as usize] = 2;
        counts.failures[Failure::TimedOut as usize] = 1;
        assert_eq!((counts.completed(), counts.failed()), (7, 3));
        let mut sum = counts;
        sum.add(&counts);
        assert_eq!((sum.completed(), sum.failed()), (14, 6));
    }
}
