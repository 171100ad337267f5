//! The peers, one a file: how each is run and how its output is read.
//!
//! Every one is used as its documentation shows, with keep-alive, one thread where that can be
//! chosen, and no option that would flatter or harm it. Those in the Go language choose their
//! number of threads by the processors they may use, which is one here.

mod ab;
mod autocannon;
mod fortio;
mod h1load;
mod h2load;
mod hey;
mod k6;
mod oha;
mod vegeta;
mod wrk;

use serde_json::Value;

use super::output::json;
use super::{Load, Tool};

const SECOND_NS: f64 = 1e9;
const MILLISECOND_NS: f64 = 1e6;

/// All peers, in the order of the tables.
pub const PEERS: &[Tool] = &[
    wrk::WRK,
    wrk::WRK2,
    h1load::H1LOAD,
    h2load::H2LOAD,
    oha::OHA,
    oha::OHA_CORRECTED,
    fortio::FORTIO,
    vegeta::VEGETA,
    vegeta::VEGETA_BOUNDED,
    k6::K6,
    autocannon::AUTOCANNON,
    hey::HEY,
    ab::AB,
];

/// The rate of one connection, for tools that want it so.
fn a_connection(rate_per_s: u64, load: &Load) -> f64 {
    rate_per_s as f64 / load.connections as f64
}

fn json_file(load: &Load, name: &str) -> Result<Value, String> {
    let text = std::fs::read_to_string(load.scratch.join(name))
        .map_err(|error| format!("no {name}: {error}"))?;
    json(&text)
}

#[cfg(test)]
mod tests_peers;
