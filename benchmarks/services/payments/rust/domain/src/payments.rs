use runfair_harness::{read, Description, Options, UserError};
use serde::Deserialize;

use crate::processor::Processor;

const MOST_CONNECTIONS: u64 = 1000;

/// What is kept in memory: the input of the service.
#[derive(Deserialize)]
pub struct Payments {
    pub records: Vec<String>,
    pub processors: Vec<Processor>,
}

/// What every framework's program has in common for the harness.
pub const fn description(tier: &'static str) -> Description {
    Description {
        name: "payments",
        tier,
        workloads: &["pay", "route", "order"],
        parameters: &[("database", ""), ("connections", "16")],
        inputs: 1,
        max_threads: u64::MAX,
    }
}

impl Payments {
    pub fn read(options: &Options) -> Result<Self, UserError> {
        let path = &options.inputs[0];
        (serde_json::from_slice(&read(path)?).ok())
            .filter(|payments: &Self| !payments.records.is_empty())
            .ok_or_else(|| {
                UserError(format!("--input {path:?} is not the payments.json of the generator"))
            })
    }
}

/// The size of the connection pool.
pub fn connections(options: &Options) -> Result<usize, UserError> {
    Ok(options.integer("connections", 1..=MOST_CONNECTIONS)? as usize)
}
