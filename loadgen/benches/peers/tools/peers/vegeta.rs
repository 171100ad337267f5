//! vegeta, as it is and with a bound on its workers.

use crate::percentile::Percentiles;
use crate::tools::output::{count_at, json, ns_at};
use crate::tools::{arguments, Load, Pace, Program, Reading, Tool, PLAIN};

const TARGETS: &str = "targets";

/// vegeta by default: as many workers as it likes.
pub const VEGETA: Tool = Tool {
    name: "vegeta",
    files: |load| vec![(TARGETS, format!("GET {}\n", load.url()))],
    program: Program::Peer("vegeta"),
    version: &["-version"],
    arguments: |load| match load.pace {
        Pace::Constant { .. } => vegeta(load, Vec::new()),
        Pace::Closed { .. } => None,
    },
    report: Some(|load| arguments!["report", "-type", "json", load.file("vegeta.bin")]),
    read: |_, output| {
        let result = json(output)?;
        let at = |pointer: &str| ns_at(&result, pointer, 1.0);
        Ok(Reading {
            completed: count_at(&result, "/requests"),
            latency: Percentiles {
                p50_ns: at("/latencies/50th"),
                p99_ns: at("/latencies/99th"),
                p99_9_ns: None,
                max_ns: at("/latencies/max"),
            },
            ..Reading::default()
        })
    },
    ..PLAIN
};

/// vegeta with as many workers as connections.
pub const VEGETA_BOUNDED: Tool = Tool {
    name: "vegeta -max-workers",
    arguments: |load| {
        let workers = load.connections;
        vegeta(
            load,
            arguments!["-workers", workers, "-max-workers", workers],
        )
    },
    ..VEGETA
};

fn vegeta(load: &Load, more: Vec<String>) -> Option<Vec<String>> {
    let rate = match load.pace {
        Pace::Closed { depth: 1 } => "0".into(),
        Pace::Closed { .. } => return None,
        Pace::Constant { rate_per_s } => format!("{rate_per_s}/1s"),
    };
    let targets = load.file(TARGETS);
    let (duration, results) = (format!("{}s", load.seconds), load.file("vegeta.bin"));
    let mut command = arguments![
        "attack",
        "-targets",
        targets,
        "-rate",
        rate,
        "-duration",
        duration,
        "-connections",
        load.connections,
        "-output",
        results,
    ];
    command.extend(more);
    Some(command)
}
