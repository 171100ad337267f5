//! The numbers of one quantity, each with its interval or the reason for its absence.

use super::nanoseconds::Nanoseconds;
use super::order_statistics::{least_count, ranks_of_dependent};
use super::percentile::{PerPercentile, Percentile};
use hdrhistogram::Histogram;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The name of the greatest value among a quantity's figures.
pub const MAX: &str = "max";

/// The 95% interval of a percentile, from order statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// Its lower end, in nanoseconds; 0 where the requests bound nothing from below.
    pub low_ns: u64,
    /// Its upper end, in nanoseconds; `None` where too few independent requests bound it.
    pub high_ns: Option<u64>,
}

/// Figures that must not be shown, by name (`p99`, `max`), with the reason.
pub type Withheld = BTreeMap<String, String>;

/// The numbers of one quantity. Times are in nanoseconds; a percentile is `None` where it is
/// withheld, and `withheld` says why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Figures {
    /// Values measured.
    pub count: u64,
    /// The least value.
    pub min: Option<u64>,
    /// The arithmetic mean.
    pub mean: Option<f64>,
    /// The median.
    pub p50: Option<u64>,
    /// One value in 10 is greater.
    pub p90: Option<u64>,
    /// One value in 100 is greater.
    pub p99: Option<u64>,
    /// One value in 1,000 is greater.
    pub p99_9: Option<u64>,
    /// One value in 10,000 is greater.
    pub p99_99: Option<u64>,
    /// The greatest value.
    pub max: Option<u64>,
    /// The 95% interval of each percentile shown, by name.
    pub intervals: BTreeMap<String, Interval>,
    /// Why figures are absent, by name.
    pub withheld: Withheld,
    /// The number of independent values that the values are worth for each percentile, by name.
    pub effective_count: BTreeMap<String, f64>,
}

impl Figures {
    /// The figure of a percentile.
    pub fn percentile(&self, percentile: Percentile) -> Option<u64> {
        match percentile {
            Percentile::P50 => self.p50,
            Percentile::P90 => self.p90,
            Percentile::P99 => self.p99,
            Percentile::P99_9 => self.p99_9,
            Percentile::P99_99 => self.p99_99,
        }
    }
}

/// The figures of `histogram`, of whose values `requests_each` (1 at least) are worth one
/// independent value, but for those withheld.
///
/// A percentile that the values could not bound from above even if they were independent is
/// withheld here: "too few requests". One that is bounded only from below because its values
/// came in few pauses is shown, with an interval that is open above: the pause did happen.
pub fn figures(
    histogram: &Histogram<u64>,
    requests_each: &PerPercentile<f64>,
    withheld: &Withheld,
) -> Figures {
    let count = histogram.len();
    let mut withheld = withheld.clone();
    let mut intervals = BTreeMap::new();
    let mut effective_counts = BTreeMap::new();
    let shown = PerPercentile::from_fn(|percentile| {
        let name = percentile.name();
        let effective_count = count as f64 / requests_each[percentile].max(1.0);
        effective_counts.insert(name.to_owned(), effective_count);
        let least = least_count(percentile);
        if count < least {
            withheld.entry(name.to_owned()).or_insert_with(|| {
                format!(
                    "too few requests: {count}, {} needs {least}",
                    percentile.label()
                )
            });
        }
        if withheld.contains_key(name) {
            return None;
        }
        let ranks = ranks_of_dependent(percentile, count, effective_count);
        let value = |rank| value_at_rank(histogram, rank);
        intervals.insert(
            name.to_owned(),
            Interval {
                // Bounds are taken at the outer edge of the histogram's cell.
                low_ns: ranks
                    .low
                    .map_or(0, |rank| histogram.lowest_equivalent(value(rank))),
                high_ns: ranks.high.map(value),
            },
        );
        Some(value(percentile.rank(count)))
    });
    let any = count > 0;
    Figures {
        count,
        min: any.then(|| histogram.min()),
        mean: any.then(|| histogram.mean()),
        p50: shown[Percentile::P50],
        p90: shown[Percentile::P90],
        p99: shown[Percentile::P99],
        p99_9: shown[Percentile::P99_9],
        p99_99: shown[Percentile::P99_99],
        max: (any && !withheld.contains_key(MAX)).then(|| histogram.max()),
        intervals,
        withheld,
        effective_count: effective_counts,
    }
}

/// The value at a rank (from 1) of the sorted values: the greatest of its cell, as HdrHistogram
/// gives percentiles. By rank and not by quantile, which floating point may put one rank off.
fn value_at_rank(histogram: &Histogram<u64>, rank: u64) -> u64 {
    let mut seen = 0;
    for cell in histogram.iter_recorded() {
        seen += cell.count_since_last_iteration();
        if seen >= rank {
            return cell.value_iterated_to();
        }
    }
    histogram.max()
}

/// Why the generator's lateness withholds a figure: `added` of `value`, both in nanoseconds.
pub(crate) fn lateness_reason(added: u64, value: u64) -> String {
    format!(
        "{} of {} are the generator's own lateness",
        Nanoseconds(added),
        Nanoseconds(value)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::fixture::histogram;

    fn independent() -> PerPercentile<f64> {
        PerPercentile::from_fn(|_| 1.0)
    }

    fn up_to(count: u64) -> Histogram<u64> {
        let mut values = histogram();
        (1..=count).for_each(|value| values.record(value * 1_000).unwrap());
        values
    }

    #[test]
    fn percentiles_are_ranks_within_the_histogram_digits() {
        let found = figures(&up_to(100_000), &independent(), &Withheld::new());
        for percentile in Percentile::ALL {
            let value = found.percentile(percentile).unwrap() as f64;
            let truth = percentile.rank(100_000) as f64 * 1_000.0;
            assert!(
                value >= truth && value < truth * 1.001,
                "{percentile:?} {value}"
            );
            let interval = found.intervals[percentile.name()];
            assert!((interval.low_ns as f64) < truth, "{percentile:?}");
            assert!(interval.high_ns.unwrap() as f64 > truth, "{percentile:?}");
        }
        assert_eq!(found.count, 100_000);
        assert!(found.withheld.is_empty());
        assert!(found.mean.unwrap() > 49e6 && found.mean.unwrap() < 51e6);
    }

    #[test]
    fn nothing_measured_is_nothing_shown() {
        let found = figures(&histogram(), &independent(), &Withheld::new());
        assert_eq!((found.count, found.min, found.max), (0, None, None));
        assert!(found.mean.is_none() && found.intervals.is_empty());
        for percentile in Percentile::ALL {
            assert_eq!(found.percentile(percentile), None);
            assert!(found.withheld[percentile.name()].starts_with("too few requests"));
        }
    }

    #[test]
    fn too_few_requests_withhold_exactly_the_far_percentiles() {
        let found = figures(&up_to(36_886), &independent(), &Withheld::new());
        assert_eq!(found.p99_99, None);
        assert_eq!(
            found.withheld["p99_99"],
            "too few requests: 36886, p99.99 needs 36887"
        );
        assert!(found.p99_9.is_some());
        let found = figures(&up_to(36_887), &independent(), &Withheld::new());
        assert!(found.p99_99.is_some() && found.withheld.is_empty());
    }

    #[test]
    fn a_withheld_figure_is_absent_with_its_reason() {
        let reasons: Withheld = [("p99", "late"), (MAX, "failed")]
            .map(|(name, reason)| (name.to_owned(), reason.to_owned()))
            .into();
        let found = figures(&up_to(50_000), &independent(), &reasons);
        assert_eq!((found.p99, found.max), (None, None));
        assert!(!found.intervals.contains_key("p99"));
        assert_eq!(found.withheld, reasons);
        assert!(found.p99_9.is_some());
    }

    #[test]
    fn dependent_requests_widen_the_interval_until_it_opens() {
        let values = up_to(50_000);
        let of = |each| figures(&values, &PerPercentile::from_fn(|_| each), &Withheld::new());
        let width = |found: &Figures| {
            let interval = found.intervals["p99"];
            interval.high_ns.unwrap() - interval.low_ns
        };
        assert!(width(&of(16.0)) > 3 * width(&of(1.0)));
        let few_events = of(1_000.0);
        assert!(few_events.p99.is_some());
        assert_eq!(few_events.intervals["p99"].high_ns, None);
        assert_eq!(few_events.effective_count["p99"], 50.0);
    }

    #[test]
    fn figures_are_read_back_as_written() {
        let found = figures(&up_to(500), &independent(), &Withheld::new());
        let text = serde_json::to_string(&found).unwrap();
        assert!(text.contains(r#""p99_9":null"#), "{text}");
        assert_eq!(serde_json::from_str::<Figures>(&text).unwrap(), found);
    }
}
