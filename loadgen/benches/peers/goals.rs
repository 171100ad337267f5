//! The goals of the generator, and whether the medians of this benchmark meet them.
//!
//! Each limit is the one that the generator's requirements state ("How good"); none is a figure
//! once measured. What was not measured is not met: it cannot be established.

use serde::Serialize;

use crate::cells::{
    self, freeze_cell, memory_cell, rate_cell, Part, CONNECTIONS, ECONOMY_RATES, EXACT_RATES,
    FREEZE_RATES,
};
use crate::measurement::Found;
use crate::percentile::Percentiles;
use crate::results::Results;
use crate::tools::{floors, generator};
use crate::truth::Truth;

/// CPU a request over the floor's, saturated and in economy.
const FLOOR_RATIO: f64 = 1.15;
/// CPU a request pipelined by 16, µs.
const PIPELINED_CPU_US: f64 = 0.6;
/// CPU a request in the default mode, µs.
const DEFAULT_CPU_US: f64 = 35.0;
/// Arrivals off the grid in the default mode, median and 99%, µs.
const DEFAULT_LATENESS_US: [f64; 2] = [30.0, 60.0];
/// Arrivals off the grid in the exact mode, median and 99%, µs.
const PRECISE_LATENESS_US: [f64; 2] = [1.0, 5.0];
/// Reported median against the truth, µs.
const TRUTH_US: f64 = 10.0;
/// Reported percentile against the truth with a freeze, %.
const FREEZE_PERCENT: f64 = 2.0;
/// Memory with 50 connections, MiB.
const FEW_MIB: f64 = 20.0;
/// Memory with 10,000 connections, MiB.
const MANY_MIB: f64 = 200.0;
/// The cost of interval logging, %.
const LOGGING_PERCENT: f64 = 2.0;

const NS_PER_US: f64 = 1e3;
const BYTES_PER_MIB: f64 = 1024.0 * 1024.0;

/// Whether a goal is met.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Measured and within the limit.
    Met,
    /// Measured and beyond it.
    Missed,
    /// Not measured, for this reason.
    CannotBeEstablished(String),
}

/// One goal and what was measured.
#[derive(Clone, Debug, Serialize)]
pub struct Goal {
    /// The part it belongs to.
    pub part: Part,
    /// What is limited, with its unit.
    pub what: String,
    /// The limit, at most.
    pub limit: f64,
    /// What was measured, in the same unit: the median over rounds.
    pub measured: Option<f64>,
    /// The floor of the same benchmark, where the goal is set against one, µs a request.
    pub floor_us: Option<f64>,
    /// The tool's own figure that was set against the floor, µs a request.
    pub own_us: Option<f64>,
    /// Whether it is met.
    pub state: State,
}

/// The goals of these parts, judged.
pub fn judge(results: &Results, parts: &[Part], seconds: u64) -> Vec<Goal> {
    parts
        .iter()
        .flat_map(|part| match part {
            Part::Saturated => saturated(results),
            Part::Pipelined => pipelined(results),
            Part::Economy => economy(results),
            Part::Default => default(results),
            Part::Precise => precise(results),
            Part::Freeze => freeze(results),
            Part::Memory => memory(results, seconds),
            Part::Logging => logging(results),
        })
        .collect()
}

/// A tool in a cell, in a part.
struct Subject<'a> {
    results: &'a Results,
    part: Part,
    cell: String,
    tool: &'static str,
}

impl Subject<'_> {
    fn goal(&self, what: &str, limit: f64, measured: Option<f64>) -> Goal {
        let state = match measured {
            Some(measured) if measured <= limit => State::Met,
            Some(_) => State::Missed,
            None => State::CannotBeEstablished(self.reason()),
        };
        Goal {
            part: self.part,
            what: format!("{}, {}: {what}", self.tool, self.cell),
            limit,
            measured,
            floor_us: None,
            own_us: None,
            state,
        }
    }

    fn reason(&self) -> String {
        match self.results.problem(&self.cell, self.tool) {
            Some(problem) => problem.into(),
            None if self.results.runs(&self.cell, self.tool).is_empty() => "not measured".into(),
            None => "the runs do not tell it (a figure withheld, or a floor missing)".into(),
        }
    }

    fn limited(&self, what: &str, limit: f64, figure: impl Fn(&Found) -> Option<f64>) -> Goal {
        let measured = self.results.median(&self.cell, self.tool, figure);
        self.goal(what, limit, measured)
    }

    /// CPU a request against that of a floor in the same cell.
    fn over_floor(&self, floor: &str) -> Goal {
        let cpu_us = |tool| {
            self.results
                .median(&self.cell, tool, |found| Some(found.cpu_us_per_request))
        };
        let (own_us, floor_us) = (cpu_us(self.tool), cpu_us(floor));
        let ratio = own_us.zip(floor_us).map(|(own, floor)| own / floor);
        Goal {
            floor_us,
            own_us,
            ..self.goal(&format!("CPU a request over {floor}"), FLOOR_RATIO, ratio)
        }
    }

    fn lateness(&self, [p50_us, p99_us]: [f64; 2]) -> [Goal; 2] {
        let lateness = |found: &Found| found.truth.as_ref()?.lateness;
        [
            self.limited("arrivals off the grid, p50 µs", p50_us, |found| {
                Some(lateness(found)?.p50_ns as f64 / NS_PER_US)
            }),
            self.limited("arrivals off the grid, p99 µs", p99_us, |found| {
                Some(lateness(found)?.p99_ns as f64 / NS_PER_US)
            }),
        ]
    }

    fn service_truth(&self) -> Goal {
        self.limited("service p50 off the truth, µs", TRUTH_US, |found| {
            let truth = found.truth.as_ref()?;
            apart_us(found.reading.service.p50_ns, truth.service.p50_ns)
        })
    }

    fn latency_truth(&self) -> Goal {
        self.limited("latency p50 off the truth, µs", TRUTH_US, |found| {
            let truth = found.truth.as_ref()?;
            apart_us(found.reading.latency.p50_ns, truth.latency.p50_ns)
        })
    }
}

fn apart_us(reported_ns: Option<u64>, true_ns: Option<u64>) -> Option<f64> {
    Some(reported_ns?.abs_diff(true_ns?) as f64 / NS_PER_US)
}

fn saturated(results: &Results) -> Vec<Goal> {
    let subject = Subject {
        results,
        part: Part::Saturated,
        cell: cells::SATURATED.into(),
        tool: generator::PLAINLY.name,
    };
    vec![subject.over_floor(floors::CLOSED.name)]
}

fn pipelined(results: &Results) -> Vec<Goal> {
    let subject = Subject {
        results,
        part: Part::Pipelined,
        cell: cells::PIPELINED.into(),
        tool: generator::PLAINLY.name,
    };
    vec![
        subject.limited("CPU µs a request", PIPELINED_CPU_US, |found| {
            Some(found.cpu_us_per_request)
        }),
    ]
}

fn economy(results: &Results) -> Vec<Goal> {
    at_rates(results, Part::Economy, &ECONOMY_RATES, |subject| {
        vec![
            subject.over_floor(floors::LAZY_TICK.name),
            subject.service_truth(),
        ]
    })
}

fn default(results: &Results) -> Vec<Goal> {
    at_rates(results, Part::Default, &EXACT_RATES, |subject| {
        let mut goals = Vec::from(subject.lateness(DEFAULT_LATENESS_US));
        goals.push(
            subject.limited("CPU µs a request", DEFAULT_CPU_US, |found| {
                Some(found.cpu_us_per_request)
            }),
        );
        goals.extend([subject.service_truth(), subject.latency_truth()]);
        goals
    })
}

fn precise(results: &Results) -> Vec<Goal> {
    at_rates(results, Part::Precise, &EXACT_RATES, |subject| {
        let mut goals = Vec::from(subject.lateness(PRECISE_LATENESS_US));
        goals.extend([subject.service_truth(), subject.latency_truth()]);
        goals
    })
}

fn at_rates(
    results: &Results,
    part: Part,
    rates: &[u64],
    goals: impl Fn(&Subject) -> Vec<Goal>,
) -> Vec<Goal> {
    let tool = match part {
        Part::Economy => generator::ECONOMY.name,
        Part::Precise => generator::PRECISE.name,
        _ => generator::DEFAULT.name,
    };
    rates
        .iter()
        .flat_map(|&rate_per_s| {
            goals(&Subject {
                results,
                part,
                cell: rate_cell(rate_per_s),
                tool,
            })
        })
        .collect()
}

/// A percentile's name and where it is.
type Named = (&'static str, fn(&Percentiles) -> Option<u64>);

const FROZEN: [Named; 3] = [
    ("p99", |percentiles| percentiles.p99_ns),
    ("p99.9", |percentiles| percentiles.p99_9_ns),
    ("max", |percentiles| percentiles.max_ns),
];

fn freeze(results: &Results) -> Vec<Goal> {
    FREEZE_RATES
        .iter()
        .flat_map(|&rate_per_s| {
            let subject = Subject {
                results,
                part: Part::Freeze,
                cell: freeze_cell(rate_per_s),
                tool: generator::PLAINLY.name,
            };
            let mut goals: Vec<Goal> = FROZEN
                .iter()
                .map(|(name, of)| {
                    let what = format!("{name} off the truth, %");
                    subject.limited(&what, FREEZE_PERCENT, |found| {
                        off_percent(&found.reading.latency, found.truth.as_ref()?, *of)
                    })
                })
                .collect();
            goals.push(
                subject.limited("requests not sent or not arrived", 0.0, |found| {
                    let scheduled = found.reading.scheduled?;
                    Some(
                        scheduled.abs_diff(found.reading.sent?) as f64
                            + scheduled.abs_diff(found.requests) as f64,
                    )
                }),
            );
            goals
        })
        .collect()
}

/// How far a reported percentile is off the true one, in % of the true one.
pub fn off_percent(
    reported: &Percentiles,
    truth: &Truth,
    of: fn(&Percentiles) -> Option<u64>,
) -> Option<f64> {
    let (reported_ns, true_ns) = (of(reported)? as f64, of(&truth.latency)? as f64);
    Some((reported_ns - true_ns).abs() / true_ns * 100.0)
}

fn memory(results: &Results, seconds: u64) -> Vec<Goal> {
    cells::memory_loads(seconds)
        .into_iter()
        .flat_map(|(connections, seconds)| {
            let subject = Subject {
                results,
                part: Part::Memory,
                cell: memory_cell(connections, seconds),
                tool: generator::PLAINLY.name,
            };
            let limit_mib = if connections == CONNECTIONS {
                FEW_MIB
            } else {
                MANY_MIB
            };
            [
                subject.limited("peak memory MiB", limit_mib, |found| {
                    Some(found.account.peak_rss_bytes as f64 / BYTES_PER_MIB)
                }),
                // Or little memory would only show that few were opened.
                subject.limited("connections missing at the server", 0.0, |found| {
                    Some(connections.saturating_sub(found.most_connections) as f64)
                }),
            ]
        })
        .collect()
}

fn logging(results: &Results) -> Vec<Goal> {
    let (with, without) = (generator::LOGGING.name, generator::PLAINLY.name);
    let subject = Subject {
        results,
        part: Part::Logging,
        cell: cells::LOGGING.into(),
        tool: with,
    };
    let paired = |figure: fn(&Found, &Found) -> f64| {
        results.paired_median(cells::LOGGING, (with, without), figure)
    };
    vec![
        subject.goal(
            "more CPU than without, % of one processor",
            LOGGING_PERCENT,
            paired(|with, without| (with.cpu_share - without.cpu_share) * 100.0),
        ),
        subject.goal(
            "more CPU than without, % of the generator's own",
            LOGGING_PERCENT,
            paired(|with, without| (with.cpu_share / without.cpu_share - 1.0) * 100.0),
        ),
    ]
}

#[cfg(test)]
#[path = "tests_goals.rs"]
mod tests;
