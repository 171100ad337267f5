//! The limits of percentiles if some requests failed.
//!
//! A failed request has no latency. If failed requests were left out, a server that refuses
//! its slowest requests would look faster. Its latency is censored (Helsel, *Statistics for
//! Censored Environmental Data*, 2nd edition 2012, section 2). The lower end of a
//! percentile counts failures among the fastest; the upper end counts them as never
//! answered. If the generator stopped waiting for a request, both ends count it as at least
//! as long as it had waited.
//!
//! The lab has the same rule (`statistics/partial_identification.py`), and the same vectors test
//! both (`tests/vectors/brackets.json`).

use std::borrow::Cow;

use hdrhistogram::Histogram;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// If the upper end of a bracket exceeds its lower end by at most this share, the bracket
/// is shown as one number.
const NARROW: f64 = 1.01;

/// The requests that got no good answer.
#[derive(Debug, Clone)]
pub struct Failed {
    /// Those that were given up: how long each had waited by then, ns.
    pub given_up: Histogram<u64>,
    /// The others: refused, reset, wrong.
    pub others: u64,
    /// What each of the others counts as at least in an upper end that is open, ns.
    pub timeout_ns: u64,
}

impl Failed {
    /// How many.
    pub fn count(&self) -> u64 {
        self.given_up.len() + self.others
    }

    /// They and the `good` answers together: those that were given up count as long as they had
    /// waited, and each of the others counts as `others_ns`.
    pub fn among(&self, good: &Histogram<u64>, others_ns: u64) -> Histogram<u64> {
        let mut all = good.clone();
        // Equal bounds: the library cannot refuse.
        let added = all.add(&self.given_up);
        debug_assert!(added.is_ok());
        if self.others > 0 {
            all.saturating_record_n(others_ns, self.others);
        }
        all
    }

    /// How many of the `good` answers are certainly faster than every failed request, if none of
    /// the others was ever answered.
    pub fn good_below(&self, good: &Histogram<u64>) -> u64 {
        let given_up_ns = (!self.given_up.is_empty()).then(|| self.given_up.min());
        let others_ns = (self.others > 0).then_some(self.timeout_ns);
        let Some(least_ns) = given_up_ns.into_iter().chain(others_ns).min() else {
            return good.len();
        };
        match good.lowest_equivalent(least_ns) {
            0 => 0,
            edge_ns => good.count_between(0, edge_ns - 1),
        }
    }
}

/// Between what a percentile lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Bracket {
    /// Its lower end, in nanoseconds; 0 where it may be a request that failed at once.
    pub low_ns: u64,
    /// Its upper end, in nanoseconds; `None` where it may be a request that is never answered.
    pub high_ns: Option<u64>,
    /// What its upper end is at least, in nanoseconds: `high_ns` where that is known, else each
    /// failure counts as the time-out, or as long as it had waited if it was given up.
    pub high_at_least_ns: u64,
}

impl Bracket {
    /// The upper end, where it is no more than 1% above the lower: as good as one number.
    pub fn narrow(self) -> Option<u64> {
        self.high_ns
            .filter(|&high_ns| high_ns as f64 <= self.low_ns as f64 * NARROW)
    }
}

/// Good answers and failures together, to take ranks of.
pub(super) struct Sample<'a> {
    good: &'a Histogram<u64>,
    lowest: Cow<'a, Histogram<u64>>,
    least_of_highest: Cow<'a, Histogram<u64>>,
}

impl<'a> Sample<'a> {
    /// The values of `good`, and those that failed, if any did.
    pub(super) fn new(good: &'a Histogram<u64>, failed: Option<&Failed>) -> Self {
        let with_others_at = |ns: u64| match failed.filter(|failed| failed.count() > 0) {
            None => Cow::Borrowed(good),
            Some(failed) => Cow::Owned(failed.among(good, ns)),
        };
        Self {
            good,
            lowest: with_others_at(0),
            least_of_highest: with_others_at(failed.map_or(0, |failed| failed.timeout_ns)),
        }
    }

    /// All of them.
    pub(super) fn count(&self) -> u64 {
        self.lowest.len()
    }

    /// Whether all are good answers.
    pub(super) fn is_complete(&self) -> bool {
        self.good.len() == self.count()
    }

    /// The least that the value at a rank (from 1) can be: the lower edge of its cell.
    pub(super) fn low(&self, rank: u64) -> u64 {
        self.lowest.lowest_equivalent(at_rank(&self.lowest, rank))
    }

    /// Between what the value at a rank lies; all ends are the greatest value of their cell, as
    /// HdrHistogram gives percentiles.
    pub(super) fn bracket(&self, rank: u64) -> Bracket {
        let high_ns = self.high(rank);
        Bracket {
            low_ns: at_rank(&self.lowest, rank),
            high_ns,
            high_at_least_ns: high_ns.unwrap_or_else(|| at_rank(&self.least_of_highest, rank)),
        }
    }

    /// The most that the value at a rank can be; `None` where it may never have been answered.
    pub(super) fn high(&self, rank: u64) -> Option<u64> {
        (rank <= self.good.len()).then(|| at_rank(self.good, rank))
    }
}

/// The value at a rank (from 1) of the sorted values: the greatest of its cell. By rank and not
/// by quantile, which floating point may put one rank off.
fn at_rank(histogram: &Histogram<u64>, rank: u64) -> u64 {
    let mut seen = 0;
    for cell in histogram.iter_recorded() {
        seen += cell.count_since_last_iteration();
        if seen >= rank {
            return cell.value_iterated_to();
        }
    }
    histogram.max()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::fixture::histogram;
    use runfair_measuring::statistics::percentile::Percentile;

    #[test]
    fn the_least_failure_bounds_the_good_answers_below_it() {
        let mut good = histogram();
        good.record_n(1_000_000, 90).unwrap();
        good.record_n(2_000_000_000, 5).unwrap();
        let failed = |given_up_ns: &[u64], others| {
            let mut given_up = histogram();
            for ns in given_up_ns {
                given_up.record(*ns).unwrap();
            }
            Failed {
                given_up,
                others,
                timeout_ns: 5_000_000_000,
            }
        };
        assert_eq!(failed(&[], 0).good_below(&good), 95);
        assert_eq!(failed(&[], 5).good_below(&good), 95);
        assert_eq!(failed(&[1_500_000_000], 5).good_below(&good), 90);
        assert_eq!(failed(&[0], 5).good_below(&good), 0);
        let all = failed(&[1_500_000_000], 4).among(&good, 5_000_000_000);
        assert_eq!(all.len(), 100);
        assert!(all.max() >= 5_000_000_000);
    }

    /// One case of the vectors that the lab's rule is tested with too.
    #[derive(Deserialize)]
    struct Vector {
        name: String,
        good: Vec<(u64, u64)>,
        given_up: Vec<(u64, u64)>,
        others: u64,
        timeout: u64,
        percentile: String,
        low: u64,
        high: Option<u64>,
        high_at_least: u64,
    }

    fn counted(values: &[(u64, u64)]) -> Histogram<u64> {
        let mut found = histogram();
        for (value, count) in values {
            found.record_n(*value, *count).unwrap();
        }
        found
    }

    fn failed(given_up: &[(u64, u64)], others: u64, timeout_ns: u64) -> Failed {
        Failed {
            given_up: counted(given_up),
            others,
            timeout_ns,
        }
    }

    #[test]
    fn brackets_are_those_of_the_vectors_that_the_lab_reads_too() {
        let text = include_str!("../../tests/vectors/brackets.json");
        let vectors: Vec<Vector> = serde_json::from_str(text).unwrap();
        assert!(vectors.len() >= 10);
        for each in vectors {
            let good = counted(&each.good);
            let failed = failed(&each.given_up, each.others, each.timeout);
            let sample = Sample::new(&good, Some(&failed));
            let percentile = Percentile::ALL
                .into_iter()
                .find(|one| one.name() == each.percentile)
                .unwrap();
            let found = sample.bracket(percentile.rank(sample.count()));
            let same = |value: u64, expected: u64| good.equivalent(value, expected);
            assert!(same(found.low_ns, each.low), "{}: {found:?}", each.name);
            let (high, expected) = (found.high_ns, each.high);
            assert_eq!(high.is_some(), expected.is_some(), "{}", each.name);
            assert!(same(high.unwrap_or(0), expected.unwrap_or(0)), "{found:?}");
            let least = found.high_at_least_ns;
            assert!(same(least, each.high_at_least), "{}: {found:?}", each.name);
        }
    }

    #[test]
    fn without_failures_both_ends_are_the_value() {
        let good = counted(&[(1_000, 50), (2_000, 50)]);
        let sample = Sample::new(&good, None);
        assert!(sample.is_complete());
        let bracket = sample.bracket(50);
        assert_eq!(bracket.high_ns, Some(bracket.low_ns));
        assert_eq!(bracket.narrow(), Some(1_000));
    }

    #[test]
    fn a_bracket_is_narrow_up_to_one_percent_and_never_when_open() {
        let bracket = |low_ns, high_ns| Bracket {
            low_ns,
            high_ns,
            high_at_least_ns: 0,
        };
        assert_eq!(bracket(1_000, Some(1_010)).narrow(), Some(1_010));
        assert_eq!(bracket(1_000, Some(1_011)).narrow(), None);
        assert_eq!(bracket(1_000, None).narrow(), None);
    }
}
