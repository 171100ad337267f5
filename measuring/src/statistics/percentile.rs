//! The percentiles that the generator states, and a value for each of them.

use std::ops::Index;

/// A percentile of a latency distribution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Percentile {
    /// The median.
    P50,
    /// One request in 10 is slower.
    P90,
    /// One request in 100 is slower.
    P99,
    /// One request in 1,000 is slower.
    P99_9,
    /// One request in 10,000 is slower.
    P99_99,
}

impl Percentile {
    /// Every percentile, from the median outwards.
    pub const ALL: [Self; 5] = [Self::P50, Self::P90, Self::P99, Self::P99_9, Self::P99_99];

    /// Requests at or below it among ten thousand, its name in JSON, and its name for people.
    const fn described(self) -> (u64, &'static str, &'static str) {
        match self {
            Self::P50 => (5_000, "p50", "p50"),
            Self::P90 => (9_000, "p90", "p90"),
            Self::P99 => (9_900, "p99", "p99"),
            Self::P99_9 => (9_990, "p99_9", "p99.9"),
            Self::P99_99 => (9_999, "p99_99", "p99.99"),
        }
    }

    /// Requests at or below it among ten thousand: integers, so that a rank never depends on
    /// the rounding of 0.999.
    pub const fn per_ten_thousand(self) -> u64 {
        self.described().0
    }

    /// The share of requests at or below it, such as 0.999.
    pub fn fraction(self) -> f64 {
        self.per_ten_thousand() as f64 / 10_000.0
    }

    /// The share of requests above it, such as 0.001.
    pub fn tail(self) -> f64 {
        (10_000 - self.per_ten_thousand()) as f64 / 10_000.0
    }

    /// Its name in JSON and in findings: `p50`, `p99_9`.
    pub const fn name(self) -> &'static str {
        self.described().1
    }

    /// Its name for people: `p50`, `p99.9`.
    pub const fn label(self) -> &'static str {
        self.described().2
    }

    /// The rank (from 1) of its value among `count` sorted values: the least rank that has at
    /// least this share of the values at or below it, as HdrHistogram defines it.
    pub fn rank(self, count: u64) -> u64 {
        let share = u128::from(count) * u128::from(self.per_ten_thousand());
        // At most `count`, so it fits.
        share.div_ceil(10_000) as u64
    }
}

/// One value for every [`Percentile`].
#[derive(Debug, Clone, PartialEq)]
pub struct PerPercentile<T>([T; Percentile::ALL.len()]);

impl<T> PerPercentile<T> {
    /// The value of each percentile, from the median outwards.
    pub fn from_fn(value: impl FnMut(Percentile) -> T) -> Self {
        Self(Percentile::ALL.map(value))
    }

    /// Each percentile with its value, from the median outwards.
    pub fn iter(&self) -> impl Iterator<Item = (Percentile, &T)> {
        Percentile::ALL.into_iter().zip(&self.0)
    }
}

impl<T> Index<Percentile> for PerPercentile<T> {
    type Output = T;

    fn index(&self, percentile: Percentile) -> &T {
        &self.0[percentile as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_exact_where_floating_point_would_slip() {
        assert_eq!(Percentile::P50.rank(1), 1);
        assert_eq!(Percentile::P50.rank(2), 1);
        assert_eq!(Percentile::P50.rank(3), 2);
        assert_eq!(Percentile::P99.rank(100), 99);
        assert_eq!(Percentile::P99.rank(101), 100);
        assert_eq!(Percentile::P99_9.rank(1_000), 999);
        assert_eq!(Percentile::P99_99.rank(1_000_000_000), 999_900_000);
        assert_eq!(Percentile::P99_99.rank(9_999), 9_999);
        assert_eq!(Percentile::P50.rank(0), 0);
    }

    #[test]
    fn share_and_tail_make_one() {
        for percentile in Percentile::ALL {
            assert!((percentile.fraction() + percentile.tail() - 1.0).abs() < 1e-15);
        }
    }
}
