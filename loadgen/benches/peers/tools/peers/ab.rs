//! ab, ApacheBench: a closed loop.

use super::MILLISECOND_NS;
use crate::percentile::Percentiles;
use crate::tools::output::words_after;
use crate::tools::{arguments, Pace, Program, Reading, Tool, PLAIN};

/// More requests than any run reaches: it needs a number beside the duration.
const BEYOND_REACH: u64 = 50_000_000;

/// ab.
pub const AB: Tool = Tool {
    name: "ab",
    program: Program::Peer("ab"),
    version: &["-V"],
    arguments: |load| match load.pace {
        // A duration sets the number of requests to 50,000, so that must follow it.
        Pace::Closed { depth: 1 } => Some(arguments![
            "-q",
            "-k",
            "-c",
            load.connections,
            "-t",
            load.seconds,
            "-n",
            BEYOND_REACH,
            load.url(),
        ]),
        _ => None,
    },
    read: |_, output| {
        // "  99%      3", in whole milliseconds.
        let at = |share: &str| {
            let milliseconds: f64 = words_after(output, &[share])?.first()?.parse().ok()?;
            Some((milliseconds * MILLISECOND_NS) as u64)
        };
        Ok(Reading {
            completed: words_after(output, &["Complete", "requests:"])
                .and_then(|words| words.first()?.parse().ok()),
            latency: Percentiles {
                p50_ns: at("50%"),
                p99_ns: at("99%"),
                p99_9_ns: None,
                max_ns: at("100%"),
            },
            ..Reading::default()
        })
    },
    ..PLAIN
};
