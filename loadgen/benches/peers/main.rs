//! runfair-load beside its floor and its peers, measured together.
//!
//! `cargo bench --bench peers -- [--rounds 3] [--seconds 5] [--only PARTS] [--tools NAMES]
//! [--tool-path TOOL=PATH] [--json OUT] [--markdown]`
//!
//! Every run has a fresh reference server on one processor and one tool on another. Processor time
//! and memory of the tool are the kernel's account of its process; requests are counted by the
//! server; the truth about instants is the server's log of the kernel's arrival stamps.
//!
//! | file | what |
//! |---|---|
//! | [`comparison`] | the benchmark from beginning to end |
//! | [`cells`] | the loads and who takes part |
//! | [`measurement`] | one run |
//! | [`placement`], [`accounting`] | who runs where, and what it costs |
//! | [`ports`] | waiting for the ports that earlier runs used |
//! | [`server`], [`floor`], [`freeze`] | reference server, floors, the freeze |
//! | [`tools`] | the generator, the floors and the peers as command lines and readers |
//! | [`grid`], [`truth`], [`percentile`] | what really happened |
//! | [`rounds`], [`results`] | interleaving, medians |
//! | [`goals`] | the limits and whether they are met |
//! | [`report`], [`table`], [`export`] | what is printed and written |
//! | [`kernel`] | system calls |
//!
//! The exit status is 0 when every goal of the parts that ran is met, 1 when one is missed or
//! cannot be established, 2 when the benchmark itself could not run.

#![cfg_attr(
    test,
    allow(
        dead_code,
        unused_imports,
        reason = "cargo compiles the tests of a benchmark without harness but leaves out what \
                  calls them; tests.rs runs them, and there nothing is allowed to be unused"
    )
)]

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

fn main() -> std::process::ExitCode {
    comparison::start()
}
