//! Tests whether the gaps between requests come from a Poisson process.
//!
//! The gaps of a Poisson process, measured in units of their mean (time-rescaled where the
//! rate changes), are independent and exponentially distributed with mean 1. The mean is
//! known, so nothing is estimated from the sample: case 0 of Stephens ("EDF statistics for
//! goodness of fit and some comparisons", JASA 69, 1974). The Anderson–Darling statistic
//! gives weight to the tails, where a generator that sends bursts or skips requests
//! deviates; Lancet (Kogias, Mallon and Bugnion, USENIX ATC 2019, section 4) uses it for
//! the same question.
//!
//! The p-value is that of Marsaglia and Marsaglia, "Evaluating the Anderson–Darling
//! distribution" (Journal of Statistical Software 9(2), 2004), with their correction for
//! finite samples; its error is below 1e-5 or so. The Kolmogorov–Smirnov distance is
//! reported with it as the size of the deviation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Gaps are refused only if such a statistic occurs by chance less often than this. By this
/// limit alone, one honest run in a thousand would be refused by chance;
/// [`SMALLEST_DISTANCE`] prevents that.
pub const SMALLEST_P_VALUE: f64 = 0.001;

/// Gaps are refused only if the share of gaps below some length deviates by more than this.
/// With thousands of gaps, small deviations are significant although they do not affect a
/// server: a rate that is wrong by 4%, or time stamps rounded to a tenth of a gap. The
/// limit of 5% is also the share by which the generator may change a percentile before it
/// is withheld. Real defects deviate far more: a constant gap by 0.63, a uniform gap by
/// 0.2, an Erlang gap of two stages by 0.15.
pub const SMALLEST_DISTANCE: f64 = 0.05;

/// The least number of gaps that are tested. It is enough to refuse constant gaps, half the
/// rate, or bursts. Refusing uniform gaps, or Erlang gaps of two stages, needs some
/// hundreds.
pub const SMALLEST_SAMPLE: usize = 100;

/// A shorter gap is treated as a gap of this length. Time stamps are whole nanoseconds, so
/// two requests may have the same; the logarithm of a gap of zero would dominate the
/// statistic. One exponential gap in a million is shorter.
const SMALLEST_GAP: f64 = 1e-6;

/// How well a sample of gaps fits the exponential distribution of mean 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fit {
    /// The Anderson–Darling statistic, A².
    pub statistic: f64,
    /// The probability of such a statistic or a greater one, if the gaps are exponential.
    pub p_value: f64,
    /// The Kolmogorov–Smirnov distance: the greatest difference between the share of gaps below
    /// a length and the share expected, 0 to 1.
    pub ks_distance: f64,
    /// Gaps tested.
    pub samples: u64,
}

impl Fit {
    /// Tests gaps in units of their known mean. `None` if there are no gaps, or if a gap is
    /// not a finite number.
    ///
    /// A negative gap (a later request was sent before an earlier one) is treated as a gap
    /// of zero.
    pub fn of_unit_gaps(gaps: &[f64]) -> Option<Self> {
        if gaps.is_empty() || gaps.iter().any(|gap| !gap.is_finite()) {
            return None;
        }
        let mut sorted = gaps.to_vec();
        sorted.sort_by(f64::total_cmp);
        let count = sorted.len() as f64;
        let mut sum = 0.0;
        let mut ks_distance: f64 = 0.0;
        for (index, (&short, &long)) in sorted.iter().zip(sorted.iter().rev()).enumerate() {
            let before = index as f64;
            // ln F(x) and ln(1 - F(x)) of the exponential; the latter is -x itself.
            let below = -(-short.max(SMALLEST_GAP)).exp_m1();
            sum += (2.0 * before + 1.0) * (below.ln() - long.max(SMALLEST_GAP));
            ks_distance = ks_distance
                .max((before + 1.0) / count - below)
                .max(below - before / count);
        }
        let statistic = -count - sum / count;
        Some(Self {
            statistic,
            p_value: p_value(statistic, count),
            ks_distance,
            samples: sorted.len() as u64,
        })
    }

    /// Whether the gaps are refused: unlikely by chance and more than `allowed_distance` off,
    /// which is at least [`SMALLEST_DISTANCE`].
    pub fn is_refused(&self, allowed_distance: f64) -> bool {
        self.p_value < SMALLEST_P_VALUE
            && self.ks_distance > allowed_distance.max(SMALLEST_DISTANCE)
    }
}

/// P(A² >= `statistic`) for a sample of `count`.
fn p_value(statistic: f64, count: f64) -> f64 {
    let below = asymptotic(statistic);
    (1.0 - (below + correction(below, count))).clamp(0.0, 1.0)
}

/// The distribution function of A² for an infinite sample: `adinf` of the paper, section 2.
fn asymptotic(statistic: f64) -> f64 {
    // The statistic is positive but for rounding; past 40 the probability is exactly 1, and far
    // beyond the polynomial would overflow.
    let z = statistic.clamp(1e-9, 40.0);
    if z < 2.0 {
        let series = polynomial(
            z,
            [
                2.00012, 0.247105, -0.0649821, 0.0347962, -0.0116720, 0.00168691,
            ],
        );
        (-1.2337141 / z).exp() / z.sqrt() * series
    } else {
        let series = polynomial(
            z,
            [1.0776, -2.30695, 0.43424, -0.082433, 0.008056, -0.0003146],
        );
        (-series.exp()).exp()
    }
}

/// The correction that is added to the asymptotic probability for a finite sample: `errfix`
/// of the paper, section 3.
fn correction(below: f64, count: f64) -> f64 {
    if below > 0.8 {
        let series = [
            -130.2137, 745.2337, -1705.091, 1950.646, -1116.360, 255.7844,
        ];
        return polynomial(below, series) / count;
    }
    let crossing = 0.01265 + 0.1757 / count;
    if below < crossing {
        let t = below / crossing;
        let shape = t.sqrt() * (1.0 - t) * (49.0 * t - 102.0);
        return shape * (0.0037 / (count * count) + 0.00078 / count + 0.00006) / count;
    }
    let t = (below - crossing) / (0.8 - crossing);
    let shape = polynomial(t, [-0.00022633, 6.54034, -14.6538, 14.458, -8.259, 1.91864]);
    shape * (0.04213 + 0.01365 / count) / count
}

/// `coefficients[0] + coefficients[1] x + …`, by Horner's rule.
fn polynomial(x: f64, coefficients: [f64; 6]) -> f64 {
    coefficients
        .iter()
        .rev()
        .fold(0.0, |sum, coefficient| sum * x + coefficient)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::fixture::Random;

    fn fit(gaps: &[f64]) -> Fit {
        Fit::of_unit_gaps(gaps).unwrap()
    }

    #[test]
    fn published_percentage_points() {
        // Case 0, Stephens 1974 table 1 (as in D'Agostino and Stephens 1986, table 4.2).
        for (point, tail) in [
            (1.248, 0.25),
            (1.610, 0.15),
            (1.933, 0.10),
            (2.492, 0.05),
            (3.070, 0.025),
            (3.880, 0.01),
        ] {
            let found = p_value(point, 1e9);
            assert!(
                (found / tail - 1.0).abs() < 0.025,
                "A² {point}: {found}, not {tail}"
            );
        }
    }

    #[test]
    fn the_pieces_of_the_approximation_meet() {
        // Section 2: the two formulas take over from each other at z = 2, P = 0.90816.
        assert!((asymptotic(2.0 - 1e-12) - 0.908_16).abs() < 1e-5);
        assert!((asymptotic(2.0) - 0.908_16).abs() < 1e-5);
        // Section 3: the three formulas of the correction are zero where they meet, and at 1.
        // A single wrong coefficient moves them by far more than the paper's own digits.
        let count = 100.0;
        let crossing = 0.01265 + 0.1757 / count;
        for (below, scale) in [
            (1.0, count),
            (0.8 + 1e-12, count),
            (0.8, count / 0.04213),
            (crossing, count / 0.04213),
            (crossing - 1e-12, count),
        ] {
            let found = correction(below, count) * scale;
            assert!(found.abs() < 5e-3, "at {below}: {found}");
        }
    }

    #[test]
    fn the_correction_makes_p_values_of_eight_gaps_uniform() {
        let mut random = Random::new(8);
        let repetitions = 200_000;
        let statistics: Vec<f64> = (0..repetitions)
            .map(|_| {
                let gaps: [f64; 8] = std::array::from_fn(|_| random.exponential());
                fit(&gaps).statistic
            })
            .collect();
        let off = |limit: f64, p_value: &dyn Fn(f64) -> f64| {
            let below = statistics.iter().filter(|a| p_value(**a) < limit).count();
            (below as f64 / f64::from(repetitions) - limit).abs()
        };
        // The standard error is 0.1%, the correction of the paper 0.5%.
        for limit in [0.5, 0.7] {
            let corrected = off(limit, &|statistic| p_value(statistic, 8.0));
            let uncorrected = off(limit, &|statistic| 1.0 - asymptotic(statistic));
            assert!(corrected < 0.0025, "{limit}: {corrected}");
            assert!(uncorrected > 0.0025, "{limit}: {uncorrected}");
        }
    }

    #[test]
    fn a_sample_worked_by_hand() {
        // One gap at the median: z = 1/2, A² = -1 - ln(1/4).
        let one = fit(&[std::f64::consts::LN_2]);
        assert!((one.statistic - (4f64.ln() - 1.0)).abs() < 1e-12);
        assert!((one.ks_distance - 0.5).abs() < 1e-12);
        // Two gaps at the quartiles: A² = -2 - (1/2)(ln(1/4 · 1/4) + 3 ln(3/4 · 3/4)).
        let two = fit(&[4f64.ln(), (4.0f64 / 3.0).ln()]);
        let expected = -2.0 - 0.5 * ((1.0f64 / 16.0).ln() + 3.0 * (9.0f64 / 16.0).ln());
        assert!((two.statistic - expected).abs() < 1e-12);
        assert!((two.ks_distance - 0.25).abs() < 1e-12);
    }

    #[test]
    fn p_values_of_true_exponentials_are_uniform() {
        let mut random = Random::new(3);
        for count in [8, 100] {
            let repetitions = 4_000;
            let mut below = [0u32; 3];
            for _ in 0..repetitions {
                let gaps: Vec<f64> = (0..count).map(|_| random.exponential()).collect();
                let found = fit(&gaps).p_value;
                for (slot, limit) in below.iter_mut().zip([0.05, 0.5, 0.9]) {
                    *slot += u32::from(found < limit);
                }
            }
            // Standard errors: 0.34%, 0.79%, 0.47%.
            for (found, (limit, margin)) in
                below
                    .iter()
                    .zip([(0.05, 0.014), (0.5, 0.032), (0.9, 0.019)])
            {
                let share = f64::from(*found) / f64::from(repetitions);
                assert!(
                    (share - limit).abs() < margin,
                    "n {count}: P(p < {limit}) = {share}"
                );
            }
        }
    }

    /// Processes that a faulty generator may use in place of a Poisson process. Their gaps
    /// have a mean of about 1.
    fn liars(random: &mut Random, count: usize) -> [(&'static str, Vec<f64>); 5] {
        let mut sample = |gap: &mut dyn FnMut(&mut Random) -> f64| -> Vec<f64> {
            (0..count).map(|_| gap(random)).collect()
        };
        let mut index = 0;
        let burst = |random: &mut Random| {
            index += 1;
            if index % 10 == 0 {
                10.0 * random.exponential()
            } else {
                0.0
            }
        };
        [
            ("even grid", sample(&mut |_| 1.0)),
            (
                "half the rate",
                sample(&mut |random| 2.0 * random.exponential()),
            ),
            ("bursts of ten", sample(&mut { burst })),
            ("uniform", sample(&mut |random| 2.0 * random.uniform())),
            (
                "Erlang of two",
                sample(&mut |random| 0.5 * (random.exponential() + random.exponential())),
            ),
        ]
    }

    #[test]
    fn honest_gaps_pass_and_each_liar_is_refused() {
        let mut random = Random::new(4);
        // The finer lies need more gaps.
        for (count, told_apart) in [(SMALLEST_SAMPLE, 3), (1_000, 5), (4_096, 5)] {
            let honest: Vec<f64> = (0..count).map(|_| random.exponential()).collect();
            assert!(!fit(&honest).is_refused(0.0), "{count}: {:?}", fit(&honest));
            for (name, liar) in &liars(&mut random, count)[..told_apart] {
                let found = fit(liar);
                assert!(found.is_refused(0.0), "{name} of {count}: {found:?}");
            }
        }
    }

    #[test]
    fn a_trifle_in_a_huge_sample_is_significant_and_not_refused() {
        let mut random = Random::new(5);
        let gaps: Vec<f64> = (0..100_000).map(|_| 1.03 * random.exponential()).collect();
        let found = fit(&gaps);
        assert!(found.p_value < SMALLEST_P_VALUE, "{found:?}");
        assert!(!found.is_refused(0.0), "{found:?}");
    }

    #[test]
    fn rounded_time_stamps_at_a_million_a_second_pass() {
        let mut random = Random::new(6);
        let gaps: Vec<f64> = (0..4_096)
            .map(|_| (random.exponential() * 1_000.0).round() / 1_000.0)
            .collect();
        assert!(gaps.contains(&0.0), "the sample must show the case");
        let found = fit(&gaps);
        assert!(found.p_value > SMALLEST_P_VALUE, "{found:?}");
    }

    #[test]
    fn what_cannot_be_tested_is_not() {
        assert_eq!(Fit::of_unit_gaps(&[]), None);
        assert_eq!(Fit::of_unit_gaps(&[1.0, f64::NAN]), None);
        assert_eq!(Fit::of_unit_gaps(&[1.0, f64::INFINITY]), None);
        let stuck = fit(&[1e9; 100]);
        assert!(stuck.is_refused(0.0), "{stuck:?}");
        let backwards = fit(&[-1.0; 100]);
        assert!(backwards.is_refused(0.0), "{backwards:?}");
    }
}
