//! The floors as tools.

use super::{arguments, Load, Pace, Reading, Tool, PLAIN};
use crate::floor::FloorReport;

const FLOOR: Tool = Tool { read, ..PLAIN };

/// The closed loop, at the depth that the load asks for.
pub const CLOSED: Tool = Tool {
    name: "floor closed",
    arguments: |load| match load.pace {
        Pace::Closed { depth } => Some(command(load, "closed", arguments!["--depth", depth])),
        Pace::Constant { .. } => None,
    },
    ..FLOOR
};
/// Exact timers, answers read at once.
pub const EXACT: Tool = Tool {
    name: "floor exact",
    arguments: |load| open(load, "exact", Vec::new()),
    ..FLOOR
};
/// Exact timers, the last 50 µs spun.
pub const SPIN: Tool = Tool {
    name: "floor spin",
    arguments: |load| open(load, "exact", arguments!["--spin-ns", 50_000]),
    ..FLOOR
};
/// Exact timers, answers read lazily.
pub const LAZY_EXACT: Tool = Tool {
    name: "floor lazy exact",
    arguments: |load| open(load, "lazy", Vec::new()),
    ..FLOOR
};
/// A tick of 1 ms, answers read lazily.
pub const LAZY_TICK: Tool = Tool {
    name: "floor lazy 1 ms",
    arguments: |load| open(load, "lazy", arguments!["--tick-ns", 1_000_000]),
    ..FLOOR
};

fn open(load: &Load, mode: &str, more: Vec<String>) -> Option<Vec<String>> {
    match load.pace {
        Pace::Closed { .. } => None,
        Pace::Constant { rate_per_s } => {
            let mut rate = arguments!["--rate", rate_per_s];
            rate.extend(more);
            Some(command(load, mode, rate))
        }
    }
}

fn command(load: &Load, mode: &str, more: Vec<String>) -> Vec<String> {
    let mut command = arguments![
        "floor",
        "--mode",
        mode,
        "--port",
        load.port,
        "--connections",
        load.connections,
        "--seconds",
        load.seconds,
    ];
    command.extend(more);
    command
}

fn read(load: &Load, output: &str) -> Result<Reading, String> {
    let report: FloorReport = serde_json::from_str(output).map_err(|error| error.to_string())?;
    let open = matches!(load.pace, Pace::Constant { .. });
    Ok(Reading {
        scheduled: open.then_some(report.scheduled),
        sent: Some(report.sent),
        completed: Some(report.completed),
        latency: report.latency,
        service: report.service,
        begin_ns: open.then_some(report.begin_ns),
        ..Reading::default()
    })
}
