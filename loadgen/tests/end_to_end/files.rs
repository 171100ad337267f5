//! The files of a run, beyond what every run is held to.

use std::process::Command;

use crate::generator::Generator;
use crate::servers::http::Request;
use crate::servers::Honest;

#[test]
fn the_warm_up_is_marked_and_kept() {
    let server = Honest::start();
    let run = Generator::new(
        server.url("/"),
        "--rate 500 --duration 800ms --warmup 300ms",
    )
    .measure();
    assert_eq!(run.fates(), (400, 400, 400, 400));
    assert_eq!(run.count("/phases/0/good"), 150);
    assert_eq!(run.count("/phases/1/good"), 250);
    assert_eq!(run.count("/phases/0/to_ns"), 300_000_000);
    assert_eq!(run.count("/phases/1/from_ns"), 300_000_000);
    let logged = |tag: &str| -> u64 {
        run.log.intervals[tag]
            .iter()
            .map(hdrhistogram::Histogram::len)
            .sum()
    };
    assert_eq!(logged("warmup.latency"), 150);
    assert_eq!(logged("latency"), 250);
    for record in &run.records {
        assert_eq!(
            record.measured,
            record.intended_ns >= 300_000_000,
            "{record:?}"
        );
    }
}

#[test]
fn intervals_are_as_long_as_asked() {
    let server = Honest::start();
    let run = Generator::new(server.url("/"), "--rate 500 --duration 1s --interval 50ms").measure();
    let intervals = &run.log.intervals["latency"];
    // 20 of 25 requests each; a busy machine may have let two or three grow together.
    assert!((10..=22).contains(&intervals.len()), "{}", intervals.len());
    assert_eq!(run.count("/interval_ns"), 50_000_000);
}

#[test]
fn records_are_printed_as_csv() {
    let server = Honest::start();
    let run = Generator::new(server.url("/"), "--rate 500 --requests 100").measure();
    let printed = Command::new(env!("CARGO_BIN_EXE_runfair-load"))
        .arg("records")
        .arg(&run.run.files["records"])
        .output()
        .unwrap();
    assert!(printed.status.success());
    let text = String::from_utf8(printed.stdout).unwrap();
    let mut lines = text.lines();
    let heading: Vec<&str> = lines.next().unwrap().split(',').collect();
    let column = |name| heading.iter().position(|title| *title == name).unwrap();
    let (index, done) = (column("index"), column("done_ns"));
    let mut rows: Vec<(u64, u64)> = lines
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            assert_eq!(cells.len(), heading.len());
            (cells[index].parse().unwrap(), cells[done].parse().unwrap())
        })
        .collect();
    rows.sort_unstable();
    let due: Vec<_> = run
        .records
        .iter()
        .map(|record| (record.index, record.done_ns))
        .collect();
    assert_eq!(rows, due);
}

#[test]
fn the_result_may_go_to_standard_output() {
    let server = Honest::start();
    // A closed loop has no schedule that a busy machine could delay.
    let run = Generator::new(server.url("/"), "--closed --requests 50")
        .writing("json", "-")
        .finish();
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    let result: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(result["requests"]["good"], 50);
}

#[test]
fn schemas_are_printed_as_committed() {
    let schemas = [
        ("result", include_str!("../../schemas/result.schema.json")),
        ("traffic", include_str!("../../schemas/traffic.schema.json")),
    ];
    for (name, committed) in schemas {
        let printed = Command::new(env!("CARGO_BIN_EXE_runfair-load"))
            .args(["--schema", name])
            .output()
            .unwrap();
        assert!(printed.status.success());
        let parse = |text: &[u8]| serde_json::from_slice::<serde_json::Value>(text).unwrap();
        assert_eq!(
            parse(&printed.stdout),
            parse(committed.as_bytes()),
            "{name}"
        );
    }
}

#[test]
fn the_rate_offered_is_the_rate_asked_for() {
    let server = Honest::start();
    for end in ["--requests 50", "--duration 250ms"] {
        let run = Generator::new(server.url("/"), &format!("--rate 200 {end}")).measure();
        assert_eq!(run.fates().0, 50);
        let offered = run.result["rate"]["offered_per_s"].as_f64().unwrap();
        assert!(
            (offered - 200.0).abs() < 0.1,
            "{end}: {offered}/s offered of 200/s"
        );
    }
}

#[test]
fn progress_is_told_in_json_lines() {
    let server = Honest::start();
    let run = Generator::new(
        server.url("/"),
        "--rate 500 --duration 600ms --progress json",
    )
    .measure();
    let sent: Vec<u64> = run
        .run
        .stderr
        .lines()
        .map(|line| {
            let event: serde_json::Value = serde_json::from_str(line).unwrap();
            assert_eq!(event["event"], "progress", "{line}");
            assert_eq!(event["loop"], "open", "{line}");
            event["sent"].as_u64().unwrap()
        })
        .collect();
    assert!(sent.len() >= 2, "{sent:?}");
    assert!(sent.windows(2).all(|pair| pair[0] <= pair[1]), "{sent:?}");
    assert_eq!(sent.last(), Some(&300));
}

/// Bytes of the requests in the order in which one connection brought them.
fn conversation(seed: &str) -> Vec<Vec<u8>> {
    let server = Honest::start();
    let lines = r#"
{"path":"/a/${sequence}","headers":{"Host":"fixed.example"},"weight":3}
{"method":"POST","path":"/echo","headers":{"Host":"fixed.example","X-Number":"${random:1..1000000}"},"body":"${key}"}
{"path":"/b?k=${key}","headers":{"Host":"fixed.example"},"weight":0.5}
"#;
    let options = "--rate 1000 --requests 200 --connections 1 --keys 1000 --arrivals poisson";
    let run = Generator::new(server.url("/"), options)
        .option("--order", "random")
        .option("--seed", seed)
        .traffic(lines)
        .measure();
    assert_eq!(run.fates().3, 200);
    server
        .seen()
        .into_iter()
        .map(|request: Request| request.bytes)
        .collect()
}

#[test]
fn the_same_seed_sends_the_same_bytes_in_the_same_order() {
    let first = conversation("42");
    assert_eq!(first, conversation("42"));
    assert_ne!(first, conversation("43"));
    let posts = first
        .iter()
        .filter(|bytes| bytes.starts_with(b"POST"))
        .count();
    // Drawn with a weight of 1 in 4.5: 44 of 200 are expected, by 6 more or less.
    assert!((20..=70).contains(&posts), "{posts}");
}
