//! Independent tasks, a thread each; see `concurrency/parallel-efficiency/contract.md`.

use std::io;
use std::panic::resume_unwind;
use std::process::ExitCode;
use std::thread::{self, Builder, ScopedJoinHandle};

use runfair_harness::{fnv1a, Benchmark, Counter, Failure, Options, SplitMix64, FNV1A};

const ROUNDS: usize = 0;
const TASKS: usize = 1;

/// The exclusive or of the first `rounds` numbers.
fn compute<const COUNT: bool>(
    mut random: SplitMix64,
    rounds: u64,
    counter: &mut Counter<COUNT>,
) -> u64 {
    counter.tick(TASKS);
    let mut x = 0;
    for _ in 0..rounds {
        counter.tick(ROUNDS);
        x ^= random.next();
    }
    x
}

struct ParallelEfficiency {
    seed: u64,
    tasks: u64,
    rounds: u64,
}

impl ParallelEfficiency {
    /// What task `i` computes, and its counter.
    fn task<const COUNT: bool>(&self, i: u64) -> (u64, Counter<COUNT>) {
        let mut counter = Counter::default();
        (compute(SplitMix64(self.seed.wrapping_add(i)), self.rounds, &mut counter), counter)
    }
}

fn joined<T>(thread: ScopedJoinHandle<T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}

impl Benchmark for ParallelEfficiency {
    const NAME: &'static str = "parallel-efficiency";
    const COUNTERS: &'static [&'static str] = &["rounds", "tasks"];
    const MOST_THREADS: u64 = 16_000;

    type Work = ();
    type Answer = Vec<u64>;

    fn load(options: &Options) -> Result<Self, Failure> {
        Ok(Self {
            seed: options.number("seed")?,
            tasks: options.number("tasks")?,
            rounds: options.number("rounds")?,
        })
    }

    fn prepare(&self) {}

    fn run<const COUNT: bool>(
        &self,
        (): (),
        counter: &mut Counter<COUNT>,
    ) -> Result<Vec<u64>, Failure> {
        thread::scope(|scope| {
            let running: io::Result<Vec<_>> = (0..self.tasks)
                .map(|i| Builder::new().spawn_scoped(scope, move || self.task::<COUNT>(i)))
                .collect();
            let computed = running?.into_iter().map(joined).collect::<Vec<_>>();
            for (_, counted) in &computed {
                counter.add_all(counted);
            }
            Ok(computed.into_iter().map(|(x, _)| x).collect())
        })
    }

    fn digest(&self, computed: &Vec<u64>) -> u64 {
        computed.iter().fold(FNV1A, |hash, x| fnv1a(hash, format!("{x:016x}\n").as_bytes()))
    }
}

fn main() -> ExitCode {
    runfair_harness::main::<ParallelEfficiency>()
}
