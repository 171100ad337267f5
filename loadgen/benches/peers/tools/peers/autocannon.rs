//! autocannon.

use super::MILLISECOND_NS;
use crate::percentile::Percentiles;
use crate::tools::output::{count_at, json, ns_at};
use crate::tools::{arguments, Pace, Program, Reading, Tool, PLAIN};

/// autocannon.
pub const AUTOCANNON: Tool = Tool {
    name: "autocannon",
    program: Program::Peer("autocannon"),
    version: &["--version"],
    arguments: |load| {
        let mut command = arguments!["--json", "-c", load.connections, "-d", load.seconds];
        match load.pace {
            Pace::Closed { depth } => command.extend(arguments!["-p", depth]),
            Pace::Constant { rate_per_s } => command.extend(arguments!["-R", rate_per_s]),
        }
        command.push(load.url());
        Some(command)
    },
    read: |_, output| {
        let result = json(output)?;
        let at = |name: &str| ns_at(&result, &format!("/latency/{name}"), MILLISECOND_NS);
        Ok(Reading {
            sent: count_at(&result, "/requests/sent"),
            completed: count_at(&result, "/2xx"),
            latency: Percentiles {
                p50_ns: at("p50"),
                p99_ns: at("p99"),
                p99_9_ns: at("p99_9"),
                max_ns: at("max"),
            },
            ..Reading::default()
        })
    },
    ..PLAIN
};
