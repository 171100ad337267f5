//! What really happened, from the server's own log and the intended grid.
//!
//! - service truth: answer written − request arrived;
//! - latency truth: answer written − instant the request was meant to go. Requests go in the order
//!   of the schedule, so the k-th arrival is the k-th intended;
//! - a tool that left requests out (fewer than [`KEPT`] of those due) has no k-th intended. Its
//!   latency truth is what a request would have met that was due at each instant of the grid: the
//!   rest of the freeze, or nothing. That is a lower bound, and marked as one.

use serde::{Deserialize, Serialize};

use crate::freeze::Freeze;
use crate::grid::{Grid, Lateness};
use crate::percentile::Percentiles;
use crate::server::Arrival;

/// Arrivals over requests due, below which a tool is held to have left requests out.
const KEPT: f64 = 0.995;

/// How the latency truth was found.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Matching {
    /// Arrival by arrival.
    Matched,
    /// From the freeze alone: the tool left requests out.
    Bound,
}

/// The truth about one run at a constant rate.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Truth {
    /// Requests that arrived.
    pub arrivals: u64,
    /// Arrivals over requests due.
    pub of_asked: f64,
    /// How far arrivals were off the grid.
    pub lateness: Option<Lateness>,
    /// Written − arrived.
    pub service: Percentiles,
    /// Written − intended.
    pub latency: Percentiles,
    /// How `latency` was found.
    pub matching: Matching,
}

/// What is known of the schedule.
pub enum Schedule<'a> {
    /// It began at this instant of the monotonic clock, nanoseconds.
    Began(u64),
    /// These were its instants, on the monotonic clock, in order of sending.
    Recorded(&'a [u64]),
    /// Nothing: a grid is fitted.
    Unknown,
}

/// The truth about arrivals, in order of arrival, at `rate_per_s` for `seconds`; none when there
/// are fewer than two.
pub fn establish(
    arrivals: &[Arrival],
    rate_per_s: u64,
    seconds: u64,
    schedule: &Schedule,
    freeze: Option<Freeze>,
) -> Option<Truth> {
    let arrivals_ns: Vec<u64> = arrivals.iter().map(|arrival| arrival.arrival_ns).collect();
    let grid = match schedule {
        Schedule::Began(begin_ns) => Grid::stated(*begin_ns, rate_per_s),
        Schedule::Recorded(intended_ns) => Grid::stated(*intended_ns.first()?, rate_per_s),
        Schedule::Unknown => Grid::fitted(&arrivals_ns)?,
    };
    let due = rate_per_s * seconds;
    let of_asked = arrivals.len() as f64 / due as f64;
    let service = Percentiles::of(
        arrivals
            .iter()
            .map(|arrival| arrival.written_ns.saturating_sub(arrival.arrival_ns))
            .collect(),
    );
    let intended_ns = |k: usize| match schedule {
        Schedule::Recorded(intended_ns) => intended_ns.get(k).copied(),
        _ => Some(grid.intended_ns(k)),
    };
    let left_out = of_asked < KEPT;
    let latency = match freeze {
        Some(freeze) if left_out => {
            let begin_ns = *arrivals_ns.first()?;
            let period_ns = 1e9 / rate_per_s as f64;
            let due_ns = (0..due).map(|k| begin_ns + (k as f64 * period_ns) as u64);
            Percentiles::of(
                due_ns
                    .map(|instant_ns| freeze.rest_ns(instant_ns))
                    .collect(),
            )
        }
        _ => Percentiles::of(
            (0..)
                .zip(arrivals)
                .filter_map(|(k, arrival)| Some(arrival.written_ns.saturating_sub(intended_ns(k)?)))
                .collect(),
        ),
    };
    Some(Truth {
        arrivals: arrivals.len() as u64,
        of_asked,
        lateness: grid.lateness(&arrivals_ns),
        service,
        latency,
        matching: if left_out && freeze.is_some() {
            Matching::Bound
        } else {
            Matching::Matched
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEGIN_NS: u64 = 7_000_000_000;
    const RATE_PER_S: u64 = 2_000;
    const FREEZE: Freeze = Freeze {
        stopped_ns: BEGIN_NS + 5_000_000_000,
        continued_ns: BEGIN_NS + 5_200_000_000,
    };

    /// An honest open loop of 10 s: requests due in the freeze are answered at its end.
    fn open_loop() -> Vec<Arrival> {
        (0..10 * RATE_PER_S)
            .map(|k| {
                let arrival_ns = BEGIN_NS + k * 500_000;
                Arrival {
                    arrival_ns,
                    written_ns: arrival_ns + 20_000 + FREEZE.rest_ns(arrival_ns),
                    connection: k % 50,
                }
            })
            .collect()
    }

    #[test]
    fn a_freeze_of_200_ms_is_seen_in_full() {
        for schedule in [Schedule::Began(BEGIN_NS), Schedule::Unknown] {
            let truth = establish(&open_loop(), RATE_PER_S, 10, &schedule, Some(FREEZE)).unwrap();
            assert_eq!(truth.matching, Matching::Matched);
            assert_eq!(truth.service.p50_ns, Some(20_000));
            assert_eq!(truth.latency.max_ns, Some(200_020_000));
            // 2% of the requests waited, evenly up to 200 ms: half of that at p99.
            let p99_ns = truth.latency.p99_ns.unwrap();
            assert!(p99_ns.abs_diff(100_000_000) < 1_000_000, "{p99_ns}");
        }
    }

    #[test]
    fn waiting_before_the_send_counts_with_recorded_instants() {
        let arrivals: Vec<Arrival> = (0..100)
            .map(|_| Arrival {
                arrival_ns: 900,
                written_ns: 1_000,
                connection: 0,
            })
            .collect();
        let intended_ns: Vec<u64> = (0..100).map(|k| k * 10).collect();
        let schedule = Schedule::Recorded(&intended_ns);
        let truth = establish(&arrivals, 100_000_000, 1, &schedule, None).unwrap();
        assert_eq!(truth.latency.max_ns, Some(1_000));
        assert_eq!(truth.latency.p50_ns, Some(500));
    }

    #[test]
    fn a_tool_that_left_requests_out_is_judged_by_the_freeze() {
        // Nothing sent during the freeze, and nothing afterwards to make up for it.
        let kept: Vec<Arrival> = open_loop()
            .into_iter()
            .filter(|arrival| FREEZE.rest_ns(arrival.arrival_ns) == 0)
            .collect();
        let truth = establish(&kept, RATE_PER_S, 10, &Schedule::Unknown, Some(FREEZE)).unwrap();
        assert_eq!(truth.matching, Matching::Bound);
        assert_eq!(truth.latency.max_ns, Some(200_000_000));
        let p99_ns = truth.latency.p99_ns.unwrap();
        assert!(p99_ns.abs_diff(100_000_000) < 1_000_000, "{p99_ns}");
    }

    #[test]
    fn a_missed_rate_is_said() {
        let half: Vec<Arrival> = open_loop().into_iter().step_by(2).collect();
        let truth = establish(&half, RATE_PER_S, 10, &Schedule::Unknown, None).unwrap();
        assert!((truth.of_asked - 0.5).abs() < 1e-9);
    }
}
