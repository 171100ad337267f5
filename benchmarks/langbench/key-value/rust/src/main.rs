//! A server of keys and values; see `langbench/key-value/contract.md`.

mod locality;
mod replies;
mod requests;
mod server;
mod session;
mod statistics;
mod store;
mod system;

use std::process::ExitCode;

use runfair_harness::{serve, Description, Options, UserError};

use crate::store::Store;

const CLASSIC_ROWS: u64 = 1024;

const DESCRIPTION: Description = Description {
    name: "key-value",
    tier: "standard",
    workloads: &["spread", "classic", "capped"],
    parameters: &[
        ("keys", "500"),
        ("value_bytes", "64"),
        ("rows", "0"),
        ("capacity_bytes", "0"),
        ("count", "0"),
        ("addresses", "0"),
    ],
    inputs: 0,
    max_threads: u64::MAX,
};

fn load(options: &Options) -> Result<Store, UserError> {
    let keys = options.integer("keys", 1..=1 << 20)?;
    let value_bytes = options.integer("value_bytes", 1..=1_000_000)?;
    let mut rows = options.integer("rows", 0..=1 << 20)?;
    let mut capacity_bytes = options.integer("capacity_bytes", 0..=i32::MAX as u64)?;
    let count = options.integer("count", 0..=1)? == 1;
    let addresses = options.integer("addresses", 0..=1)? == 1;
    if rows == 0 {
        rows = if options.workload == "spread" { keys.next_power_of_two() } else { CLASSIC_ROWS };
    }
    if capacity_bytes == 0 && options.workload == "capped" {
        capacity_bytes = (keys * value_bytes * 3 / 4).max(1);
    }
    Ok(Store::new(rows as usize, capacity_bytes, count, addresses))
}

fn main() -> ExitCode {
    serve(&DESCRIPTION, |options, address, ready| server::run(load(options)?, address, ready))
}
