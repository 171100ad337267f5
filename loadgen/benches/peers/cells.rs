//! What is measured: parts of the benchmark, and the cells each consists of. A cell is one load,
//! under which tools are compared, interleaved.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::tools::peers::PEERS;
use crate::tools::{floors, generator, Pace, Tool};

/// Connections of every load but those about memory.
pub const CONNECTIONS: u64 = 50;
/// Connections of the load that asks for memory.
pub const MANY_CONNECTIONS: u64 = 10_000;
/// Pipelining depth of the pipelined load.
pub const DEPTH: u64 = 16;
/// Rates at which economy is judged.
pub const ECONOMY_RATES: [u64; 2] = [10_000, 20_000];
/// Rates at which default and precise are judged.
pub const EXACT_RATES: [u64; 2] = [2_000, 10_000];
/// Rates at which the freeze is judged.
pub const FREEZE_RATES: [u64; 3] = [2_000, 10_000, 20_000];
/// The rate of the loads about memory and interval logging.
pub const PLAIN_RATE: u64 = 10_000;
/// The freeze happens once in this time, whatever `--seconds` says: the goal says so.
pub const FREEZE_SECONDS: u64 = 10;
/// How much longer the long run is that shows whether memory grows.
pub const LONGER: u64 = 4;
/// Room in the server's log beyond the requests asked for.
const LOG_MARGIN: u64 = 200_000;

/// A part of the benchmark.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// Closed loop: the cost of a request.
    Saturated,
    /// Closed loop, pipelined by 16.
    Pipelined,
    /// The cost of the cheapest mode.
    Economy,
    /// Cost, send accuracy and truthfulness of the default mode.
    Default,
    /// The same of the exact mode.
    Precise,
    /// Truthfulness when the server is frozen for 200 ms.
    Freeze,
    /// Peak memory.
    Memory,
    /// The cost of interval logging.
    Logging,
}

/// One load and the tools compared under it.
pub struct Cell {
    /// Its name in results.
    pub name: String,
    /// The pacing.
    pub pace: Pace,
    /// Connections.
    pub connections: u64,
    /// How long to send, seconds.
    pub seconds: u64,
    /// The server is frozen in the middle.
    pub freeze: bool,
    /// The server logs arrivals, and the truth is established from them.
    pub truth: bool,
    /// The floor against which the others' cost is set.
    pub floor: &'static str,
    /// Who takes part.
    pub tools: Vec<Tool>,
}

impl Cell {
    /// How much room the server's log needs; none when it need not log.
    pub fn log_capacity(&self, lead_s: u64) -> Option<usize> {
        match self.pace {
            Pace::Constant { rate_per_s } if self.truth => {
                let asked = rate_per_s * (self.seconds + lead_s);
                Some((asked + asked / 2 + LOG_MARGIN) as usize)
            }
            _ => None,
        }
    }
}

/// The name of the cell at a rate.
pub fn rate_cell(rate_per_s: u64) -> String {
    format!("rate {rate_per_s}")
}

/// The name of the cell with a freeze at a rate.
pub fn freeze_cell(rate_per_s: u64) -> String {
    format!("freeze {rate_per_s}")
}

/// The name of a cell about memory.
pub fn memory_cell(connections: u64, seconds: u64) -> String {
    format!("memory {connections} connections {seconds} s")
}

/// Name of the cell of the part of that name.
pub const SATURATED: &str = "saturated";
/// Name of the cell of the part of that name.
pub const PIPELINED: &str = "pipelined";
/// Name of the cell of the part of that name.
pub const LOGGING: &str = "logging";

/// The cells of these parts, without those left with no tool of their own.
pub fn cells(parts: &[Part], seconds: u64) -> Vec<Cell> {
    let has = |part| parts.contains(&part);
    let mut cells = Vec::new();
    for (part, name, depth) in [
        (Part::Saturated, SATURATED, 1),
        (Part::Pipelined, PIPELINED, DEPTH),
    ] {
        if has(part) {
            let pace = Pace::Closed { depth };
            let tools = with_peers(&[floors::CLOSED, generator::PLAINLY]);
            cells.push(cell(name.into(), pace, seconds, floors::CLOSED.name, tools));
        }
    }
    // The three modes share a cell at each rate, so that each peer runs there only once.
    for rate_per_s in rates(parts) {
        let mut tools = vec![floors::LAZY_TICK];
        if has(Part::Economy) && ECONOMY_RATES.contains(&rate_per_s) {
            tools.push(generator::ECONOMY);
        }
        if EXACT_RATES.contains(&rate_per_s) {
            if has(Part::Default) {
                tools.extend([floors::EXACT, floors::LAZY_EXACT, generator::DEFAULT]);
            }
            if has(Part::Precise) {
                tools.extend([floors::SPIN, generator::PRECISE]);
            }
        }
        let pace = Pace::Constant { rate_per_s };
        let tools = with_peers(&tools);
        cells.push(Cell {
            truth: true,
            ..cell(
                rate_cell(rate_per_s),
                pace,
                seconds,
                floors::LAZY_TICK.name,
                tools,
            )
        });
    }
    for rate_per_s in FREEZE_RATES.into_iter().filter(|_| has(Part::Freeze)) {
        let pace = Pace::Constant { rate_per_s };
        let tools = with_peers(&[floors::EXACT, generator::PLAINLY]);
        let name = freeze_cell(rate_per_s);
        cells.push(Cell {
            truth: true,
            freeze: true,
            ..cell(name, pace, FREEZE_SECONDS, floors::EXACT.name, tools)
        });
    }
    if has(Part::Memory) {
        for (connections, seconds) in memory_loads(seconds) {
            let pace = Pace::Constant {
                rate_per_s: PLAIN_RATE,
            };
            let tools = vec![floors::LAZY_EXACT, generator::PLAINLY];
            let name = memory_cell(connections, seconds);
            cells.push(Cell {
                connections,
                ..cell(name, pace, seconds, floors::LAZY_EXACT.name, tools)
            });
        }
    }
    if has(Part::Logging) {
        let pace = Pace::Constant {
            rate_per_s: PLAIN_RATE,
        };
        let tools = vec![floors::LAZY_EXACT, generator::PLAINLY, generator::LOGGING];
        cells.push(cell(
            LOGGING.into(),
            pace,
            seconds,
            floors::LAZY_EXACT.name,
            tools,
        ));
    }
    cells
}

/// Connections and seconds of the loads about memory.
pub fn memory_loads(seconds: u64) -> [(u64, u64); 3] {
    [
        (CONNECTIONS, seconds),
        (CONNECTIONS, seconds * LONGER),
        (MANY_CONNECTIONS, seconds),
    ]
}

fn cell(name: String, pace: Pace, seconds: u64, floor: &'static str, tools: Vec<Tool>) -> Cell {
    Cell {
        name,
        pace,
        connections: CONNECTIONS,
        seconds,
        freeze: false,
        truth: false,
        floor,
        tools,
    }
}

fn rates(parts: &[Part]) -> Vec<u64> {
    let mut rates = Vec::new();
    if parts.contains(&Part::Economy) {
        rates.extend(ECONOMY_RATES);
    }
    if parts.contains(&Part::Default) || parts.contains(&Part::Precise) {
        rates.extend(EXACT_RATES);
    }
    rates.sort_unstable();
    rates.dedup();
    rates
}

fn with_peers(ours: &[Tool]) -> Vec<Tool> {
    [ours, PEERS].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_has_cells_and_every_cell_its_floor() {
        for part in Part::value_variants() {
            let cells = cells(&[*part], 5);
            assert!(!cells.is_empty(), "{part:?}");
            for cell in cells {
                assert!(cell.tools.iter().any(|tool| tool.name == cell.floor));
                assert!(cell
                    .tools
                    .iter()
                    .any(|tool| tool.choice() == generator::NAME));
            }
        }
    }

    #[test]
    fn a_rate_asked_for_by_several_parts_is_one_cell() {
        let names: Vec<_> = cells(&[Part::Economy, Part::Default, Part::Precise], 5)
            .into_iter()
            .map(|cell| cell.name)
            .collect();
        assert_eq!(names, ["rate 2000", "rate 10000", "rate 20000"]);
    }
}
