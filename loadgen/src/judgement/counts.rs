//! How many requests ended how.

use runfair_measuring::kernel::tcp_losses::Losses;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Defines [`Failure`] and [`Failures`] from the kinds and their names.
macro_rules! failures {
    ($($(#[doc = $text:literal])+ $([$default:ident])? $kind:ident = $name:ident,)*) => {
        /// The reason why a request got no good answer.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Failure {
            $($(#[doc = $text])+ $kind,)*
        }

        impl Failure {
            /// Every kind, in order.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)*];

            /// Its name, as in JSON.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => stringify!($name),)*
                }
            }
        }

        /// Failed requests by kind. Each counts once, by what happened first.
        #[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct Failures {
            $($(#[doc = $text])+ $(#[serde($default)])? pub $name: u64,)*
        }

        impl From<&Counts> for Failures {
            fn from(counts: &Counts) -> Self {
                Self {
                    $($name: counts.failures[Failure::$kind as usize],)*
                }
            }
        }

        impl Failures {
            /// Every kind with its name in JSON and its count.
            pub const fn by_kind(&self) -> [(&'static str, u64); Failure::ALL.len()] {
                [$((stringify!($name), self.$name),)*]
            }
        }
    };
}

failures! {
    /// A status, or kind of reply, that was not expected.
    WrongStatus = wrong_status,
    /// A body that failed its check.
    WrongBody = wrong_body,
    /// The connection closed in the middle of the answer.
    Short = short,
    /// Bytes that are no answer of the protocol.
    Malformed = malformed,
    /// Bytes that no request asked for.
    Unexpected = unexpected,
    /// The server took no connection.
    Refused = refused,
    /// The connection was reset.
    Reset = reset,
    /// The connection closed before the answer began.
    Closed = closed,
    /// No complete answer within the time-out.
    TimedOut = timed_out,
    /// Still waiting to be sent when the run ended.
    Unsent = unsent,
    /// The TLS session failed.
    Tls = tls,
    /// No connection, as the generator's machine had no socket, port or descriptor left.
    NoSocket = no_socket,
    /// The server reset the stream (HTTP/2).
    [default] StreamReset = stream_reset,
    /// The server said that it goes away and does not answer (HTTP/2).
    [default] GoneAway = gone_away,
    /// The answer to a gRPC call has a status other than OK, or none.
    [default] GrpcStatus = grpc_status,
}

impl Failure {
    /// Whether the answer was complete, although it was not good.
    pub fn is_complete(self) -> bool {
        matches!(self, Self::WrongStatus | Self::WrongBody | Self::GrpcStatus)
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
    /// Complete answers that are good if their body is, where the traffic says what the body must
    /// be; 0 if no body was to be checked.
    pub checkable: u64,
    /// Those whose body was checked.
    pub checked: u64,
    /// Those whose body was checked, and was wrong.
    pub wrong_of_checked: u64,
    /// Requests without a good answer, by kind ([`Failure::ALL`]).
    pub failures: [u64; Failure::ALL.len()],
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
        let whole: u64 = Failure::ALL
            .iter()
            .filter(|kind| kind.is_complete())
            .map(|kind| self.failures[*kind as usize])
            .sum();
        self.good + whole
    }

    /// Requests that were due in time but were sent late, or never, because no connection was free.
    pub fn kept_waiting(&self) -> u64 {
        self.late_by_server + self.failures[Failure::Unsent as usize]
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
        self.checkable += other.checkable;
        self.checked += other.checked;
        self.wrong_of_checked += other.wrong_of_checked;
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
        for (number, kind) in Failure::ALL.iter().enumerate() {
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

    #[test]
    fn counted_kinds_keep_their_names() {
        for kind in Failure::ALL {
            let mut counts = Counts::default();
            counts.failures[*kind as usize] = 7;
            let failures = Failures::from(&counts);
            let counted: Vec<_> = failures
                .by_kind()
                .into_iter()
                .filter(|(_, count)| *count > 0)
                .collect();
            assert_eq!(counted, [(kind.name(), 7)]);
        }
    }

    #[test]
    fn kinds_are_named_as_in_json_and_none_is_left_out() {
        let failures = Failures {
            wrong_status: 1,
            wrong_body: 2,
            short: 4,
            malformed: 8,
            unexpected: 16,
            refused: 32,
            reset: 64,
            closed: 128,
            timed_out: 256,
            unsent: 512,
            tls: 1024,
            no_socket: 2048,
            stream_reset: 4096,
            gone_away: 8192,
            grpc_status: 16384,
        };
        let json = serde_json::to_value(&failures).unwrap();
        let json = json.as_object().unwrap();
        assert_eq!(json.len(), failures.by_kind().len());
        for (name, count) in failures.by_kind() {
            assert_eq!(json[name], count, "{name}");
        }
        let total: u64 = failures.by_kind().iter().map(|(_, count)| count).sum();
        assert_eq!(total, 32767);
    }
}
