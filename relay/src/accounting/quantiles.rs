//! The statistics of a measured quantity.

use hdrhistogram::Histogram;
use runfair_measuring::statistics::order_statistics::least_count;
use runfair_measuring::statistics::percentile::Percentile;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The statistics of a quantity, in nanoseconds. A percentile is absent if there are too few
/// values for it. Percentiles are precise to 0.1%, as their histogram is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Quantiles {
    /// Number of values.
    pub count: u64,
    /// Minimum.
    pub min: Option<u64>,
    /// Arithmetic mean.
    pub mean: Option<f64>,
    /// Median.
    pub p50: Option<u64>,
    /// 90th percentile.
    pub p90: Option<u64>,
    /// 99th percentile.
    pub p99: Option<u64>,
    /// 99.9th percentile.
    pub p99_9: Option<u64>,
    /// 99.99th percentile.
    pub p99_99: Option<u64>,
    /// Maximum.
    pub max: Option<u64>,
}

impl Quantiles {
    /// The statistics of a histogram. A percentile is given if this many independent values
    /// suffice for a 95% confidence interval ([`least_count`]).
    pub fn of(histogram: &Histogram<u64>) -> Self {
        let count = histogram.len();
        if count == 0 {
            return Self::default();
        }
        let value = |percentile: Percentile| {
            (count >= least_count(percentile))
                .then(|| histogram.value_at_quantile(percentile.fraction()))
        };
        Self {
            count,
            min: Some(histogram.min()),
            mean: Some(histogram.mean()),
            p50: value(Percentile::P50),
            p90: value(Percentile::P90),
            p99: value(Percentile::P99),
            p99_9: value(Percentile::P99_9),
            p99_99: value(Percentile::P99_99),
            max: Some(histogram.max()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runfair_measuring::recording::histogram::histogram;

    #[test]
    fn a_percentile_needs_values_enough() {
        let mut values = histogram();
        assert_eq!(Quantiles::of(&values), Quantiles::default());
        for value in 1..=1_000 {
            values.saturating_record(value);
        }
        let quantiles = Quantiles::of(&values);
        assert_eq!(
            (quantiles.min, quantiles.p50, quantiles.max),
            (Some(1), Some(500), Some(1_000))
        );
        assert_eq!((quantiles.p99, quantiles.p99_9), (Some(990), None));
    }
}
