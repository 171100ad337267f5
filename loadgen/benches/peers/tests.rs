//! The tests of the benchmark: cargo runs none in a benchmark without harness, so this test target
//! takes the same files.

mod accounting;
mod arguments;
mod cells;
mod comparison;
mod export;
mod failure;
mod floor;
mod freeze;
mod goals;
mod grid;
#[allow(
    unsafe_code,
    reason = "epoll, control messages, affinity and wait4 have no safe interface in std"
)]
mod kernel;
mod measurement;
mod percentile;
mod placement;
mod ports;
mod report;
mod results;
mod rounds;
mod server;
mod table;
mod tools;
mod truth;

/// What the benchmark's main does: it makes everything used that the program uses.
#[allow(dead_code, reason = "the benchmark itself is not run by its tests")]
fn main() -> std::process::ExitCode {
    comparison::start()
}
