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

use runfair_harness::{serve, Failure, Options};

use crate::store::Store;

const CLASSIC_ROWS: u64 = 1024;

fn load(options: &Options) -> Result<Store, Failure> {
    let workload = options.text("workload")?;
    let keys = options.number("keys")?;
    let mut rows = options.number("rows")?;
    let mut capacity_bytes = options.number("capacity_bytes")?;
    if rows == 0 {
        rows = if workload == "spread" { keys.next_power_of_two() } else { CLASSIC_ROWS };
    }
    if capacity_bytes == 0 && workload == "capped" {
        capacity_bytes = (keys * options.number("value_bytes")? * 3 / 4).max(1);
    }
    let addresses = options.number("addresses")? == 1;
    Ok(Store::new(rows as usize, capacity_bytes, options.has("count"), addresses))
}

fn main() -> ExitCode {
    serve("key-value", "standard", |options, address, ready| {
        server::run(load(options)?, address, ready)
    })
}
