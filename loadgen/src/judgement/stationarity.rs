//! Did the server stay the same during the run?
//!
//! The Mann–Kendall test for a trend (Mann, "Nonparametric tests against trend", Econometrica
//! 13, 1945; Kendall, *Rank Correlation Methods*, 1975, for ties) over the medians of the run's
//! blocks of time, with the change from the first quarter to the last as its size. A server that
//! warms up is not stationary and its run is none the worse for it: the answer is stated and
//! never voids. (Lancet's published test of stationarity cannot answer no; this one is shown
//! both answers by its tests.)

use super::block::{Block, Timeline};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use statrs::function::erf::erfc;

/// Fewer blocks than this are not tested: the normal limit of the statistic holds from ten
/// (Kendall 1975), and a quarter of them should be more than two.
pub const LEAST_BLOCKS: usize = 12;

/// A trend is one where chance gives such an order of blocks less often than this. Stricter than
/// usual, since neighbouring blocks resemble each other, which the test takes for a trend (von
/// Storch, "Misuses of statistical analysis in climate research", 1995).
pub const GREATEST_P_VALUE: f64 = 0.001;

/// A change smaller than this is not worth saying: medians of real services differ by 3 to 5%
/// between stretches of one steady run (`docs/statistics.md`, steady
/// state).
pub const SMALLEST_CHANGE: f64 = 0.05;

/// What the medians of a run's blocks did over time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Trend {
    /// Kendall's S: pairs of blocks that rise, less pairs that fall.
    pub kendall_s: i64,
    /// The two-sided probability of such an S or a greater one without a trend.
    pub p_value: f64,
    /// The median of the last quarter's blocks over that of the first's, less 1: -0.3 is a
    /// server that became 30% faster.
    pub relative_change: f64,
    /// Blocks compared.
    pub blocks: u64,
}

impl Trend {
    /// The trend of a run's medians; `None` where fewer than [`LEAST_BLOCKS`] blocks have
    /// requests, or where the first quarter's median is zero.
    pub fn of(timeline: &Timeline) -> Option<Self> {
        let medians: Vec<f64> = timeline
            .blocks()
            .iter()
            .filter_map(Block::median_ns)
            .collect();
        if medians.len() < LEAST_BLOCKS {
            return None;
        }
        let quarter = medians.len() / 4;
        let first = middle(&medians[..quarter]);
        let last = middle(&medians[medians.len() - quarter..]);
        if first <= 0.0 {
            return None;
        }
        let kendall_s = kendall_s(&medians);
        Some(Self {
            kendall_s,
            p_value: p_value(kendall_s, variance(&medians)),
            relative_change: last / first - 1.0,
            blocks: medians.len() as u64,
        })
    }

    /// Whether the run changed: hardly by chance, and by enough to matter.
    pub fn is_notable(&self) -> bool {
        self.p_value < GREATEST_P_VALUE && self.relative_change.abs() >= SMALLEST_CHANGE
    }
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

fn middle(values: &[f64]) -> f64 {
    let sorted = sorted(values);
    let half = sorted.len() / 2;
    if sorted.len() % 2 == 1 {
        sorted[half]
    } else {
        (sorted[half - 1] + sorted[half]) / 2.0
    }
}

/// At most 512 blocks: 131,000 pairs.
fn kendall_s(values: &[f64]) -> i64 {
    let mut pairs = 0;
    for (index, earlier) in values.iter().enumerate() {
        for later in &values[index + 1..] {
            pairs += i64::from(later > earlier) - i64::from(later < earlier);
        }
    }
    pairs
}

/// The variance of S without a trend, each group of equal values taken off.
fn variance(values: &[f64]) -> f64 {
    let term = |count: usize| {
        let count = count as f64;
        count * (count - 1.0) * (2.0 * count + 5.0)
    };
    let ties: f64 = sorted(values)
        .chunk_by(|one, other| one == other)
        .map(|group| term(group.len()))
        .sum();
    (term(values.len()) - ties) / 18.0
}

/// The two-sided p-value, by the normal limit with Kendall's correction for continuity.
fn p_value(kendall_s: i64, variance: f64) -> f64 {
    if variance <= 0.0 || kendall_s == 0 {
        // All values equal, or rises and falls in balance.
        return 1.0;
    }
    let distance = (kendall_s.abs() as f64 - 1.0) / variance.sqrt();
    erfc(distance / std::f64::consts::SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::fixture::{Random, INTERVAL_NS};

    /// Ten seconds whose mean latency follows `scale`, as a function of the time (0 to 1).
    fn run(seed: u64, scale: impl Fn(f64) -> f64) -> Timeline {
        let mut random = Random::new(seed);
        let mut timeline = Timeline::new(INTERVAL_NS);
        for index in 0..10_000u64 {
            let value = 1e6 * scale(index as f64 / 1e4) * (0.3 * random.normal()).exp();
            timeline.record(index * 1_000_000, value as u64);
        }
        timeline
    }

    #[test]
    fn textbook_values() {
        // Gilbert, Statistical Methods for Environmental Pollution Monitoring (1987), section
        // 16.4: for 10, 15, 14, 20 S is 4. A rise without ties of n = 10: S = 45, variance 125.
        assert_eq!(kendall_s(&[10.0, 15.0, 14.0, 20.0]), 4);
        let rising: Vec<f64> = (0..10).map(f64::from).collect();
        assert_eq!(kendall_s(&rising), 45);
        assert!((variance(&rising) - 125.0).abs() < 1e-9);
        // Ties: 1, 1, 2, 2, 2 take 2·1·9 = 18 and 3·2·11 = 66 off 5·4·15 = 300.
        assert!((variance(&[1.0, 2.0, 2.0, 1.0, 2.0]) - 12.0).abs() < 1e-9);
        // z = 44 / sqrt(125) = 3.935: p = 8.3e-5.
        assert!((p_value(45, 125.0) - 8.3e-5).abs() < 1e-6);
        assert!((p_value(-45, 125.0) - 8.3e-5).abs() < 1e-6);
        assert_eq!(p_value(5, 0.0), 1.0);
    }

    #[test]
    fn steady_runs_are_seldom_called_changing() {
        let (mut unlikely, mut notable) = (0, 0);
        for seed in 0..200 {
            let trend = Trend::of(&run(seed, |_| 1.0)).unwrap();
            unlikely += u32::from(trend.p_value < 0.05);
            notable += u32::from(trend.is_notable());
        }
        // Ten are expected, with a standard deviation of three.
        assert!((1..=20).contains(&unlikely), "{unlikely} of 200 below 0.05");
        assert_eq!(notable, 0);
    }

    #[test]
    fn a_server_that_warms_or_tires_is_seen() {
        let warming = Trend::of(&run(1, |time| 1.5 - 0.5 * time)).unwrap();
        assert!(
            warming.is_notable() && warming.relative_change < -0.2,
            "{warming:?}"
        );
        let tiring = Trend::of(&run(2, |time| 1.0 + time)).unwrap();
        assert!(
            tiring.is_notable() && tiring.relative_change > 0.3,
            "{tiring:?}"
        );
        // A step in the middle is a trend as well.
        let step = Trend::of(&run(3, |time| if time < 0.5 { 1.0 } else { 1.3 })).unwrap();
        assert!(step.is_notable(), "{step:?}");
    }

    #[test]
    fn a_sure_but_small_change_is_not_notable() {
        let trend = Trend::of(&run(4, |time| 1.0 + 0.04 * time)).unwrap();
        assert!(!trend.is_notable(), "{trend:?}");
    }

    #[test]
    fn too_little_is_not_judged() {
        assert_eq!(Trend::of(&Timeline::new(1)), None);
        let mut short = Timeline::new(10);
        for block in 0..LEAST_BLOCKS as u64 - 1 {
            short.record(block * 10, 5);
        }
        assert_eq!(Trend::of(&short), None);
        short.record(LEAST_BLOCKS as u64 * 10, 5);
        let flat = Trend::of(&short).unwrap();
        assert_eq!(
            (flat.kendall_s, flat.p_value, flat.relative_change),
            (0, 1.0, 0.0)
        );
    }
}
