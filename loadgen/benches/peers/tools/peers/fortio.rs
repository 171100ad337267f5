//! fortio.

use super::{json_file, SECOND_NS};
use crate::percentile::Percentiles;
use crate::tools::output::{count_at, ns_at};
use crate::tools::{arguments, Pace, Program, Reading, Tool, PLAIN};

/// fortio.
pub const FORTIO: Tool = Tool {
    name: "fortio",
    program: Program::Peer("fortio"),
    version: &["version"],
    arguments: |load| {
        let rate = match load.pace {
            Pace::Closed { depth: 1 } => 0,
            Pace::Closed { .. } => return None,
            Pace::Constant { rate_per_s } => rate_per_s,
        };
        let duration = format!("{}s", load.seconds);
        let json = load.file("fortio.json");
        Some(arguments![
            "load",
            "-quiet",
            "-qps",
            rate,
            "-c",
            load.connections,
            "-t",
            duration,
            "-p",
            "50,99,99.9",
            "-json",
            json,
            load.url(),
        ])
    },
    read: |load, _| {
        let result = json_file(load, "fortio.json")?;
        let percentile = |share: f64| {
            let all = result
                .pointer("/DurationHistogram/Percentiles")?
                .as_array()?;
            let one = all
                .iter()
                .find(|one| one["Percentile"].as_f64() == Some(share))?;
            ns_at(one, "/Value", SECOND_NS)
        };
        Ok(Reading {
            completed: count_at(&result, "/DurationHistogram/Count"),
            latency: Percentiles {
                p50_ns: percentile(50.0),
                p99_ns: percentile(99.0),
                p99_9_ns: percentile(99.9),
                max_ns: ns_at(&result, "/DurationHistogram/Max", SECOND_NS),
            },
            ..Reading::default()
        })
    },
    // One on every connection before it begins.
    warmup_requests: |load| load.connections,
    ..PLAIN
};
