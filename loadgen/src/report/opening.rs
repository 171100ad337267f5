//! How long connections took to open.

use hdrhistogram::Histogram;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How long the run's connections took to open, the first ones included. A request waits for it
/// only if no other connection is free; the wait is then part of its queue wait and latency.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Opening {
    /// From the attempt until the socket was connected.
    pub connect_ns: OpeningTimes,
    /// From then until TLS was agreed, and HTTP/2 settled where it is spoken, the generator's own
    /// part of the work included; absent without TLS.
    pub tls_handshake_ns: Option<OpeningTimes>,
}

/// The times of one step, of all connections that opened; 0 where none did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpeningTimes {
    /// How many.
    pub count: u64,
    /// The shortest.
    pub min: u64,
    /// The mean.
    pub mean: f64,
    /// The median.
    pub p50: u64,
    /// The 99th percentile of these connections; an estimate without an interval.
    pub p99: u64,
    /// The longest.
    pub max: u64,
}

impl OpeningTimes {
    /// Those of a histogram in ns.
    pub fn of(histogram: &Histogram<u64>) -> Self {
        if histogram.is_empty() {
            return Self::default();
        }
        Self {
            count: histogram.len(),
            min: histogram.min(),
            mean: histogram.mean(),
            p50: histogram.value_at_quantile(0.5),
            p99: histogram.value_at_quantile(0.99),
            max: histogram.max(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runfair_measuring::recording::histogram::histogram;

    #[test]
    fn none_is_nought_and_some_are_in_order() {
        assert_eq!(OpeningTimes::of(&histogram()), OpeningTimes::default());
        let mut times = histogram();
        for ns in 1..=100 {
            times.saturating_record(ns * 1_000);
        }
        let times = OpeningTimes::of(&times);
        assert_eq!(times.count, 100);
        assert!(times.min <= 1_000 && times.max >= 100_000, "{times:?}");
        assert!(times.p50 < times.p99 && times.p99 <= times.max, "{times:?}");
        assert!((times.mean - 50_500.0).abs() < 100.0, "{times:?}");
    }
}
