//! A server of keys and values, written from the contract alone: `langbench/key-value/contract.md`.
//! A connection is a thread.

mod requests;
mod server;
mod session;
mod store;
mod system;

use std::process::ExitCode;

use runfair_harness::{serve, Failure, Options};

use crate::store::Store;

fn load(options: &Options) -> Result<Store, Failure> {
    let workload = options.text("workload")?;
    let keys = options.number("keys")?;
    let mut rows = options.number("rows")?;
    let mut capacity = options.number("capacity_bytes")?;
    if rows == 0 {
        rows = if workload == "spread" { keys.next_power_of_two() } else { 1024 };
    }
    if capacity == 0 && workload == "capped" {
        capacity = (keys * options.number("value_bytes")? * 3 / 4).max(1);
    }
    Ok(Store::new(rows as usize, capacity))
}

fn main() -> ExitCode {
    serve("key-value", "plain", |options, address, ready| {
        server::run(load(options)?, options.has("count"), address, ready)
    })
}
