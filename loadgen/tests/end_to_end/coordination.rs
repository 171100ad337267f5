//! A server that stops for a while: an open loop shows it, a closed loop hides it.

use std::time::Duration;

use crate::generator::{undisturbed, Generator, Measurement};
use crate::servers::honest::Freeze;
use crate::servers::Honest;

/// Nothing is answered for so long.
const FREEZE: Duration = Duration::from_millis(300);

const P99: u64 = 9_900;

fn open_loop(options: &str) -> Measurement {
    let options = format!("--rate 500 --duration 1s {options}");
    undisturbed(|| {
        let server = freezing();
        let run = Generator::new(server.url("/"), &options).measure();
        assert_eq!(run.fates(), (500, 500, 500, 500), "{:?}", run.failures());
        assert_eq!(server.count(), 500);
        run
    })
}

fn freezing() -> Honest {
    Honest::freezing(Freeze {
        after: 200,
        lasts: FREEZE,
    })
}

/// In the first 200 ms of the freeze 100 requests were meant to go, and each waited
/// for more than 100 ms.
fn shows_the_freeze(run: &Measurement) {
    assert!(
        run.above_ms("latency", 250) >= 10,
        "{}",
        run.above_ms("latency", 250)
    );
    let slow = run.above_ms("latency", 100);
    assert!((80..=200).contains(&slow), "{slow} latencies above 100 ms");
}

/// The wait was for a free connection, and not for the generator.
fn blames_the_server(run: &Measurement) {
    let sum = |of: fn(&crate::generator::records::Record) -> u64| -> u64 {
        run.records.iter().map(of).sum()
    };
    let waited = sum(|record| record.queue_wait_ns());
    let lagged = sum(|record| record.send_lag_ns());
    assert!(
        waited > 10 * lagged,
        "waited {waited} ns, lagged {lagged} ns"
    );
    let slow = run.above_ms("queue_wait", 100);
    assert!((70..=200).contains(&slow), "{slow} waits above 100 ms");
}

#[test]
fn an_open_loop_shows_what_a_closed_loop_hides() {
    let open = open_loop("");
    shows_the_freeze(&open);
    blames_the_server(&open);

    let closed =
        undisturbed(|| Generator::new(freezing().url("/"), "--closed --requests 2000").measure());
    assert_eq!(closed.fates(), (2_000, 2_000, 2_000, 2_000));
    let slow = closed.above_ms("latency", 100);
    assert!(
        (1..=4).contains(&slow),
        "{slow} of 4 connections met the freeze"
    );

    let (open, closed) = (
        open.recorded_percentile("latency", P99),
        closed.recorded_percentile("latency", P99),
    );
    assert!(open > 10 * closed, "open {open} ns, closed {closed} ns");
}

#[test]
fn every_mode_shows_the_freeze() {
    for mode in ["economy", "precise"] {
        let run = open_loop(&format!("--mode {mode}"));
        shows_the_freeze(&run);
        blames_the_server(&run);
    }
}

#[test]
fn pipelining_shows_the_freeze() {
    shows_the_freeze(&open_loop("--pipeline 64"));
}

#[test]
fn no_connection_is_added_in_a_freeze() {
    let run = open_loop("--connections 2");
    assert_eq!(run.count("/connections_opened"), 2);
    assert_eq!(run.count("/reconnects"), 0);
}
