//! The iteration of one thread over the arrivals of a schedule.

use super::schedule::{Schedule, Source};
use super::seed::{Draws, Stream};

/// The arrival process around the requested rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Process {
    /// Constant: arrival `k` lies at the instant at which `k` arrivals are expected.
    Constant,
    /// Poisson: arrivals are random and independent, with the rate profile as the
    /// intensity.
    Poisson,
}

/// One request's place in the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The request's number in the whole run, from 0.
    pub index: u64,
    /// The intended instant, in nanoseconds from the run's start.
    pub intended_ns: u64,
}

/// The arrivals of one thread, in order; see [`Schedule::arrivals`].
#[derive(Clone, Debug)]
pub struct Arrivals {
    schedule: Schedule,
    next_index: Option<u64>,
    step: u64,
    gaps: GapSum,
}

impl Arrivals {
    pub(super) fn new(schedule: Schedule, thread: u64, of: u64) -> Self {
        Self {
            gaps: GapSum::new(schedule.spec().seed),
            schedule,
            next_index: (thread < of).then_some(thread),
            step: of,
        }
    }

    /// Continues at the position of another iteration of the same schedule.
    pub fn catch_up(&mut self, others: &Self) {
        self.next_index = others.next_index;
        self.gaps = others.gaps.clone();
    }

    #[inline]
    fn intended_ns(&mut self, index: u64) -> Option<u64> {
        match &self.schedule.spec().source {
            Source::Profile {
                process: Process::Constant,
                profile,
            } => profile.instant_of_count(index),
            Source::Profile {
                process: Process::Poisson,
                profile,
            } => profile.instant_of(self.gaps.up_to(index)),
            Source::Trace(trace) => trace.instant_ns(index),
        }
    }
}

impl Iterator for Arrivals {
    type Item = Arrival;

    #[inline]
    fn next(&mut self) -> Option<Arrival> {
        let index = self.next_index?;
        let intended_ns = if index < self.schedule.index_limit() {
            self.intended_ns(index)
        } else {
            None
        };
        match intended_ns {
            Some(intended_ns) if intended_ns < self.schedule.instant_limit_ns() => {
                self.next_index = index.checked_add(self.step);
                Some(Arrival { index, intended_ns })
            }
            _ => {
                self.next_index = None;
                None
            }
        }
    }
}

impl std::iter::FusedIterator for Arrivals {}

/// The running sum of unit exponentials, one for every arrival of the run.
#[derive(Clone, Debug)]
struct GapSum {
    draws: Draws,
    summed: u64,
    sum: f64,
}

impl GapSum {
    fn new(seed: u64) -> Self {
        Self {
            draws: Draws::new(seed, Stream::Gaps),
            summed: 0,
            sum: 0.0,
        }
    }

    /// The sum up to and with the gap before arrival `index`. Every thread adds
    /// the same numbers in the same order, so all agree to the last bit.
    #[inline]
    fn up_to(&mut self, index: u64) -> f64 {
        while self.summed <= index {
            self.sum -= self.draws.open_unit(self.summed).ln();
            self.summed += 1;
        }
        self.sum
    }
}
