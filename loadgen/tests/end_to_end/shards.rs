//! Several processes that share one schedule against one server.

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use runfair_measuring::kernel::clock::monotonic_ns;

use crate::generator::records::Record;
use crate::generator::{Generator, Measurement};
use crate::servers::Honest;

/// Long enough for two processes to start and to connect on a busy machine, ns.
const AHEAD_NS: u64 = 3_000_000_000;

/// Runs the shards of a schedule side by side, from one instant on.
fn shared(server: &Honest, options: &str, shards: u64) -> Vec<Measurement> {
    let start_ns = monotonic_ns() + AHEAD_NS;
    let running: Vec<_> = (1..=shards)
        .map(|shard| {
            let own = format!("{options} --shard {shard}/{shards} --start-at {start_ns}");
            Generator::new(server.url("/n/${sequence}/${random:1..1000}"), &own).start()
        })
        .collect();
    let runs: Vec<_> = running
        .into_iter()
        .map(|one| Measurement::of(one.finish()))
        .collect();
    for run in &runs {
        assert_eq!(run.count("/started/monotonic_ns"), start_ns);
    }
    runs
}

/// Each request's index and instant, in the order of the schedule.
fn instants(runs: &[Measurement]) -> Vec<(u64, u64)> {
    let of = |record: &Record| (record.index, record.intended_ns);
    let mut all: Vec<_> = runs
        .iter()
        .flat_map(|run| run.records.iter().map(of))
        .collect();
    all.sort_unstable();
    all
}

fn paths(server: &Honest) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for request in server.seen() {
        *counts.entry(request.path).or_default() += 1;
    }
    counts
}

#[test]
fn two_processes_send_what_one_would_send() {
    for arrivals in ["constant", "poisson"] {
        let options = format!("--rate 400 --requests 400 --arrivals {arrivals} --seed 7");
        let (one, two) = (Honest::start(), Honest::start());
        let url = one.url("/n/${sequence}/${random:1..1000}");
        let single = [Generator::new(url, &options).measure()];
        let shares = shared(&two, &options, 2);
        assert_eq!(instants(&shares), instants(&single), "{arrivals}");
        assert_eq!(paths(&two), paths(&one), "{arrivals}");
        for (number, run) in (1..).zip(&shares) {
            assert_eq!(run.fates(), (200, 200, 200, 200));
            assert_eq!(run.count("/arrivals/shard/number"), number);
            assert_eq!(run.count("/arrivals/shard/of"), 2);
            let offered = run.result["rate"]["offered_per_s"].as_f64().unwrap();
            let whole = run.result["arrivals"]["rate_per_s"].as_f64().unwrap();
            assert!((whole / offered - 2.0).abs() < 0.01, "{offered} of {whole}");
        }
    }
}

#[test]
fn a_start_that_passes_while_connecting_is_a_mistake() {
    let start_ns = monotonic_ns() + 50_000_000;
    let options = format!("--rate 10 --requests 10 --start-at {start_ns}");
    // The name is looked up and connected to for longer than that.
    thread::sleep(Duration::from_millis(40));
    let server = Honest::start();
    let run = Generator::new(server.url("/"), &options).finish();
    let line = run.mistake();
    assert!(line.contains("--start-at"), "{line}");
    assert!(line.contains("passed"), "{line}");
    assert_eq!(server.count(), 0);
}
