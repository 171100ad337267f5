//! k6.

use super::{json_file, MILLISECOND_NS};
use crate::percentile::Percentiles;
use crate::tools::output::{count_at, ns_at};
use crate::tools::{arguments, Pace, Program, Reading, Tool, PLAIN};

const SCRIPT: &str = "k6.js";

/// k6, with as many users as connections.
pub const K6: Tool = Tool {
    name: "k6",
    program: Program::Peer("k6"),
    version: &["version"],
    arguments: |load| match load.pace {
        Pace::Closed { depth } if depth > 1 => None,
        _ => Some(arguments![
            "run",
            "--quiet",
            "--no-usage-report",
            "--summary-trend-stats",
            "p(50),p(99),p(99.9),max",
            "--summary-export",
            load.file("k6.json"),
            load.file(SCRIPT),
        ]),
    },
    files: |load| {
        let (seconds, users) = (load.seconds, load.connections);
        let scenario = match load.pace {
            Pace::Closed { .. } => {
                format!("executor: 'constant-vus', vus: {users}, duration: '{seconds}s'")
            }
            Pace::Constant { rate_per_s } => format!(
                "executor: 'constant-arrival-rate', rate: {rate_per_s}, timeUnit: '1s', \
                 duration: '{seconds}s', preAllocatedVUs: {users}, maxVUs: {users}"
            ),
        };
        let options =
            format!("discardResponseBodies: true, scenarios: {{ load: {{ {scenario} }} }}");
        let script = format!(
            "import http from 'k6/http';\n\
             export const options = {{ {options} }};\n\
             export default function () {{ http.get('{}'); }}\n",
            load.url()
        );
        vec![(SCRIPT, script)]
    },
    read: |load, _| {
        let result = json_file(load, "k6.json")?;
        let at = |name: &str| {
            ns_at(
                &result,
                &format!("/metrics/http_req_duration/{name}"),
                MILLISECOND_NS,
            )
        };
        let completed = count_at(&result, "/metrics/http_reqs/count");
        // Absent when nothing was dropped.
        let dropped = count_at(&result, "/metrics/dropped_iterations/count").unwrap_or(0);
        Ok(Reading {
            scheduled: completed.map(|completed| completed + dropped),
            completed,
            latency: Percentiles {
                p50_ns: at("p(50)"),
                p99_ns: at("p(99)"),
                p99_9_ns: at("p(99.9)"),
                max_ns: at("max"),
            },
            ..Reading::default()
        })
    },
    ..PLAIN
};
