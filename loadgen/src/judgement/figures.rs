//! The numbers of one quantity, each with its interval or the reason for its absence.

use super::censored::{Bracket, Failed, Sample};
use super::nanoseconds::Nanoseconds;
use hdrhistogram::Histogram;
use runfair_measuring::statistics::order_statistics::{least_count, ranks_of_dependent};
use runfair_measuring::statistics::percentile::{PerPercentile, Percentile};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The name of the greatest value among a quantity's figures.
pub const MAX: &str = "max";

/// The paths of the percentiles and of the maximum of latency in the result.
pub(super) fn latency_paths() -> impl Iterator<Item = String> {
    let names = Percentile::ALL.map(Percentile::name).into_iter();
    names.chain([MAX]).map(|name| format!("latency_ns.{name}"))
}

/// The 95% interval of a percentile, from order statistics. Its lower end counts failed requests
/// among the fastest, its upper end as never answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// Its lower end, in nanoseconds; 0 where the requests bound nothing from below.
    pub low_ns: u64,
    /// Its upper end, in nanoseconds; `None` where too few independent requests bound it, or too
    /// many failed.
    pub high_ns: Option<u64>,
}

/// Figures that must not be shown, by name (`p99`, `max`), with the reason.
pub type Withheld = BTreeMap<String, String>;

/// The numbers of one quantity. Times are in nanoseconds; a percentile is `None` where it is
/// withheld, and `withheld` says why, or where `brackets` says between what it lies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Figures {
    /// Values measured.
    pub count: u64,
    /// The least value measured.
    pub min: Option<u64>,
    /// The arithmetic mean of those measured.
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
    /// The 95% interval of each percentile that is not withheld, by name.
    pub intervals: BTreeMap<String, Interval>,
    /// Between what a percentile or the maximum lies, by name, where requests failed and these
    /// ends are more than 1% apart.
    #[serde(default)]
    pub brackets: BTreeMap<String, Bracket>,
    /// Why figures are absent, by name.
    pub withheld: Withheld,
    /// The number of independent values that the values are worth for each percentile, by name.
    pub effective_count: BTreeMap<String, f64>,
}

impl Figures {
    /// The figure of a percentile or the maximum, by name.
    pub fn value(&self, name: &str) -> Option<u64> {
        match name {
            "p50" => self.p50,
            "p90" => self.p90,
            "p99" => self.p99,
            "p99_9" => self.p99_9,
            "p99_99" => self.p99_99,
            MAX => self.max,
            _ => None,
        }
    }
}

/// The figures of `histogram` and of the requests that `failed`, of which `requests_each` (1 at
/// least) are worth one independent request, but for those withheld.
///
/// A percentile that the values could not bound from above even if they were independent is
/// withheld here: "too few requests". One that is bounded only from below because its values
/// came in few pauses is shown, with an interval that is open above: the pause did happen.
pub fn figures(
    histogram: &Histogram<u64>,
    failed: Option<&Failed>,
    requests_each: &PerPercentile<f64>,
    withheld: &Withheld,
) -> Figures {
    let sample = Sample::new(histogram, failed);
    let count = histogram.len();
    let mut withheld = withheld.clone();
    let mut intervals = BTreeMap::new();
    let mut brackets = BTreeMap::new();
    let mut effective_counts = BTreeMap::new();
    let shown = PerPercentile::from_fn(|percentile| {
        let name = percentile.name();
        let each = requests_each[percentile].max(1.0);
        effective_counts.insert(name.to_owned(), count as f64 / each);
        let least = least_count(percentile);
        if count < least {
            withheld.entry(name.to_owned()).or_insert_with(|| {
                format!(
                    "too few requests: there are {count}, but {} needs {least}",
                    percentile.label()
                )
            });
        }
        if withheld.contains_key(name) {
            return None;
        }
        let all = sample.count();
        let ranks = ranks_of_dependent(percentile, all, all as f64 / each);
        intervals.insert(
            name.to_owned(),
            Interval {
                // Bounds are taken at the outer edge of the histogram's cell.
                low_ns: ranks.low.map_or(0, |rank| sample.low(rank)),
                high_ns: ranks.high.and_then(|rank| sample.high(rank)),
            },
        );
        let bracket = sample.bracket(percentile.rank(all));
        if bracket.narrow().is_none() {
            brackets.insert(name.to_owned(), bracket);
        }
        bracket.narrow()
    });
    let any = count > 0;
    if any && !sample.is_complete() && !withheld.contains_key(MAX) {
        brackets.insert(MAX.to_owned(), sample.bracket(sample.count()));
    }
    let hides_max = withheld.contains_key(MAX) || brackets.contains_key(MAX);
    Figures {
        count,
        min: any.then(|| histogram.min()),
        mean: any.then(|| histogram.mean()),
        p50: shown[Percentile::P50],
        p90: shown[Percentile::P90],
        p99: shown[Percentile::P99],
        p99_9: shown[Percentile::P99_9],
        p99_99: shown[Percentile::P99_99],
        max: (any && !hides_max).then(|| histogram.max()),
        intervals,
        brackets,
        withheld,
        effective_count: effective_counts,
    }
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
        let found = figures(&up_to(100_000), None, &independent(), &Withheld::new());
        for percentile in Percentile::ALL {
            let value = found.value(percentile.name()).unwrap() as f64;
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
        let found = figures(&histogram(), None, &independent(), &Withheld::new());
        assert_eq!((found.count, found.min, found.max), (0, None, None));
        assert!(found.mean.is_none() && found.intervals.is_empty());
        for percentile in Percentile::ALL {
            assert_eq!(found.value(percentile.name()), None);
            assert!(found.withheld[percentile.name()].starts_with("too few requests"));
        }
    }

    #[test]
    fn too_few_requests_withhold_exactly_the_far_percentiles() {
        let found = figures(&up_to(36_886), None, &independent(), &Withheld::new());
        assert_eq!(found.p99_99, None);
        assert_eq!(
            found.withheld["p99_99"],
            "too few requests: there are 36886, but p99.99 needs 36887"
        );
        assert!(found.p99_9.is_some());
        let found = figures(&up_to(36_887), None, &independent(), &Withheld::new());
        assert!(found.p99_99.is_some() && found.withheld.is_empty());
    }

    #[test]
    fn a_withheld_figure_is_absent_with_its_reason() {
        let reasons: Withheld = [("p99", "late"), (MAX, "failed")]
            .map(|(name, reason)| (name.to_owned(), reason.to_owned()))
            .into();
        let found = figures(&up_to(50_000), None, &independent(), &reasons);
        assert_eq!((found.p99, found.max), (None, None));
        assert!(!found.intervals.contains_key("p99"));
        assert_eq!(found.withheld, reasons);
        assert!(found.p99_9.is_some());
    }

    #[test]
    fn dependent_requests_widen_the_interval_until_it_opens() {
        let values = up_to(50_000);
        let of = |each| {
            figures(
                &values,
                None,
                &PerPercentile::from_fn(|_| each),
                &Withheld::new(),
            )
        };
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

    /// 0.9% timed out after 5 s, 0.8% took 100 ms, all others at most 8 ms.
    fn half_stuck() -> (Histogram<u64>, Failed) {
        let mut good = histogram();
        good.record_n(8_000_000, 9_830).unwrap();
        good.record_n(102_700_000, 80).unwrap();
        let mut given_up = histogram();
        given_up.record_n(5_000_000_000, 90).unwrap();
        let failed = Failed {
            given_up,
            others: 0,
            timeout_ns: 5_000_000_000,
        };
        (good, failed)
    }

    #[test]
    fn timed_out_requests_are_among_the_slowest() {
        let (good, failed) = half_stuck();
        let found = figures(&good, Some(&failed), &independent(), &Withheld::new());
        // Of the good answers alone it would be 8 ms.
        assert!(found.p99.unwrap() >= 102_700_000, "{found:?}");
        assert!(found.brackets.keys().eq(["max", "p99_9"]), "{found:?}");
        let p99_9 = found.brackets["p99_9"];
        assert_eq!(p99_9.high_ns, None);
        assert!(p99_9.low_ns >= 5_000_000_000 && p99_9.high_at_least_ns == p99_9.low_ns);
        assert_eq!((found.p99_9, found.max), (None, None));
        assert_eq!(found.intervals["p99_9"].high_ns, None);
    }

    #[test]
    fn failures_of_unknown_latency_widen_what_they_may_have_been() {
        let (good, mut failed) = half_stuck();
        failed.given_up.clear();
        failed.others = 90;
        let found = figures(&good, Some(&failed), &independent(), &Withheld::new());
        let p99 = found.brackets["p99"];
        assert!(p99.low_ns < 8_100_000, "{p99:?}");
        assert!(p99.high_ns.unwrap() >= 102_700_000, "{p99:?}");
        assert_eq!(found.p99, None);
        assert_eq!(found.p50.map(|ns| ns / 1_000_000), Some(8));
        let at_least_ns = found.brackets["p99_9"].high_at_least_ns;
        assert!((5_000_000_000..5_010_000_000).contains(&at_least_ns));
    }

    #[test]
    fn figures_are_read_back_as_written() {
        let found = figures(&up_to(500), None, &independent(), &Withheld::new());
        let text = serde_json::to_string(&found).unwrap();
        assert!(text.contains(r#""p99_9":null"#), "{text}");
        assert_eq!(serde_json::from_str::<Figures>(&text).unwrap(), found);
    }
}
