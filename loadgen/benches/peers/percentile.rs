//! Percentiles by nearest rank: the smallest value that at least the given share does not exceed.

use serde::{Deserialize, Serialize};

/// The percentiles compared here, in nanoseconds; none where a tool does not report it.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Percentiles {
    /// The median.
    pub p50_ns: Option<u64>,
    /// 99%.
    pub p99_ns: Option<u64>,
    /// 99.9%.
    pub p99_9_ns: Option<u64>,
    /// The greatest.
    pub max_ns: Option<u64>,
}

impl Percentiles {
    /// Those of exact values, in any order; all none when there are none.
    pub fn of(mut values: Vec<u64>) -> Self {
        values.sort_unstable();
        Self {
            p50_ns: nearest_rank(&values, 0.5),
            p99_ns: nearest_rank(&values, 0.99),
            p99_9_ns: nearest_rank(&values, 0.999),
            max_ns: values.last().copied(),
        }
    }

    /// Those of a histogram.
    pub fn of_histogram(histogram: &hdrhistogram::Histogram<u64>) -> Self {
        let at = |share| (!histogram.is_empty()).then(|| histogram.value_at_quantile(share));
        Self {
            p50_ns: at(0.5),
            p99_ns: at(0.99),
            p99_9_ns: at(0.999),
            max_ns: (!histogram.is_empty()).then(|| histogram.max()),
        }
    }
}

/// The value at a share of sorted values; none when there are none.
pub fn nearest_rank<T: Copy>(sorted: &[T], share: f64) -> Option<T> {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied()
}

/// The middle of values in any order, the mean of the two middle ones where their number is even.
pub fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(values[middle]),
        _ => Some((values[middle - 1] + values[middle]) / 2.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_ranks_of_a_thousand() {
        let percentiles = Percentiles::of((1..=1000).rev().collect());
        assert_eq!(percentiles.p50_ns, Some(500));
        assert_eq!(percentiles.p99_ns, Some(990));
        assert_eq!(percentiles.p99_9_ns, Some(999));
        assert_eq!(percentiles.max_ns, Some(1000));
    }

    #[test]
    fn nothing_has_no_percentile() {
        assert_eq!(Percentiles::of(Vec::new()), Percentiles::default());
        assert_eq!(median([]), None);
        assert_eq!(median([4.0, 1.0]), Some(2.5));
        assert_eq!(median([9.0, 1.0, 2.0]), Some(2.0));
    }
}
