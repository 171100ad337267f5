//! Independent tasks of tokio's; see `concurrency/parallel-efficiency/contract.md`.

use std::process::ExitCode;

use runfair_harness::{fnv1a, Benchmark, Counter, Failure, Options, SplitMix64, FNV1A};
use tokio::runtime::{Builder, Runtime};

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

/// What the tasks have to do.
#[derive(Clone, Copy)]
struct Burst {
    seed: u64,
    tasks: u64,
    rounds: u64,
}

impl Burst {
    /// What task `i` computes, and its counter.
    async fn task<const COUNT: bool>(self, i: u64) -> (u64, Counter<COUNT>) {
        let mut counter = Counter::default();
        (compute(SplitMix64(self.seed.wrapping_add(i)), self.rounds, &mut counter), counter)
    }

    async fn all<const COUNT: bool>(self) -> Result<(Vec<u64>, Counter<COUNT>), Failure> {
        let running: Vec<_> =
            (0..self.tasks).map(|i| tokio::spawn(self.task::<COUNT>(i))).collect();
        let (mut computed, mut counter) = (Vec::new(), Counter::default());
        for task in running {
            let (x, counted) = task.await?;
            computed.push(x);
            counter.add_all(&counted);
        }
        Ok((computed, counter))
    }
}

struct ParallelEfficiency {
    burst: Burst,
    runtime: Runtime,
}

impl Benchmark for ParallelEfficiency {
    const NAME: &'static str = "parallel-efficiency";
    const TIER: &'static str = "tokio";
    const COUNTERS: &'static [&'static str] = &["rounds", "tasks"];
    const MOST_THREADS: u64 = 16_000;

    type Work = ();
    type Answer = Vec<u64>;

    fn load(options: &Options) -> Result<Self, Failure> {
        let burst = Burst {
            seed: options.number("seed")?,
            tasks: options.number("tasks")?,
            rounds: options.number("rounds")?,
        };
        let threads = options.number("threads")?.min(Self::MOST_THREADS) as usize;
        Ok(Self { burst, runtime: Builder::new_multi_thread().worker_threads(threads).build()? })
    }

    fn prepare(&self) {}

    fn run<const COUNT: bool>(
        &self,
        (): (),
        counter: &mut Counter<COUNT>,
    ) -> Result<Vec<u64>, Failure> {
        let all = self.runtime.spawn(self.burst.all::<COUNT>());
        let (computed, counted) = self.runtime.block_on(all)??;
        counter.add_all(&counted);
        Ok(computed)
    }

    fn digest(&self, computed: &Vec<u64>) -> u64 {
        computed.iter().fold(FNV1A, |hash, x| fnv1a(hash, format!("{x:016x}\n").as_bytes()))
    }
}

fn main() -> ExitCode {
    runfair_harness::main::<ParallelEfficiency>()
}
