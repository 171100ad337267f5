//! What is printed: a table for every cell, then the goals.

use crate::cells::Cell;
use crate::goals::{Goal, State};
use crate::measurement::Found;
use crate::results::Results;
use crate::table::{figure, Table};
use crate::tools::Pace;
use crate::truth::Matching;

const NS_PER_US: f64 = 1e3;
const NS_PER_MS: f64 = 1e6;
const BYTES_PER_MIB: f64 = 1024.0 * 1024.0;

/// The table of a cell: a row for every tool that took part.
pub fn cell_table(results: &Results, cell: &Cell, tools: &[&str]) -> Table {
    let columns = columns(results, cell);
    let mut header = vec!["tool"];
    header.extend(columns.iter().map(|column| column.title));
    header.push("remark");
    let mut table = Table::new(title(cell), &header);
    for &tool in tools {
        let mut row = vec![tool.to_string()];
        row.extend(
            columns
                .iter()
                .map(|column| figure(results.median(&cell.name, tool, &column.figure))),
        );
        row.push(remark(results, cell, tool));
        table.push(row);
    }
    table
}

/// The table of the goals.
pub fn goal_table(goals: &[Goal]) -> Table {
    let mut table = Table::new(
        "Goals (medians over the rounds)",
        &["goal", "measured", "at most", "own µs", "floor µs", "state"],
    );
    for goal in goals {
        table.push(vec![
            goal.what.clone(),
            figure(goal.measured),
            figure(Some(goal.limit)),
            figure(goal.own_us),
            figure(goal.floor_us),
            match &goal.state {
                State::Met => "pass".into(),
                State::Missed => "FAIL".into(),
                State::CannotBeEstablished(reason) => format!("CANNOT BE ESTABLISHED: {reason}"),
            },
        ]);
    }
    table
}

/// What a column shows of a run.
type Figure<'a> = Box<dyn Fn(&Found) -> Option<f64> + 'a>;

struct Column<'a> {
    title: &'static str,
    figure: Figure<'a>,
}

fn column<'a>(title: &'static str, figure: impl Fn(&Found) -> Option<f64> + 'a) -> Column<'a> {
    Column {
        title,
        figure: Box::new(figure),
    }
}

fn title(cell: &Cell) -> String {
    let what = match cell.pace {
        Pace::Closed { depth: 1 } => "closed loop".into(),
        Pace::Closed { depth } => format!("closed loop, pipelined by {depth}"),
        Pace::Constant { rate_per_s } if cell.freeze => {
            format!("{rate_per_s}/s, the server frozen once for 200 ms")
        }
        Pace::Constant { rate_per_s } => format!("{rate_per_s}/s"),
    };
    format!(
        "{}: {what}, {} connections, {} s",
        cell.name, cell.connections, cell.seconds
    )
}

fn columns<'a>(results: &Results, cell: &'a Cell) -> Vec<Column<'a>> {
    let floor_us = results.median(&cell.name, cell.floor, |found| {
        Some(found.cpu_us_per_request)
    });
    let mut columns = vec![
        column("CPU µs/request", |found| Some(found.cpu_us_per_request)),
        column("× floor", move |found| {
            Some(found.cpu_us_per_request / floor_us?)
        }),
        column("own claim µs", |found| {
            found.reading.claimed_cpu_us_per_request
        }),
        column("MiB", |found| {
            Some(found.account.peak_rss_bytes as f64 / BYTES_PER_MIB)
        }),
    ];
    match cell.pace {
        Pace::Closed { .. } => {
            columns.push(column("requests/s", |found| Some(found.requests_per_s)));
        }
        Pace::Constant { .. } if cell.freeze => columns.extend(freeze_columns()),
        Pace::Constant { .. } if cell.truth => columns.extend(truth_columns()),
        Pace::Constant { .. } => {
            columns.push(column("% of a processor", |found| {
                Some(found.cpu_share * 100.0)
            }));
        }
    }
    columns
}

fn truth_columns() -> Vec<Column<'static>> {
    let us = |ns: Option<u64>| Some(ns? as f64 / NS_PER_US);
    vec![
        column("% of asked", of_asked),
        column("off grid p50 µs", |found| {
            Some(found.truth.as_ref()?.lateness?.p50_ns as f64 / NS_PER_US)
        }),
        column("p99 µs", |found| {
            Some(found.truth.as_ref()?.lateness?.p99_ns as f64 / NS_PER_US)
        }),
        column("constant µs", |found| {
            Some(found.truth.as_ref()?.lateness?.constant_ns as f64 / NS_PER_US)
        }),
        column("latency p50 µs", move |found| {
            us(found.reading.latency.p50_ns)
        }),
        column("true", move |found| {
            us(found.truth.as_ref()?.latency.p50_ns)
        }),
        column("service p50 µs", move |found| {
            us(found.reading.service.p50_ns)
        }),
        column("true", move |found| {
            us(found.truth.as_ref()?.service.p50_ns)
        }),
    ]
}

fn freeze_columns() -> Vec<Column<'static>> {
    let ms = |ns: Option<u64>| Some(ns? as f64 / NS_PER_MS);
    vec![
        column("% of asked", of_asked),
        column("p99 ms", move |found| ms(found.reading.latency.p99_ns)),
        column("true", move |found| {
            ms(found.truth.as_ref()?.latency.p99_ns)
        }),
        column("p99.9 ms", move |found| ms(found.reading.latency.p99_9_ns)),
        column("true", move |found| {
            ms(found.truth.as_ref()?.latency.p99_9_ns)
        }),
        column("max ms", move |found| ms(found.reading.latency.max_ns)),
        column("true", move |found| {
            ms(found.truth.as_ref()?.latency.max_ns)
        }),
    ]
}

fn of_asked(found: &Found) -> Option<f64> {
    Some(found.truth.as_ref()?.of_asked * 100.0)
}

/// Verdicts, truths that are only bounds, and what went wrong.
fn remark(results: &Results, cell: &Cell, tool: &str) -> String {
    let runs = results.runs(&cell.name, tool);
    let mut remarks: Vec<String> = runs
        .iter()
        .filter_map(|found| found.reading.verdict.clone())
        .collect();
    let bound = |found: &&Found| {
        let truth = found.truth.as_ref();
        truth.is_some_and(|truth| truth.matching == Matching::Bound)
    };
    if runs.iter().any(bound) {
        remarks.push("left requests out: the truth is a lower bound".into());
    }
    remarks.extend(results.problem(&cell.name, tool).map(String::from));
    remarks.dedup();
    remarks.join("; ")
}
