//! What the command line and the line `start` need to know of a program.

use crate::benchmark::Benchmark;

/// What the contract of a benchmark fixes.
pub struct Description {
    pub name: &'static str,
    pub tier: &'static str,
    pub workloads: &'static [&'static str],
    /// Names of the parameters, with their defaults.
    pub parameters: &'static [(&'static str, &'static str)],
    /// How many `--input` it takes.
    pub inputs: usize,
    pub max_threads: u64,
}

impl Description {
    pub(crate) fn of<B: Benchmark>() -> Self {
        Self {
            name: B::NAME,
            tier: B::TIER,
            workloads: B::WORKLOADS,
            parameters: B::PARAMETERS,
            inputs: B::INPUTS,
            max_threads: B::MAX_THREADS,
        }
    }
}
