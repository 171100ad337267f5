//! Every second request of one connection meets a rogue.

use crate::generator::{Generator, Measurement};
use crate::servers::Server;

/// Runs against [`crate::servers::rogue::every_second`]: half of the requests are good, half fail
/// in one way, and nothing else is found.
pub fn half_fail(server: &Server, requests: u64, options: &str, kind: &str) -> Measurement {
    let options = format!("--requests {requests} --connections 1 {options}");
    let run = Generator::new(server.url("/"), &options).measure();
    let half = requests / 2;
    assert_eq!(
        run.failures(),
        [(kind, half)].into(),
        "{:?}",
        run.result["requests"]
    );
    let whole = ["wrong_status", "wrong_body"].contains(&kind);
    let completed = if whole { requests } else { half };
    assert_eq!(run.fates(), (requests, requests, completed, half));
    assert_eq!(run.count("/latency_ns/count"), half);
    run.has_no_fault_of_the_server();
    assert!(
        run.findings("warning").contains(&"failures"),
        "{}",
        run.run.stdout
    );
    assert!(
        run.run.stdout.contains(kind),
        "people are not told: {}",
        run.run.stdout
    );
    run
}
