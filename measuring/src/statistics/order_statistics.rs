//! Distribution-free intervals of percentiles.
//!
//! The number of values at or below the true percentile is binomial, whatever the distribution
//! of the values; so two ranks of the sorted sample enclose it with a known probability (David
//! and Nagaraja, *Order Statistics*, 3rd edition 2003, section 7.1; Hahn and Meeker,
//! *Statistical Intervals*, 1991, section 5.2). For latencies, which are skewed and have several
//! modes, nothing else is honest.
//!
//! The binomial tails are summed exactly. Requests of one run depend on one another, so the
//! ranks are those of the *effective* sample (the generator's `judgement::dependence`), carried
//! over to the real one as Korn and Graubard do ("Confidence intervals for proportions with
//! small expected number of positive counts estimated from survey data", *Survey Methodology*
//! 24, 1998).

use super::percentile::Percentile;

/// The confidence of every interval stated.
pub const CONFIDENCE: f64 = 0.95;

/// The probability that a two-sided interval misses on one given side.
const MISS_ON_ONE_SIDE: f64 = (1.0 - CONFIDENCE) / 2.0;

/// Terms below this share of the greatest one are not summed: 1e9 of them would change a tail
/// of 0.025 by less than one part in 1e9.
const NEGLIGIBLE_TERM: f64 = 1e-20;

/// The ranks (from 1) of the sorted sample that enclose a percentile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ranks {
    /// The value at this rank is at or below the percentile; `None`: the sample is too small
    /// for a lower bound.
    pub low: Option<u64>,
    /// The value at this rank is at or above the percentile; `None`: the sample is too small
    /// for an upper bound.
    pub high: Option<u64>,
}

/// The ranks that enclose `percentile` with 95% confidence, among `count` independent values.
pub fn ranks(percentile: Percentile, count: u64) -> Ranks {
    Ranks {
        low: greatest_safe_rank(count, percentile.fraction()),
        // Counted from the other end, so that the tail is summed where it is small.
        high: greatest_safe_rank(count, percentile.tail()).map(|from_above| count - from_above + 1),
    }
}

/// The ranks that enclose `percentile` with 95% confidence, among `count` values that depend on
/// one another and are worth `effective_count` independent ones (at most `count`).
///
/// The percentile lies below the effective rank `low` when no more than `low - 1` effective
/// values do, which is `(low - 1) * count / effective_count` real ones; the same from above.
pub fn ranks_of_dependent(percentile: Percentile, count: u64, effective_count: f64) -> Ranks {
    let whole = effective_count.floor().clamp(0.0, count as f64) as u64;
    if whole == count {
        return ranks(percentile, count);
    }
    let Ranks { low, high } = ranks(percentile, whole);
    let each = count as f64 / effective_count;
    let at_most_count = |rank: f64| (rank as u64).clamp(1, count);
    Ranks {
        low: low.map(|rank| at_most_count(((rank - 1) as f64 * each).floor() + 1.0)),
        high: high.map(|rank| at_most_count((rank as f64 * each).ceil())),
    }
}

/// The least number of independent values from which `percentile` has a two-sided interval of
/// 95%: 36,887 for p99.99.
pub fn least_count(percentile: Percentile) -> u64 {
    // The greatest value is below the percentile with probability fraction^n, the least above it
    // with tail^n; tail <= fraction for every percentile stated.
    (MISS_ON_ONE_SIDE.ln() / (-percentile.tail()).ln_1p()).ceil() as u64
}

/// The greatest rank `l >= 1` with P(X <= l - 1) <= [`MISS_ON_ONE_SIDE`], X binomial of `count`
/// trials with success `probability`.
///
/// Terms are taken relative to the greatest one, by the ratio of neighbours, and divided by
/// their own sum: no factorials, hence no loss of digits at any `count`. The walk covers about
/// nine standard deviations on each side: 0.3 million terms at most for 1e9 values.
fn greatest_safe_rank(count: u64, probability: f64) -> Option<u64> {
    let odds = probability / (1.0 - probability);
    let mode = (((count as f64 + 1.0) * probability).floor() as u64).min(count);
    let down = |successes: u64| successes as f64 / ((count - successes + 1) as f64 * odds);
    let up = |successes: u64| (count - successes) as f64 * odds / (successes + 1) as f64;

    let mut to_mode = 1.0;
    let (mut term, mut successes) = (1.0, mode);
    while successes > 0 && term > NEGLIGIBLE_TERM {
        term *= down(successes);
        successes -= 1;
        to_mode += term;
    }
    let mut above_mode = 0.0;
    (term, successes) = (1.0, mode);
    while successes < count && term > NEGLIGIBLE_TERM {
        term *= up(successes);
        successes += 1;
        above_mode += term;
    }

    // From the mode downwards: P(X <= successes) until it is small enough.
    let whole = to_mode + above_mode;
    let mut at_or_below = to_mode;
    (term, successes) = (1.0, mode);
    while at_or_below / whole > MISS_ON_ONE_SIDE {
        if successes == 0 {
            return None;
        }
        at_or_below -= term;
        term *= down(successes);
        successes -= 1;
    }
    Some(successes + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// P(X = 0), P(X = 1), … straight from the definition, for small counts.
    fn binomial(count: u64, probability: f64) -> Vec<f64> {
        let mut ways = 1.0;
        (0..=count)
            .map(|k| {
                if k > 0 {
                    ways *= (count - k + 1) as f64 / k as f64;
                }
                ways * probability.powi(k as i32) * (1.0 - probability).powi((count - k) as i32)
            })
            .collect()
    }

    #[test]
    fn ranks_are_those_of_the_definition() {
        for percentile in [Percentile::P50, Percentile::P90, Percentile::P99] {
            for count in 1..=500u64 {
                let terms = binomial(count, percentile.fraction());
                let below = |rank: &u64| terms[..*rank as usize].iter().sum::<f64>();
                let from = |rank: &u64| terms[*rank as usize..].iter().sum::<f64>();
                let low = (1..=count).rev().find(|rank| below(rank) <= 0.025);
                let high = (1..=count).find(|rank| from(rank) <= 0.025);
                let expected = Ranks { low, high };
                assert_eq!(
                    ranks(percentile, count),
                    expected,
                    "{percentile:?} of {count}"
                );
            }
        }
    }

    #[test]
    fn textbook_ranks_of_the_median() {
        // Conover, Practical Nonparametric Statistics, table A3: n = 6 gives the extremes,
        // n = 20 ranks 6 and 15, n = 100 ranks 40 and 61.
        assert_eq!(
            ranks(Percentile::P50, 5),
            Ranks {
                low: None,
                high: None
            }
        );
        for (count, low, high) in [(6, 1, 6), (20, 6, 15), (100, 40, 61)] {
            let expected = Ranks {
                low: Some(low),
                high: Some(high),
            };
            assert_eq!(ranks(Percentile::P50, count), expected);
        }
    }

    #[test]
    fn p99_99_needs_36_887_requests() {
        let percentile = Percentile::P99_99;
        assert_eq!(ranks(percentile, 36_886).high, None);
        assert_eq!(ranks(percentile, 36_887).high, Some(36_887));
    }

    #[test]
    fn the_least_count_is_where_the_interval_begins() {
        for percentile in Percentile::ALL {
            let least = least_count(percentile);
            let enough = ranks(percentile, least);
            assert!(
                enough.low.is_some() && enough.high.is_some(),
                "{percentile:?}"
            );
            assert_eq!(ranks(percentile, least - 1).high, None, "{percentile:?}");
        }
        assert_eq!(least_count(Percentile::P50), 6);
        assert_eq!(least_count(Percentile::P99_99), 36_887);
    }

    #[test]
    fn a_thousand_million_values_agree_with_the_normal_limit() {
        let count = 1_000_000_000;
        for percentile in Percentile::ALL {
            let mean = count as f64 * percentile.fraction();
            let deviation = (mean * percentile.tail()).sqrt();
            let found = ranks(percentile, count);
            let low = (found.low.unwrap() as f64 - mean) / deviation;
            let high = (found.high.unwrap() as f64 - mean) / deviation;
            assert!((low + 1.959964).abs() < 0.01, "{percentile:?} low {low}");
            assert!((high - 1.959964).abs() < 0.01, "{percentile:?} high {high}");
        }
    }

    #[test]
    fn no_values_have_no_interval() {
        for percentile in Percentile::ALL {
            assert_eq!(
                ranks(percentile, 0),
                Ranks {
                    low: None,
                    high: None
                }
            );
            let none = ranks_of_dependent(percentile, 0, 0.0);
            assert_eq!(
                none,
                Ranks {
                    low: None,
                    high: None
                }
            );
        }
    }

    #[test]
    fn dependence_widens_the_interval_and_full_effect_does_not() {
        let count = 100_000;
        let whole = ranks(Percentile::P99, count);
        assert_eq!(
            ranks_of_dependent(Percentile::P99, count, count as f64),
            whole
        );
        let quarter = ranks_of_dependent(Percentile::P99, count, count as f64 / 4.0);
        let half_width = |r: Ranks| (r.high.unwrap() - r.low.unwrap()) as f64 / 2.0;
        let ratio = half_width(quarter) / half_width(whole);
        assert!(
            (ratio - 2.0).abs() < 0.1,
            "a quarter of the values doubles the width: {ratio}"
        );
        // Ten events cannot bound a p99.99 from above, however many requests they hit.
        let few = ranks_of_dependent(Percentile::P99_99, count, 1_000.0);
        assert_eq!(few.high, None);
        assert!(few.low.is_some());
    }
}
