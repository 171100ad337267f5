//! What the harness asks of a benchmark.

use crate::counter::Counter;
use crate::failure::UserError;
use crate::measurements::Measurements;
use crate::options::Options;

/// A benchmark as the harness sees it; the value itself is the state that `load` makes.
pub trait Benchmark: Sized {
    const NAME: &'static str;
    const TIER: &'static str = "standard";
    const WORKLOADS: &'static [&'static str];
    /// Names of the parameters, with their defaults.
    const PARAMETERS: &'static [(&'static str, &'static str)] = &[];
    /// Names of the counters, in the order of the indices given to [`Counter::tick`].
    const COUNTERS: &'static [&'static str];
    /// How many `--input` it takes.
    const INPUTS: usize = 0;
    const MAX_THREADS: u64 = 1;

    type Work;
    type Answer;

    /// Reads the input and builds what every iteration starts from; never timed.
    fn load(options: &Options) -> Result<Self, UserError>;
    /// A fresh copy of what one iteration will change; never timed.
    fn prepare(&self) -> Self::Work;
    /// The task, timed. What it drops is dropped inside the clocks: hand it out in the answer.
    fn run<C: Counter>(&self, work: Self::Work, counter: &mut C)
        -> Result<Self::Answer, UserError>;
    /// FNV-1a of the answer; never timed.
    fn digest(&self, answer: &Self::Answer) -> u64;
    /// The benchmark's own figures of one iteration; never timed.
    fn measurements(&self, _answer: &Self::Answer) -> Measurements {
        Measurements::default()
    }
}
