//! oha, as it is and with its correction.

use serde_json::Value;

use super::SECOND_NS;
use crate::percentile::Percentiles;
use crate::tools::output::{json, ns_at};
use crate::tools::{arguments, Load, Pace, Program, Reading, Tool, PLAIN};

/// oha by default.
pub const OHA: Tool = Tool {
    name: "oha",
    program: Program::Peer("oha"),
    version: &["--version"],
    arguments: |load| oha(load, Vec::new()),
    read: |_, output| {
        let result = json(output)?;
        let at = |pointer: &str| ns_at(&result, pointer, SECOND_NS);
        let statuses = result.pointer("/statusCodeDistribution");
        Ok(Reading {
            completed: statuses
                .and_then(Value::as_object)
                .map(|statuses| statuses.values().filter_map(Value::as_u64).sum()),
            latency: Percentiles {
                p50_ns: at("/latencyPercentiles/p50"),
                p99_ns: at("/latencyPercentiles/p99"),
                p99_9_ns: at("/latencyPercentiles/p99.9"),
                max_ns: at("/summary/slowest"),
            },
            ..Reading::default()
        })
    },
    ..PLAIN
};

/// oha with latency counted from the instant it meant to send.
pub const OHA_CORRECTED: Tool = Tool {
    name: "oha --latency-correction",
    arguments: |load| match load.pace {
        Pace::Constant { .. } => oha(load, arguments!["--latency-correction"]),
        Pace::Closed { .. } => None,
    },
    ..OHA
};

fn oha(load: &Load, more: Vec<String>) -> Option<Vec<String>> {
    let duration = format!("{}s", load.seconds);
    let mut command = arguments!["-z", duration, "-c", load.connections];
    match load.pace {
        Pace::Closed { depth: 1 } => {}
        Pace::Closed { .. } => return None,
        Pace::Constant { rate_per_s } => command.extend(arguments!["-q", rate_per_s]),
    }
    command.extend(arguments!["--no-tui", "--output-format", "json"]);
    command.extend(more);
    command.push(load.url());
    Some(command)
}
