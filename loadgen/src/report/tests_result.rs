//! The document: its schema is fresh, what it writes obeys it, and writing is all or nothing.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::result::*;
use super::tests_table::golden;
use super::*;
use crate::judgement::checks::arrivals::ArrivalsTest;
use crate::judgement::dependence::DesignEffect;
use crate::judgement::evidence::{Loop, Mode, Process};
use crate::judgement::figures::Figures;
use crate::judgement::grid::GridError;
use crate::judgement::judge::Tests;
use crate::judgement::stationarity::Trend;

/// A file of this crate, by its path from the manifest.
pub(super) fn crate_file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Figures whose percentiles grow from `p50_ns` on, each with an interval.
pub(super) fn figures(count: u64, p50_ns: u64) -> Figures {
    let mut value = json!({
        "count": count, "min": p50_ns / 2, "mean": p50_ns as f64 * 1.1,
        "max": p50_ns * 30, "intervals": {}, "withheld": {}, "effective_count": {},
    });
    for (name, times) in [
        ("p50", 1),
        ("p90", 2),
        ("p99", 4),
        ("p99_9", 8),
        ("p99_99", 16),
    ] {
        let p_ns = p50_ns * times;
        value[name] = json!(p_ns);
        value["intervals"][name] = json!({"low_ns": p_ns * 98 / 100, "high_ns": p_ns * 103 / 100});
        value["effective_count"][name] = json!(count as f64 / 2.0);
    }
    serde_json::from_value(value).unwrap()
}

/// A fair run of 10 s without a warm-up.
pub(super) fn sample() -> RunResult {
    let latency_ns = figures(100_000, 41_000);
    let queue_wait_ns = figures(100_000, 10);
    let send_lag_ns = figures(100_000, 900);
    let service_time_ns = figures(100_000, 40_000);
    RunResult {
        format: FORMAT.to_owned(),
        version: VERSION,
        tool_version: "0.1.0".to_owned(),
        started: Started {
            realtime_ns: 1_800_000_000_000_000_000,
            monotonic_ns: 5_000_000_000,
        },
        host: "bench".to_owned(),
        kernel: "6.18.0".to_owned(),
        target: "http://127.0.0.1:8080/".to_owned(),
        targets: Vec::new(),
        protocol: Protocol::Http,
        tls: false,
        loop_kind: Loop::Open,
        arrivals: Some(ArrivalPlan {
            process: Process::Constant,
            rate: Some("10000".to_owned()),
            rate_per_s: Some(10_000.0),
            seed: 1,
            speed: 1.0,
            shard: None,
        }),
        mode: Some(Mode::Default),
        resolution_ns: Some(100_000),
        connections: 50,
        max_connections: 50,
        new_connection_every: None,
        threads: 1,
        pipeline: 1,
        warmup_ns: 0,
        horizon_ns: Some(10_000_000_000),
        interval_ns: 100_000_000,
        timeout_ns: 10_000_000_000,
        check_share: 1.0,
        traffic: TrafficSummary {
            templates: vec!["GET /".to_owned()],
            ..TrafficSummary::default()
        },
        ended: Ended::Schedule,
        elapsed_ns: 10_000_100_000,
        requests: requests::Requests {
            scheduled: 100_000,
            sent: 100_000,
            completed: 100_000,
            good: 100_000,
            statuses: [("200".to_owned(), 100_000)].into(),
            ..requests::Requests::default()
        },
        streams: None,
        rate: Rate {
            offered_per_s: Some(10_000.0),
            achieved_per_s: 9_999.9,
            ratio: Some(0.999_99),
            late_by_generator: 0,
        },
        bytes: Bytes {
            sent: 9_500_000,
            received: 9_500_000,
        },
        requirements: Vec::new(),
        network: Network::default(),
        connections_opened: 50,
        reconnects: 0,
        connections_added: 0,
        connections_replaced: 0,
        opening: opening::Opening {
            connect_ns: opening::OpeningTimes {
                count: 50,
                min: 21_000,
                mean: 34_000.0,
                p50: 31_000,
                p99: 80_000,
                max: 80_000,
            },
            tls_handshake_ns: None,
        },
        phases: vec![Phase {
            name: PhaseName::Measured,
            from_ns: 0,
            to_ns: 10_000_000_000,
            good: 100_000,
            failed: 0,
            latency_ns: latency_ns.clone(),
            queue_wait_ns: queue_wait_ns.clone(),
            send_lag_ns: send_lag_ns.clone(),
            service_time_ns: service_time_ns.clone(),
        }],
        latency_ns,
        queue_wait_ns,
        send_lag_ns,
        service_time_ns,
        generator: generator::Generator {
            cpu_us_per_request: Some(32.4),
            cpu_user_ns: 1_000_000_000,
            cpu_system_ns: 2_240_000_000,
            peak_rss_bytes: 14_890_000,
            voluntary_switches: 100_000,
            involuntary_switches: 12,
            threads: vec![crate::judgement::evidence::SenderThread {
                cpu_share: 0.32,
                spin_share: 0.0,
                run_queue_share: Some(0.001),
                processor: Some(1),
                kept_awake: true,
            }],
            clock_steps: 0,
            unstamped: 0,
            reads_at_once: false,
        },
        tests: Tests {
            arrivals: ArrivalsTest {
                grid: Some(GridError {
                    p50_ns: 900,
                    p99_ns: 30_000,
                    max_ns: 90_000,
                    promised_ns: 100_000,
                }),
            },
            lag1_autocorrelation: Some(0.2),
            design_effect: [(
                "p50".to_owned(),
                DesignEffect {
                    variance_ratio: 2.0,
                    degrees_of_freedom: 99.0,
                    blocks: 100,
                    block_ns: 100_000_000,
                },
            )]
            .into(),
            stationarity: Some(Trend {
                kendall_s: 40,
                p_value: 0.7,
                relative_change: 0.004,
                blocks: 100,
            }),
            failures_each: 1.0,
        },
        verdict: serde_json::from_value(json!({"state": "fair", "findings": []})).unwrap(),
        files: Files {
            hlog: Some("run.hlog".into()),
            ..Files::default()
        },
    }
}

/// The lab's tests validate the golden file by the schema.
#[test]
fn a_result_is_written_as_before_and_comes_back_the_same() {
    let mut out = Vec::new();
    sample().write_to(&mut out).unwrap();
    golden("result.json", std::str::from_utf8(&out).unwrap());
    assert_eq!(serde_json::from_slice::<RunResult>(&out).unwrap(), sample());
}

#[test]
fn names_that_others_rely_on_are_there() {
    let value = serde_json::to_value(sample()).unwrap();
    for pointer in [
        "/requests/scheduled",
        "/requests/sent",
        "/requests/completed",
        "/requests/failed",
        "/generator/cpu_us_per_request",
        "/generator/peak_rss_bytes",
        "/verdict/state",
        "/verdict/findings",
    ] {
        assert!(value.pointer(pointer).is_some(), "{pointer}");
    }
    for quantity in [
        "latency_ns",
        "queue_wait_ns",
        "send_lag_ns",
        "service_time_ns",
    ] {
        for name in [
            "p50",
            "p90",
            "p99",
            "p99_9",
            "p99_99",
            "max",
            "mean",
            "intervals",
        ] {
            assert!(value[quantity].get(name).is_some(), "{quantity}.{name}");
        }
    }
}
