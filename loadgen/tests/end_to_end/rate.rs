//! The rate that a closed loop achieved: a server that answers late, or no more, lowers it.

use std::time::Duration;

use crate::generator::{Generator, Measurement};
use crate::servers::honest::Freeze;
use crate::servers::Honest;

fn achieved_per_s(run: &Measurement) -> f64 {
    run.result["rate"]["achieved_per_s"].as_f64().unwrap()
}

#[test]
fn requests_sent_at_once_were_not_answered_at_once() {
    let server = Honest::start();
    let options = "--closed --requests 10 --connections 10";
    let run = Generator::new(server.url("/slow/200"), options).measure();
    assert_eq!(run.fates(), (10, 10, 10, 10));
    assert!(achieved_per_s(&run) <= 50.0, "{}", achieved_per_s(&run));
}

/// Some 800 requests a second, were it not for the freeze, which outlasts the loop.
#[test]
fn a_server_that_hangs_is_not_as_fast_as_before() {
    let server = Honest::freezing(Freeze {
        after: 160,
        lasts: Duration::from_millis(2_500),
    });
    let options = "--closed --duration 2s";
    let run = Generator::new(server.url("/slow/5"), options).measure();
    let (_, _, completed, _) = run.fates();
    assert!((160..=164).contains(&completed), "{completed}");
    // In both seconds, and not in the fifth of one before the freeze.
    assert!(achieved_per_s(&run) <= completed as f64 / 2.0);
}
