//! The generator under test.

use super::output::{count_at, json, ns_at};
use super::{arguments, records, Load, Pace, Program, Reading, Tool, PLAIN};
use crate::percentile::Percentiles;

/// Its program.
pub const NAME: &str = "runfair-load";

const RESULT: &str = "result.json";
const RECORDS: &str = "records";
const INTERVALS: &str = "intervals.hlog";

const GENERATOR: Tool = Tool {
    program: Program::Generator,
    version: &["--version"],
    read,
    ..PLAIN
};

/// As it is used without any flag about modes.
pub const PLAINLY: Tool = Tool {
    name: NAME,
    arguments: |load| Some(command(load, &[])),
    ..GENERATOR
};
/// The cheapest mode.
pub const ECONOMY: Tool = Tool {
    name: "runfair-load economy",
    arguments: |load| Some(command(load, &["--mode", "economy"])),
    ..GENERATOR
};
/// The default mode, named.
pub const DEFAULT: Tool = Tool {
    name: "runfair-load default",
    arguments: |load| Some(command(load, &["--mode", "default"])),
    ..GENERATOR
};
/// The exact mode.
pub const PRECISE: Tool = Tool {
    name: "runfair-load precise",
    arguments: |load| Some(command(load, &["--mode", "precise"])),
    ..GENERATOR
};
/// With an interval log.
pub const LOGGING: Tool = Tool {
    name: "runfair-load --hlog",
    arguments: |load| Some(command(load, &["--hlog", &load.file(INTERVALS)])),
    ..GENERATOR
};

/// Whether it has written its result.
pub fn left_result(load: &Load) -> bool {
    load.scratch.join(RESULT).exists()
}

fn command(load: &Load, more: &[&str]) -> Vec<String> {
    let mut command = match load.pace {
        Pace::Closed { depth } => arguments!["--closed", "--pipeline", depth],
        Pace::Constant { rate_per_s } => arguments!["--rate", rate_per_s],
    };
    command.extend(arguments![
        "--duration",
        format!("{}s", load.seconds),
        "--connections",
        load.connections,
        "--threads",
        1,
        "--json",
        load.file(RESULT),
    ]);
    command.extend(more.iter().map(ToString::to_string));
    if load.every_request {
        command.extend(arguments!["--records", load.file(RECORDS)]);
    }
    command.push(load.url());
    command
}

fn read(load: &Load, _: &str) -> Result<Reading, String> {
    let text = std::fs::read_to_string(load.scratch.join(RESULT))
        .map_err(|error| format!("no result file: {error}"))?;
    let result = json(&text)?;
    let percentiles = |quantity: &str| {
        let at = |name: &str| ns_at(&result, &format!("/{quantity}/{name}"), 1.0);
        Percentiles {
            p50_ns: at("p50"),
            p99_ns: at("p99"),
            p99_9_ns: at("p99_9"),
            max_ns: at("max"),
        }
    };
    let intended_ns = if load.every_request {
        let intended_ns = records::intended_ns(&load.scratch.join(RECORDS));
        Some(intended_ns.map_err(|failure| failure.to_string())?)
    } else {
        None
    };
    let required = |pointer: &str| {
        count_at(&result, pointer).ok_or_else(|| format!("no {pointer} in the result"))
    };
    Ok(Reading {
        scheduled: count_at(&result, "/requests/scheduled"),
        sent: Some(required("/requests/sent")?),
        completed: Some(required("/requests/completed")?),
        latency: percentiles("latency_ns"),
        service: percentiles("service_time_ns"),
        begin_ns: count_at(&result, "/started/monotonic_ns"),
        intended_ns,
        claimed_cpu_us_per_request: result
            .pointer("/generator/cpu_us_per_request")
            .and_then(serde_json::Value::as_f64),
        claimed_peak_rss_bytes: count_at(&result, "/generator/peak_rss_bytes"),
        verdict: result
            .pointer("/verdict/state")
            .and_then(serde_json::Value::as_str)
            .map(str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(scratch: &std::path::Path, pace: Pace) -> Load<'_> {
        Load {
            port: 80,
            connections: 50,
            pace,
            seconds: 5,
            every_request: false,
            scratch,
        }
    }

    #[test]
    fn a_withheld_percentile_is_not_a_number() {
        let folder = tempfile::tempdir().unwrap();
        let result = r#"{"started":{"monotonic_ns":5},"verdict":{"state":"flagged"},
            "requests":{"scheduled":10,"sent":10,"completed":9},
            "latency_ns":{"p50":100,"p99":null,"p99_9":null,"max":900},
            "service_time_ns":{"p50":90,"p99":95,"p99_9":96,"max":97},
            "generator":{"cpu_us_per_request":4.5,"peak_rss_bytes":1000}}"#;
        std::fs::write(folder.path().join(RESULT), result).unwrap();
        let load = load(folder.path(), Pace::Constant { rate_per_s: 10 });
        let reading = read(&load, "").unwrap();
        assert_eq!(
            (reading.latency.p50_ns, reading.latency.p99_ns),
            (Some(100), None)
        );
        assert_eq!(reading.verdict.as_deref(), Some("flagged"));
        assert_eq!((reading.scheduled, reading.completed), (Some(10), Some(9)));
        assert_eq!(reading.begin_ns, Some(5));
    }

    #[test]
    fn a_run_without_result_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        assert!(read(&load(folder.path(), Pace::Closed { depth: 1 }), "").is_err());
    }

    #[test]
    fn a_closed_loop_has_no_rate() {
        let folder = tempfile::tempdir().unwrap();
        let command = command(&load(folder.path(), Pace::Closed { depth: 16 }), &[]).join(" ");
        assert!(command.starts_with("--closed --pipeline 16 --duration 5s"));
        assert!(!command.contains("--rate") && !command.contains("--mode"));
    }
}
