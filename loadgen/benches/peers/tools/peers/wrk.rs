//! wrk and wrk2, which print alike: wrk is a closed loop, wrk2 an open one.

use crate::percentile::Percentiles;
use crate::tools::output::{duration_ns, words_after};
use crate::tools::{arguments, Load, Pace, Program, Reading, Tool, PLAIN};

/// wrk.
pub const WRK: Tool = Tool {
    name: "wrk",
    program: Program::Peer("wrk"),
    version: &["--version"],
    arguments: |load| match load.pace {
        Pace::Closed { depth: 1 } => Some(wrk(load, Vec::new())),
        _ => None,
    },
    read: |_, output| {
        // "Latency  249.72us  468.78us  5.11ms  96.03%": average, deviation, maximum.
        let columns = words_after(output, &["Latency"]).filter(|words| words.len() == 4);
        Ok(Reading {
            completed: requests_in(output)?,
            latency: Percentiles {
                p50_ns: spectrum_ns(output, "50%"),
                p99_ns: spectrum_ns(output, "99%"),
                p99_9_ns: None,
                max_ns: columns.and_then(|words| duration_ns(words[2])),
            },
            ..Reading::default()
        })
    },
    ..PLAIN
};

/// Built from its sources as `wrk`; found here when it is installed under the name `wrk2`.
pub const WRK2: Tool = Tool {
    name: "wrk2",
    program: Program::Peer("wrk2"),
    version: &["--version"],
    arguments: |load| match load.pace {
        Pace::Constant { rate_per_s } => Some(wrk(load, arguments!["-R", rate_per_s])),
        Pace::Closed { .. } => None,
    },
    read: |_, output| {
        Ok(Reading {
            completed: requests_in(output)?,
            latency: Percentiles {
                p50_ns: spectrum_ns(output, "50.000%"),
                p99_ns: spectrum_ns(output, "99.000%"),
                p99_9_ns: spectrum_ns(output, "99.900%"),
                max_ns: spectrum_ns(output, "100.000%"),
            },
            ..Reading::default()
        })
    },
    // It calibrates for 10 s and then forgets what it has measured.
    lead_s: 10,
    ..PLAIN
};

fn wrk(load: &Load, more: Vec<String>) -> Vec<String> {
    let duration = format!("{}s", load.seconds);
    let mut command = arguments!["-t", 1, "-c", load.connections, "-d", duration, "--latency"];
    command.extend(more);
    command.push(load.url());
    command
}

fn requests_in(output: &str) -> Result<Option<u64>, String> {
    output
        .lines()
        .find_map(|line| line.split_once(" requests in "))
        .and_then(|(count, _)| count.trim().parse().ok())
        .map(Some)
        .ok_or_else(|| "no \"requests in\"".into())
}

fn spectrum_ns(output: &str, share: &str) -> Option<u64> {
    duration_ns(words_after(output, &[share])?.first()?)
}
