//! The in-language half of the program contract, version 1 (`benchmarks/contract.md`).
//!
//! A program implements [`Benchmark`] and calls [`main`]; options, clocks, output, the shared
//! primitives and the loop over iterations are here.

mod benchmark;
mod clocks;
mod counter;
mod description;
mod effective;
mod execution;
mod failure;
mod input;
mod json;
mod lines;
mod measurements;
mod options;
mod primitives;
mod service;

pub use benchmark::Benchmark;
pub use clocks::monotonic_ns;
pub use counter::{Counted, Counter, Uncounted};
pub use description::Description;
pub use execution::{execute, main};
pub use failure::{Failure, UserError};
pub use input::read;
pub use lines::Lines;
pub use measurements::{Measurements, Metric, Sample, Series};
pub use options::Options;
pub use primitives::{Fnv1a, SplitMix64};
pub use service::{serve, Address, Ready};
