//! A server that stops for a while: an open loop shows it, a closed loop hides it.

use std::time::Duration;

use crate::generator::{typical, undisturbed, Generator, Measurement};
use crate::servers::honest::Freeze;
use crate::servers::Honest;

/// Nothing is answered for so long.
const FREEZE: Duration = Duration::from_millis(300);

const P99: u64 = 9_900;

fn open_loop(options: &str, shows: impl Fn(&Measurement) -> bool) -> Measurement {
    let options = format!("--rate 500 --duration 1s {options}");
    let once = || {
        let server = freezing();
        let run = Generator::new(server.url("/"), &options).measure();
        assert_eq!(run.fates(), (500, 500, 500, 500), "{:?}", run.failures());
        assert_eq!(server.count(), 500);
        run
    };
    let run = typical(|| undisturbed(once), &shows);
    assert!(
        shows(&run),
        "{} latencies above 250 ms, {} above 100 ms; {} waits above 100 ms",
        run.above_ms("latency", 250),
        run.above_ms("latency", 100),
        run.above_ms("queue_wait", 100)
    );
    run
}

fn freezing() -> Honest {
    Honest::freezing(Freeze {
        after: 200,
        lasts: FREEZE,
    })
}

/// In the first 200 ms of the freeze 100 requests were meant to go, and each waited
/// for more than 100 ms.
fn shows_the_freeze(run: &Measurement) -> bool {
    run.above_ms("latency", 250) >= 10 && (80..=200).contains(&run.above_ms("latency", 100))
}

/// The wait was for a free connection, and not for the generator.
fn blames_the_server(run: &Measurement) -> bool {
    let sum = |of: fn(&crate::generator::records::Record) -> u64| -> u64 {
        run.records.iter().map(of).sum()
    };
    let waited = sum(|record| record.queue_wait_ns());
    let lagged = sum(|record| record.send_lag_ns());
    waited > 10 * lagged && (70..=200).contains(&run.above_ms("queue_wait", 100))
}

#[test]
fn an_open_loop_shows_what_a_closed_loop_hides() {
    let open = open_loop("", |run| shows_the_freeze(run) && blames_the_server(run));

    let slow = |run: &Measurement| run.above_ms("latency", 100);
    let once = || Generator::new(freezing().url("/"), "--closed --requests 2000").measure();
    let closed = typical(|| undisturbed(once), |run| (1..=4).contains(&slow(run)));
    assert_eq!(closed.fates(), (2_000, 2_000, 2_000, 2_000));
    assert!(
        (1..=4).contains(&slow(&closed)),
        "{} of 4 connections met the freeze",
        slow(&closed)
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
        let options = format!("--mode {mode}");
        open_loop(&options, |run| {
            shows_the_freeze(run) && blames_the_server(run)
        });
    }
}

#[test]
fn pipelining_shows_the_freeze() {
    open_loop("--pipeline 64", shows_the_freeze);
}

#[test]
fn no_connection_is_added_in_a_freeze() {
    let run = open_loop("--connections 2", |_| true);
    assert_eq!(run.count("/connections_opened"), 2);
    assert_eq!(run.count("/reconnects"), 0);
}
