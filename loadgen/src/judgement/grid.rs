//! How far requests were sent off the grid.
//!
//! Where arrivals are prescribed to the instant (constant, or from a trace), each request's
//! error is its send lag. A mode promises a resolution; the error's 99th percentile must keep
//! it.

use super::evidence::Mode;
use hdrhistogram::Histogram;
use runfair_measuring::statistics::percentile::Percentile;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `economy`: one tick.
pub const ECONOMY_TICK_NS: u64 = 1_000_000;

/// `economy`: what a wake from a millisecond timer and the sending of a tick's requests may add
/// (a wake costs 18 to 22 µs, p99 lateness is under 50 µs on a quiet machine:
/// `docs/load-generation.md`).
pub const ECONOMY_WAKE_NS: u64 = 100_000;

/// `default`: exact timers were seen 45 µs late at p99, twice that is promised.
pub const DEFAULT_RESOLUTION_NS: u64 = 100_000;

/// `precise`: spinning was seen 0.9 µs late at p99; ten times that is promised.
pub const PRECISE_RESOLUTION_NS: u64 = 10_000;

impl Mode {
    /// The lateness, in nanoseconds, that the mode promises not to exceed at p99.
    pub const fn resolution_ns(self) -> u64 {
        match self {
            Self::Economy => ECONOMY_TICK_NS + ECONOMY_WAKE_NS,
            Self::Default => DEFAULT_RESOLUTION_NS,
            Self::Precise => PRECISE_RESOLUTION_NS,
        }
    }
}

/// The distance of sends from their prescribed instants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GridError {
    /// The median, in nanoseconds.
    pub p50_ns: u64,
    /// One request in 100 was sent later than this, in nanoseconds.
    pub p99_ns: u64,
    /// The latest of all, in nanoseconds.
    pub max_ns: u64,
    /// What the mode promises of p99, in nanoseconds.
    pub promised_ns: u64,
}

impl GridError {
    /// From the send lags of a run; `None` where nothing was sent.
    pub fn of(send_lag: &Histogram<u64>, mode: Mode) -> Option<Self> {
        if send_lag.is_empty() {
            return None;
        }
        let at = |percentile: Percentile| send_lag.value_at_quantile(percentile.fraction());
        Some(Self {
            p50_ns: at(Percentile::P50),
            p99_ns: at(Percentile::P99),
            max_ns: send_lag.max(),
            promised_ns: mode.resolution_ns(),
        })
    }

    /// Whether p99 keeps what the mode promises.
    pub fn keeps_promise(&self) -> bool {
        self.p99_ns <= self.promised_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::fixture::histogram;

    #[test]
    fn p99_decides_not_the_worst() {
        let mut send_lag = histogram();
        assert_eq!(GridError::of(&send_lag, Mode::Default), None);
        send_lag.record_n(20_000, 990).unwrap();
        send_lag.record_n(50_000_000, 10).unwrap();
        let error = GridError::of(&send_lag, Mode::Default).unwrap();
        assert!(error.keeps_promise(), "{error:?}");
        assert!(error.max_ns >= 50_000_000);
        send_lag.record(50_000_000).unwrap();
        assert!(!GridError::of(&send_lag, Mode::Default)
            .unwrap()
            .keeps_promise());
    }

    #[test]
    fn each_mode_promises_its_own() {
        let mut send_lag = histogram();
        send_lag.record_n(60_000, 100).unwrap();
        for (mode, kept) in [
            (Mode::Economy, true),
            (Mode::Default, true),
            (Mode::Precise, false),
        ] {
            assert_eq!(
                GridError::of(&send_lag, mode).unwrap().keeps_promise(),
                kept
            );
        }
    }
}
