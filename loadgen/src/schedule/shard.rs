//! The share of one process in a schedule that several processes follow.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::arrival::Arrivals;
use super::schedule::Schedule;

/// The greatest number of processes that share a schedule.
pub const SHARDS_MAX: u64 = 64;

/// The share of one process in a schedule that several processes follow: every `of`th request,
/// beginning with request `number`.
// The instant and the content of a request are those of the whole schedule, so all shards together
// send exactly what a single process would send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ShardOf")]
pub struct Shard {
    /// Which share, from 1.
    number: u64,
    /// How many processes share the schedule.
    of: u64,
}

/// The reason why a text names no shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("write K/N, such as 1/2: shard K of N, with N from 1 to {SHARDS_MAX} and K from 1 to N")]
pub struct ShardError;

impl Default for Shard {
    fn default() -> Self {
        Self::WHOLE
    }
}

impl Shard {
    /// The whole schedule.
    pub const WHOLE: Self = Self { number: 1, of: 1 };

    /// Shard `number`, from 1, of `of`; `None` if there is no such shard.
    pub fn new(number: u64, of: u64) -> Option<Self> {
        ((1..=SHARDS_MAX).contains(&of) && (1..=of).contains(&number))
            .then_some(Self { number, of })
    }

    /// K, from 1 to N.
    pub fn number(self) -> u64 {
        self.number
    }

    /// N, which is also the distance between the indices of neighbours.
    #[inline]
    pub fn of(self) -> u64 {
        self.of
    }

    /// The index of the first request.
    pub fn first_index(self) -> u64 {
        self.number - 1
    }

    /// How many of the requests with an index below this one belong to the shard.
    pub fn count_below(self, index: u64) -> u64 {
        index.saturating_sub(self.first_index()).div_ceil(self.of)
    }

    /// The shard's arrivals for one of `threads` threads; see [`Schedule::arrivals`].
    pub fn arrivals(self, schedule: &Schedule, thread: u64, threads: u64) -> Arrivals {
        schedule.arrivals(self.first_index() + thread * self.of, self.of * threads)
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let number = |digits: &str| {
            let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            plain.then(|| digits.parse().ok()).flatten()
        };
        text.split_once('/')
            .and_then(|(shard, of)| Self::new(number(shard)?, number(of)?))
            .ok_or(ShardError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::{Arrival, End, Process, ScheduleSpec, Source, Trace};
    use proptest::prelude::*;

    fn schedule(source: Source, seed: u64, end: End) -> Schedule {
        Schedule::new(ScheduleSpec { source, seed, end }).unwrap()
    }

    /// A schedule at a rate that changes, constant or Poisson, or of a trace.
    fn schedules() -> impl Strategy<Value = Schedule> {
        let at_rate = (any::<bool>(), any::<u64>()).prop_map(|(poisson, seed)| {
            let process = if poisson {
                Process::Poisson
            } else {
                Process::Constant
            };
            let profile = "20000..60000:30ms,50000".parse().unwrap();
            let source = Source::Profile { process, profile };
            schedule(source, seed, End::Duration(50_000_000))
        });
        let of_trace = prop::collection::vec(0_u64..1_000, 1..300).prop_map(|gaps_ns| {
            let mut at_ns = 0;
            let stamps = gaps_ns.into_iter().map(|gap_ns| {
                at_ns += gap_ns;
                at_ns
            });
            let trace = Trace::new((1..).zip(stamps), 1.0).unwrap();
            schedule(Source::Trace(trace), 0, End::Trace)
        });
        prop_oneof![at_rate, of_trace]
    }

    #[test]
    fn a_shard_is_one_of_at_most_sixty_four() {
        for (text, number, of) in [("1/1", 1, 1), ("2/3", 2, 3), ("64/64", 64, 64)] {
            assert_eq!(text.parse(), Ok(Shard { number, of }));
        }
        for text in [
            "", "1", "/", "1/", "/2", "0/2", "3/2", "1/0", "1/65", "+1/2", "1/2/3", " 1/2", "a/b",
        ] {
            assert_eq!(text.parse::<Shard>(), Err(ShardError), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn shards_together_are_the_single_schedule(
            schedule in schedules(),
            of in 1..=SHARDS_MAX,
            threads in 1_u64..4,
        ) {
            let mut merged: Vec<Arrival> = Vec::new();
            for number in 1..=of {
                let shard = Shard::new(number, of).unwrap();
                let before = merged.len();
                for thread in 0..threads {
                    merged.extend(shard.arrivals(&schedule, thread, threads));
                }
                let own = &merged[before..];
                prop_assert!(own.iter().all(|arrival| arrival.index % of == number - 1));
                let total = schedule.arrivals(0, 1).count() as u64;
                prop_assert_eq!(shard.count_below(total), own.len() as u64);
            }
            merged.sort_by_key(|arrival| arrival.index);
            let single: Vec<Arrival> = schedule.arrivals(0, 1).collect();
            prop_assert_eq!(merged, single);
        }

        #[test]
        fn no_text_panics(text in any::<String>()) {
            let _ = text.parse::<Shard>();
        }
    }
}
