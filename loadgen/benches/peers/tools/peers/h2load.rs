//! h2load, of nghttp2, here with HTTP/1.1.

use super::a_connection;
use crate::percentile::Percentiles;
use crate::tools::output::{duration_ns, words_after};
use crate::tools::{arguments, Load, Pace, Program, Reading, Tool, PLAIN};

/// h2load.
pub const H2LOAD: Tool = Tool {
    name: "h2load",
    program: Program::Peer("h2load"),
    version: &["--version"],
    arguments: |load| {
        let mut command = arguments!["--h1", "-t", 1, "-c", load.connections, "-D", load.seconds];
        match load.pace {
            Pace::Closed { depth } => command.extend(arguments!["-m", depth]),
            Pace::Constant { rate_per_s } => {
                command.extend(arguments!["--rps", a_connection(rate_per_s, load)]);
            }
        }
        if load.every_request {
            command.push(format!("--log-file={}", load.file("requests")));
        }
        command.push(load.url());
        Some(command)
    },
    read: |load, output| {
        // "time for request:  418us  5.17ms  1.08ms …": minimum, maximum, mean.
        let columns =
            words_after(output, &["time", "for", "request:"]).ok_or("no \"time for request\"")?;
        let maximum_ns = columns.get(1).and_then(|word| duration_ns(word));
        // "requests: 200 total, 210 started, 200 done, …"
        let requests = words_after(output, &["requests:"]).ok_or("no \"requests\"")?;
        let count = |index: usize| requests.get(index)?.parse().ok();
        Ok(Reading {
            sent: count(2),
            completed: count(4),
            // Without a log of every request it tells no percentile.
            latency: if load.every_request {
                Percentiles::of(h2load_log_ns(load)?)
            } else {
                Percentiles {
                    max_ns: maximum_ns,
                    ..Percentiles::default()
                }
            },
            ..Reading::default()
        })
    },
    ..PLAIN
};

/// The third column of its log: the time of each request in whole microseconds.
fn h2load_log_ns(load: &Load) -> Result<Vec<u64>, String> {
    let log = std::fs::read_to_string(load.scratch.join("requests"))
        .map_err(|error| format!("no log of requests: {error}"))?;
    log.lines()
        .map(|line| {
            let microseconds = line.split('\t').nth(2).and_then(|word| word.parse().ok());
            let microseconds: u64 = microseconds.ok_or_else(|| format!("log line {line:?}"))?;
            Ok(microseconds * 1_000)
        })
        .collect()
}
