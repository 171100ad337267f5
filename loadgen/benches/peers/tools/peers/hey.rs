//! hey.

use super::{a_connection, SECOND_NS};
use crate::percentile::Percentiles;
use crate::tools::output::words_after;
use crate::tools::{arguments, Pace, Program, Reading, Tool, PLAIN};

/// hey.
pub const HEY: Tool = Tool {
    name: "hey",
    program: Program::Peer("hey"),
    arguments: |load| {
        let duration = format!("{}s", load.seconds);
        let mut command = arguments!["-z", duration, "-c", load.connections, "-cpus", 1];
        match load.pace {
            Pace::Closed { depth: 1 } => {}
            Pace::Closed { .. } => return None,
            Pace::Constant { rate_per_s } => {
                command.extend(arguments!["-q", a_connection(rate_per_s, load)]);
            }
        }
        command.push(load.url());
        Some(command)
    },
    read: |_, output| {
        // "99%% in 0.0049 secs": some of its versions double the percent sign.
        let at = |share: &str| {
            let words = words_after(output, &[share, "in"])
                .or_else(|| words_after(output, &[&format!("{share}%"), "in"]))?;
            let seconds: f64 = words.first()?.parse().ok()?;
            Some((seconds * SECOND_NS).round() as u64)
        };
        let slowest: Option<f64> =
            words_after(output, &["Slowest:"]).and_then(|words| words.first()?.parse().ok());
        Ok(Reading {
            // "[200]	200 responses"
            completed: words_after(output, &["[200]"])
                .and_then(|words| words.first()?.parse().ok()),
            latency: Percentiles {
                p50_ns: at("50%"),
                p99_ns: at("99%"),
                p99_9_ns: None,
                max_ns: slowest.map(|seconds| (seconds * SECOND_NS).round() as u64),
            },
            ..Reading::default()
        })
    },
    ..PLAIN
};
