//! What became of the requests, counted.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::VariantArray;

use crate::recording::counts::{Counts, Failure};

/// The fate of every request of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Requests {
    /// Requests the schedule held until the run ended.
    pub scheduled: u64,
    /// Requests of which at least one byte was sent.
    pub sent: u64,
    /// Requests whose answer was complete, good or not.
    pub completed: u64,
    /// Complete answers that passed every check made of them.
    pub good: u64,
    /// Requests that failed, of any kind: the sum of `failures`.
    pub failed: u64,
    /// Good answers that said the key has no value (Redis); they are part of `good`.
    pub misses: u64,
    /// Answers whose body was checked (`check_share` of them), beyond the status that always is.
    pub checked: u64,
    /// Times bytes came that nobody had asked for, after an answer or out of nothing.
    pub unasked: u64,
    /// Failed requests by kind.
    pub failures: Failures,
    /// What was wrong with the first answer or connection that was not good, in words.
    pub complaint: Option<String>,
    /// Complete answers by HTTP status, or by kind of reply (Redis).
    pub statuses: BTreeMap<String, u64>,
}

/// Defines [`Failures`] from the names of its fields and their kinds.
macro_rules! failures {
    ($($(#[$attribute:meta])* $name:ident = $kind:ident,)*) => {
        /// Failed requests by kind. Each counts once, by what happened first.
        #[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct Failures {
            $($(#[$attribute])* pub $name: u64,)*
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
            pub const fn by_kind(&self) -> [(&'static str, u64); Failure::VARIANTS.len()] {
                [$((stringify!($name), self.$name),)*]
            }
        }
    };
}

failures! {
    /// A status, or kind of reply, that was not expected.
    wrong_status = WrongStatus,
    /// A body that failed its check.
    wrong_body = WrongBody,
    /// The connection closed in the middle of the answer.
    short = Short,
    /// Bytes that are no answer of the protocol.
    malformed = Malformed,
    /// Bytes that no request asked for.
    unexpected = Unexpected,
    /// The server took no connection.
    refused = Refused,
    /// The connection was reset.
    reset = Reset,
    /// The connection closed before the answer began.
    closed = Closed,
    /// No complete answer within the time-out.
    timed_out = TimedOut,
    /// Still waiting to be sent when the run ended.
    unsent = Unsent,
    /// The TLS session failed.
    tls = Tls,
    /// No connection, as the generator's machine had no socket, port or descriptor left.
    no_socket = NoSocket,
    /// The server reset the stream (HTTP/2).
    #[serde(default)]
    stream_reset = StreamReset,
    /// The server said that it goes away and does not answer (HTTP/2).
    #[serde(default)]
    gone_away = GoneAway,
    /// The answer to a gRPC call has a status other than OK, or none.
    #[serde(default)]
    grpc_status = GrpcStatus,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counted_kinds_keep_their_names() {
        for kind in Failure::VARIANTS {
            let mut counts = Counts::default();
            counts.failures[*kind as usize] = 7;
            let failures = Failures::from(&counts);
            let counted: Vec<_> = failures
                .by_kind()
                .into_iter()
                .filter(|(_, count)| *count > 0)
                .collect();
            assert_eq!(counted, [(kind.as_ref(), 7)]);
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
