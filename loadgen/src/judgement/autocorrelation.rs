//! The autocorrelation of successive requests' latencies.

/// Sums from which the lag-1 autocorrelation of a series of small integers is computed,
/// exactly and in constant memory. The integers are coarse logarithmic bucket numbers
/// ([`crate::judgement::block::bucket_of`]): without logarithms, a single latency of a
/// second among milliseconds would dominate the variance.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Lag1 {
    /// The number of values.
    pub count: u64,
    /// The sum of the values.
    pub sum: u64,
    /// The sum of the values' squares.
    pub sum_squares: u64,
    /// The sum of the products of each value and the value before it.
    pub sum_products: u64,
    /// The first value.
    pub first: u16,
    /// The last value.
    pub last: u16,
}

impl Lag1 {
    /// Adds the next value. Values are at most 1023; the sums do not overflow for 1.7e13
    /// such values.
    #[inline]
    pub fn observe(&mut self, bucket: u16) {
        let value = u64::from(bucket);
        if self.count == 0 {
            self.first = bucket;
        }
        // Nothing before the first value: `last` is 0 then.
        self.sum_products += u64::from(self.last) * value;
        self.sum += value;
        self.sum_squares += value * value;
        self.last = bucket;
        self.count += 1;
    }

    /// The sums of this series followed by another: the threads of a run, one after the other.
    pub fn merge(&mut self, next: &Self) {
        if next.count == 0 {
            return;
        }
        if self.count == 0 {
            *self = *next;
            return;
        }
        self.sum_products += next.sum_products + u64::from(self.last) * u64::from(next.first);
        self.sum += next.sum;
        self.sum_squares += next.sum_squares;
        self.last = next.last;
        self.count += next.count;
    }

    /// The lag-1 autocorrelation coefficient, -1 to 1 (Box, Jenkins and Reinsel, *Time
    /// Series Analysis*, section 2.1.5). `None` if there are fewer than 2 values, or if all
    /// are equal.
    pub fn coefficient(&self) -> Option<f64> {
        let count = i128::from(self.count);
        let sum = i128::from(self.sum);
        // Both moments times the count, in integers: no cancellation however long the run.
        let variance = count * i128::from(self.sum_squares) - sum * sum;
        if count < 2 || variance <= 0 {
            return None;
        }
        let ends = i128::from(self.first) + i128::from(self.last);
        let covariance = count * i128::from(self.sum_products) - sum * sum + sum * ends;
        // The rest of (n - 1) mean²: one mean² too many was taken above.
        let covariance = covariance as f64 - (sum * sum) as f64 / count as f64;
        Some(covariance / variance as f64)
    }

    /// The number of requests that have the precision of one independent request, if
    /// dependence decays geometrically: (1 + r) / (1 - r), at least 1 (Bayley and
    /// Hammersley, "The effective number of independent observations in an autocorrelated
    /// time series", 1946). It is used only if a run is too short for blocks of time.
    /// `None` if there is no coefficient.
    pub fn requests_each(&self) -> Option<f64> {
        let coefficient = self.coefficient()?;
        let greatest = (1.0 + coefficient) / (1.0 - coefficient);
        Some(greatest.clamp(1.0, self.count as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::fixture::Random;
    use proptest::prelude::*;

    fn observed(values: &[u16]) -> Lag1 {
        let mut lag1 = Lag1::default();
        for &value in values {
            lag1.observe(value);
        }
        lag1
    }

    /// The coefficient, computed directly from its definition.
    fn defined(values: &[u16]) -> Option<f64> {
        let values: Vec<f64> = values.iter().map(|&value| f64::from(value)).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let variance: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let products = values
            .windows(2)
            .map(|pair| (pair[0] - mean) * (pair[1] - mean));
        (variance > 1e-9).then(|| products.sum::<f64>() / variance)
    }

    proptest! {
        #[test]
        fn the_sums_give_the_definition(values in prop::collection::vec(0u16..1024, 2..200)) {
            match (observed(&values).coefficient(), defined(&values)) {
                (Some(found), Some(expected)) => prop_assert!((found - expected).abs() < 1e-9),
                (found, expected) => prop_assert_eq!(found, expected),
            }
        }

        #[test]
        fn merging_is_observing_one_after_the_other(
            values in prop::collection::vec(0u16..1024, 0..100),
            cut in 0usize..100,
        ) {
            let (before, after) = values.split_at(cut.min(values.len()));
            let mut merged = observed(before);
            merged.merge(&observed(after));
            prop_assert_eq!(merged, observed(&values));
        }
    }

    #[test]
    fn independent_values_have_none_and_dependent_ones_have_theirs() {
        let mut random = Random::new(7);
        for expected in [0.0, 0.5, 0.9] {
            let (mut lag1, mut state) = (Lag1::default(), 0.0);
            for _ in 0..100_000 {
                let innovation = (1.0f64 - expected * expected).sqrt() * random.normal();
                state = expected * state + innovation;
                lag1.observe((400.0 + 20.0 * state) as u16);
            }
            let found = lag1.coefficient().unwrap();
            assert!((found - expected).abs() < 0.02, "{found}, not {expected}");
            let each = lag1.requests_each().unwrap();
            let truth = (1.0 + expected) / (1.0 - expected);
            assert!((each / truth - 1.0).abs() < 0.15, "{each}, not {truth}");
        }
    }

    #[test]
    fn nothing_is_said_of_too_little() {
        assert_eq!(Lag1::default().coefficient(), None);
        assert_eq!(observed(&[5]).coefficient(), None);
        assert_eq!(observed(&[5, 5, 5]).coefficient(), None);
        assert_eq!(observed(&[5, 5, 5]).requests_each(), None);
    }

    #[test]
    fn ten_thousand_million_values_lose_no_digit() {
        // Alternating 600 and 640: the coefficient is -1 but for the ends.
        let pairs = 5_000_000_000u64;
        let long = Lag1 {
            count: 2 * pairs,
            sum: pairs * 1_240,
            sum_squares: pairs * (600 * 600 + 640 * 640),
            sum_products: (2 * pairs - 1) * 600 * 640,
            first: 600,
            last: 640,
        };
        let found = long.coefficient().unwrap();
        assert!((found + 1.0).abs() < 1e-9, "{found}");
    }
}
