//! Goals against made-up runs: each must pass an honest one and fail a planted defect.

use super::*;
use crate::accounting::Account;
use crate::cells::MANY_CONNECTIONS;
use crate::grid::{Anchor, Lateness};
use crate::measurement::Measurement;
use crate::tools::Reading;
use crate::truth::Matching;

const SECONDS: u64 = 5;

fn percentiles(p50_ns: u64, tail_ns: u64) -> Percentiles {
    Percentiles {
        p50_ns: Some(p50_ns),
        p99_ns: Some(tail_ns),
        p99_9_ns: Some(tail_ns),
        max_ns: Some(tail_ns),
    }
}

/// A run that meets every goal.
fn good() -> Found {
    Found {
        requests: 100,
        requests_per_s: 20.0,
        cpu_us_per_request: 0.5,
        cpu_share: 0.5,
        most_connections: MANY_CONNECTIONS,
        account: Account {
            status: Some(0),
            timed_out: false,
            user_us: 25,
            system_us: 25,
            peak_rss_bytes: 10 << 20,
            involuntary_switches: 0,
        },
        reading: Reading {
            scheduled: Some(100),
            sent: Some(100),
            latency: percentiles(50_000, 100_000_000),
            service: percentiles(20_000, 30_000),
            ..Reading::default()
        },
        truth: Some(Truth {
            arrivals: 100,
            of_asked: 1.0,
            lateness: Some(Lateness {
                p50_ns: 500,
                p99_ns: 4_000,
                anchor: Anchor::Stated,
                constant_ns: 0,
            }),
            service: percentiles(20_000, 30_000),
            latency: percentiles(50_000, 100_000_000),
            matching: Matching::Matched,
        }),
        freeze: None,
    }
}

/// Three rounds of every tool in every cell of a part; `change` spoils those of the generator.
fn runs(part: Part, change: impl Fn(&mut Found)) -> Results {
    let mut results = Results::default();
    for cell in cells::cells(&[part], SECONDS) {
        for tool in &cell.tools {
            for round in 0..3 {
                let mut found = good();
                if tool.choice() == generator::NAME && tool.name != spared(part) {
                    change(&mut found);
                }
                results.0.push(Measurement {
                    cell: cell.name.clone(),
                    tool: tool.name.into(),
                    round,
                    outcome: Ok(found),
                });
            }
        }
    }
    results
}

/// With logging, the generator without it is what the other is compared with.
fn spared(part: Part) -> &'static str {
    if part == Part::Logging {
        generator::PLAINLY.name
    } else {
        ""
    }
}

fn missed(part: Part, change: impl Fn(&mut Found)) -> usize {
    let goals = judge(&runs(part, change), &[part], SECONDS);
    goals
        .iter()
        .filter(|goal| goal.state == State::Missed)
        .count()
}

const PARTS: [Part; 8] = [
    Part::Saturated,
    Part::Pipelined,
    Part::Economy,
    Part::Default,
    Part::Precise,
    Part::Freeze,
    Part::Memory,
    Part::Logging,
];

#[test]
fn an_honest_generator_meets_every_goal() {
    for part in PARTS {
        let goals = judge(&runs(part, |_| {}), &[part], SECONDS);
        assert!(!goals.is_empty(), "{part:?}");
        for goal in goals {
            assert_eq!(goal.state, State::Met, "{goal:?}");
        }
    }
}

#[test]
fn waste_is_caught() {
    let waste = |found: &mut Found| {
        found.cpu_us_per_request *= 100.0;
        found.cpu_share *= 1.1;
    };
    assert_eq!(missed(Part::Saturated, waste), 1);
    assert_eq!(missed(Part::Pipelined, waste), 1);
    assert_eq!(missed(Part::Economy, waste), ECONOMY_RATES.len());
    assert_eq!(missed(Part::Default, waste), EXACT_RATES.len());
    assert_eq!(missed(Part::Logging, waste), 2);
}

#[test]
fn late_sends_are_caught() {
    let late = |found: &mut Found| {
        let truth = found.truth.as_mut().unwrap();
        truth.lateness.as_mut().unwrap().p50_ns = 31_000;
        truth.lateness.as_mut().unwrap().p99_ns = 61_000;
    };
    assert_eq!(missed(Part::Default, late), 2 * EXACT_RATES.len());
    assert_eq!(missed(Part::Precise, late), 2 * EXACT_RATES.len());
}

#[test]
fn a_reported_median_beside_the_truth_is_caught() {
    let liar = |found: &mut Found| {
        found.reading.latency = percentiles(39_000, 100_000_000);
        found.reading.service = percentiles(31_000, 32_000);
    };
    assert_eq!(missed(Part::Economy, liar), ECONOMY_RATES.len());
    assert_eq!(missed(Part::Default, liar), 2 * EXACT_RATES.len());
    assert_eq!(missed(Part::Precise, liar), 2 * EXACT_RATES.len());
}

#[test]
fn coordinated_omission_is_caught() {
    let omitting = |found: &mut Found| found.reading.latency = percentiles(50_000, 400_000);
    assert_eq!(missed(Part::Freeze, omitting), 3 * FREEZE_RATES.len());
    let dropping = |found: &mut Found| found.reading.sent = Some(99);
    assert_eq!(missed(Part::Freeze, dropping), FREEZE_RATES.len());
    let boasting = |found: &mut Found| found.requests = 99;
    assert_eq!(missed(Part::Freeze, boasting), FREEZE_RATES.len());
}

#[test]
fn memory_beyond_the_limit_is_caught() {
    let heavy = |found: &mut Found| found.account.peak_rss_bytes = 201 << 20;
    assert_eq!(missed(Part::Memory, heavy), 3);
    let lazy = |found: &mut Found| found.most_connections = 49;
    assert_eq!(missed(Part::Memory, lazy), 3);
}

#[test]
fn a_withheld_figure_and_a_missing_run_pass_nothing() {
    let withheld = runs(Part::Freeze, |found| {
        found.reading.latency = Percentiles::default()
    });
    let goals = judge(&withheld, &[Part::Freeze], SECONDS);
    let open = |goal: &&Goal| matches!(goal.state, State::CannotBeEstablished(_));
    assert_eq!(goals.iter().filter(open).count(), 3 * FREEZE_RATES.len());
    for part in PARTS {
        let goals = judge(&Results::default(), &[part], SECONDS);
        assert!(goals.iter().all(|goal| open(&goal)), "{part:?}");
    }
}

#[test]
fn a_broken_tool_is_the_reason() {
    let mut results = runs(Part::Saturated, |_| {});
    for measurement in &mut results.0 {
        if measurement.tool == generator::NAME {
            measurement.outcome = Err("runfair-load ended with status 2: boom".into());
        }
    }
    let goals = judge(&results, &[Part::Saturated], SECONDS);
    let reason = "runfair-load ended with status 2: boom".to_string();
    assert_eq!(goals[0].state, State::CannotBeEstablished(reason));
}
