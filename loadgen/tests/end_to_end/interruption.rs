//! Ctrl-C ends a run early, and everything is written.

use crate::generator::{Generator, Measurement};
use crate::servers::{rogue, Honest};

#[test]
fn an_open_loop_ends_early_and_writes_everything() {
    let server = Honest::start();
    let running = Generator::new(server.url("/"), "--rate 500 --duration 60s").start();
    server.wait_for(150);
    running.signal("INT");
    let run = Measurement::of(running.finish());
    assert_eq!(run.result["ended"], "interrupted");
    assert!((150..5_000).contains(&run.fates().0), "{:?}", run.fates());
    assert_eq!(run.fates().3, server.count() as u64);
    assert_eq!(run.state(), "flagged");
    assert!(run.findings("warning").contains(&"interrupted"));
    assert!(run.count("/elapsed_ns") < 60_000_000_000);
    assert!(run.count("/phases/0/to_ns") <= run.count("/elapsed_ns"));
}

#[test]
fn a_closed_loop_ends_early_too() {
    let server = Honest::start();
    let running = Generator::new(server.url("/slow/2"), "--closed --duration 60s").start();
    server.wait_for(50);
    running.signal("INT");
    let run = Measurement::of(running.finish());
    assert_eq!(run.result["ended"], "interrupted");
    assert_eq!(run.fates().3, server.count() as u64);
}

#[test]
fn a_closed_loop_waits_for_a_slow_server_until_the_time_out() {
    let server = Honest::start();
    let running = Generator::new(server.url("/slow/1500"), "--closed --duration 60s").start();
    server.wait_for(4);
    running.signal("INT");
    let run = Measurement::of(running.finish());
    assert_eq!(run.result["ended"], "interrupted");
    let answered = server.count() as u64;
    assert!(answered > 4, "{answered} answers: none was under way");
    assert_eq!(run.fates(), (answered, answered, answered, answered));
}

#[test]
fn requests_without_an_answer_do_not_hold_the_end_up() {
    let server = rogue::every_second(rogue::stay_silent);
    let running =
        Generator::new(server.url("/"), "--rate 100 --duration 60s --connections 2").start();
    // Both connections are silent after 40 ms.
    std::thread::sleep(std::time::Duration::from_millis(300));
    running.signal("INT");
    let run = Measurement::of(running.finish());
    assert_eq!(run.result["ended"], "interrupted");
    assert_eq!(run.fates().3, 2);
    assert_eq!(run.failures()["timed_out"], 2);
    assert!(run.failures()["unsent"] > 5);
    let cut_off = format!("with {} requests under way or overdue", run.fates().0 - 2);
    let verdict = run.result["verdict"].to_string();
    assert!(verdict.contains(&cut_off), "{verdict}");
    // Both rates are until the interruption, not until the last request that was sent.
    let number = |pointer: &str| run.result.pointer(pointer).unwrap().as_f64().unwrap();
    let scheduled = run.fates().0 as f64;
    assert!((number("/rate/ratio") - 2.0 / scheduled).abs() < 1e-6);
    assert!((number("/rate/offered_per_s") - 100.0).abs() < 20.0);
}
