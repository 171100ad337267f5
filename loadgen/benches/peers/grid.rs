//! The intended grid of a constant rate: the instants at which requests were meant to go.
//!
//! Where a tool states when its schedule began, request k was meant to go at `begin + k / rate`,
//! exactly. Where it does not, the grid is fitted to its arrivals, in the tool's favour:
//!
//! - the period is the Theil-Sen slope (Sen, J. Am. Stat. Assoc. 63, 1968) over medians of blocks
//!   of arrivals, so that a tool that misses its rate steadily is judged by the rate it keeps (the
//!   miss itself is in the column "of asked"), and a pause or a burst hardly moves it;
//! - the begin is such that the earliest 0.1% of the arrivals are on the grid or before it.
//!
//! How far arrivals lie off the grid is counted from that fitted begin for every tool, stated or
//! not: the constant part of the way (system call, loopback) is then nobody's lateness. What the
//! fit takes away from a stated begin is reported as `constant_ns`, so that it cannot hide a tool
//! that is always late by the same amount.

use serde::{Deserialize, Serialize};

use crate::percentile::{median, nearest_rank};

/// The share of the arrivals taken to be on the grid or early (facts of earlier measurements used
/// the same, so that figures compare).
const EARLIEST: f64 = 0.001;
/// Blocks for the slope: enough that a pause spoils few, few enough that all pairs are quick.
const BLOCKS: usize = 100;

/// Where the begin of a grid comes from.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Anchor {
    /// The tool says when its schedule began.
    Stated,
    /// The earliest arrivals say it.
    Fitted,
}

/// Instants at equal distances.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    begin_ns: u64,
    period_ns: f64,
    offset_ns: f64,
    /// Where its begin comes from.
    pub anchor: Anchor,
}

/// How far arrivals were from the grid.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct Lateness {
    /// The median distance, nanoseconds.
    pub p50_ns: u64,
    /// Its 99th percentile, nanoseconds.
    pub p99_ns: u64,
    /// Where the begin of the schedule comes from.
    pub anchor: Anchor,
    /// Fitted begin minus stated begin, nanoseconds; 0 where none is stated.
    pub constant_ns: i64,
}

impl Grid {
    /// The grid of a tool that states its begin, on the monotonic clock.
    pub fn stated(begin_ns: u64, rate_per_s: u64) -> Self {
        Self {
            begin_ns,
            period_ns: 1e9 / rate_per_s as f64,
            offset_ns: 0.0,
            anchor: Anchor::Stated,
        }
    }

    /// The grid that sorted arrivals suggest; none for fewer than two.
    pub fn fitted(arrivals_ns: &[u64]) -> Option<Self> {
        let begin_ns = *arrivals_ns.first()?;
        let raw = Self {
            begin_ns,
            period_ns: slope(arrivals_ns)?,
            offset_ns: 0.0,
            anchor: Anchor::Fitted,
        };
        raw.moved_to_earliest(arrivals_ns)
    }

    /// When the k-th request was meant to go, nanoseconds after the begin that was given.
    fn intended_after_begin_ns(&self, k: usize) -> f64 {
        k as f64 * self.period_ns + self.offset_ns
    }

    /// When the k-th request was meant to go, on the monotonic clock, nanoseconds.
    pub fn intended_ns(&self, k: usize) -> u64 {
        self.begin_ns
            .saturating_add_signed(self.intended_after_begin_ns(k).round() as i64)
    }

    /// The distance from one instant to the next, nanoseconds.
    pub fn period_ns(&self) -> f64 {
        self.period_ns
    }

    /// How far sorted arrivals lie off this grid; none when there are none.
    pub fn lateness(&self, arrivals_ns: &[u64]) -> Option<Lateness> {
        let fitted = self.moved_to_earliest(arrivals_ns)?;
        let mut distances: Vec<u64> = (0..)
            .zip(arrivals_ns)
            .map(|(k, &arrival_ns)| fitted.distance_ns(k, arrival_ns).abs().round() as u64)
            .collect();
        distances.sort_unstable();
        Some(Lateness {
            p50_ns: nearest_rank(&distances, 0.5)?,
            p99_ns: nearest_rank(&distances, 0.99)?,
            anchor: self.anchor,
            constant_ns: match self.anchor {
                Anchor::Stated => fitted.offset_ns.round() as i64,
                Anchor::Fitted => 0,
            },
        })
    }

    fn distance_ns(&self, k: usize, arrival_ns: u64) -> f64 {
        // As integers first: a double holds nanoseconds since boot only to a quarter of one.
        let after_begin_ns = arrival_ns.wrapping_sub(self.begin_ns) as i64;
        after_begin_ns as f64 - self.intended_after_begin_ns(k)
    }

    fn moved_to_earliest(&self, arrivals_ns: &[u64]) -> Option<Self> {
        let mut distances: Vec<f64> = (0..)
            .zip(arrivals_ns)
            .map(|(k, &arrival_ns)| self.distance_ns(k, arrival_ns))
            .collect();
        distances.sort_by(f64::total_cmp);
        Some(Self {
            offset_ns: self.offset_ns + nearest_rank(&distances, EARLIEST)?,
            ..*self
        })
    }
}

/// Theil-Sen over block medians: nanoseconds from one arrival to the next.
fn slope(arrivals_ns: &[u64]) -> Option<f64> {
    let first_ns = *arrivals_ns.first()?;
    let block = arrivals_ns.len().div_ceil(BLOCKS);
    let points: Vec<(f64, f64)> = arrivals_ns
        .chunks_exact(block)
        .enumerate()
        // Sorted, so the middle arrival of a block is its median.
        .map(|(number, arrivals)| {
            let middle = block / 2;
            let index = (number * block + middle) as f64;
            (index, (arrivals[middle] - first_ns) as f64)
        })
        .collect();
    median(points.iter().enumerate().flat_map(|(number, from)| {
        points[number + 1..]
            .iter()
            .map(move |to| (to.1 - from.1) / (to.0 - from.0))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEGIN_NS: u64 = 1_000_000_000_000;

    fn arrivals(count: u64, late_ns: impl Fn(u64) -> u64) -> Vec<u64> {
        let mut arrivals: Vec<u64> = (0..count)
            .map(|k| BEGIN_NS + k * 100_000 + late_ns(k))
            .collect();
        arrivals.sort_unstable();
        arrivals
    }

    #[test]
    fn an_exact_tool_is_on_its_grid() {
        let arrivals = arrivals(10_000, |_| 0);
        let stated = Grid::stated(BEGIN_NS, 10_000).lateness(&arrivals).unwrap();
        assert_eq!(
            (stated.p50_ns, stated.p99_ns, stated.constant_ns),
            (0, 0, 0)
        );
        let fitted = Grid::fitted(&arrivals).unwrap();
        assert_eq!(fitted.lateness(&arrivals).unwrap().p99_ns, 0);
        assert!((fitted.period_ns() - 100_000.0).abs() < 0.01);
    }

    #[test]
    fn planted_lateness_is_found_with_either_anchor() {
        // Every third request 40 µs late, two of a hundred 90 µs late, as if timers were coarse.
        let late_ns = |k: u64| match k {
            k if k % 50 == 7 => 90_000,
            k if k % 3 > 0 => 40_000,
            _ => 0,
        };
        let arrivals = arrivals(10_000, late_ns);
        for grid in [
            Grid::stated(BEGIN_NS, 10_000),
            Grid::fitted(&arrivals).unwrap(),
        ] {
            let lateness = grid.lateness(&arrivals).unwrap();
            assert!(lateness.p50_ns.abs_diff(40_000) < 500, "{lateness:?}");
            assert!(lateness.p99_ns.abs_diff(90_000) < 500, "{lateness:?}");
        }
    }

    #[test]
    fn a_constant_delay_is_no_lateness_but_is_reported() {
        let arrivals = arrivals(10_000, |_| 7_000);
        let lateness = Grid::stated(BEGIN_NS, 10_000).lateness(&arrivals).unwrap();
        assert_eq!((lateness.p99_ns, lateness.constant_ns), (0, 7_000));
    }

    #[test]
    fn a_tick_of_a_millisecond_is_half_a_millisecond_late() {
        let arrivals = arrivals(20_000, |k| (10 - k % 10) % 10 * 100_000);
        let lateness = Grid::fitted(&arrivals)
            .unwrap()
            .lateness(&arrivals)
            .unwrap();
        assert!(
            (400_000..=600_000).contains(&lateness.p50_ns),
            "{lateness:?}"
        );
        assert!(
            (800_000..=1_000_000).contains(&lateness.p99_ns),
            "{lateness:?}"
        );
    }

    #[test]
    fn a_pause_does_not_bend_the_fitted_grid() {
        let pause = 5_000..7_000;
        let held = |k: u64| {
            let at = k * 100_000;
            let end = pause.end * 100_000;
            if pause.contains(&k) {
                end - at
            } else {
                0
            }
        };
        let grid = Grid::fitted(&arrivals(100_000, held)).unwrap();
        assert!((grid.period_ns() - 100_000.0).abs() < 0.01);
        assert_eq!(grid.intended_ns(0), BEGIN_NS);
    }

    #[test]
    fn a_missed_rate_is_fitted() {
        let arrivals: Vec<u64> = (0..9_500).map(|k| BEGIN_NS + k * 105_263).collect();
        let grid = Grid::fitted(&arrivals).unwrap();
        assert!(grid.lateness(&arrivals).unwrap().p99_ns < 10);
    }

    #[test]
    fn no_arrivals_no_grid() {
        assert!(Grid::fitted(&[]).is_none());
        assert!(Grid::fitted(&[5]).is_none());
    }
}
