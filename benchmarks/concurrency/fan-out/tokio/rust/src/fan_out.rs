//! A tree of tokio's tasks; see `concurrency/fan-out/contract.md`.

use std::future::Future;
use std::pin::Pin;
use std::process::ExitCode;
use std::time::Instant;

use runfair_harness::{fnv1a, Benchmark, Counter, Failure, Options, Recorder, SplitMix64, FNV1A};
use tokio::runtime::{Builder, Runtime};

const TASKS: usize = 0;

/// A task's sum, and what was counted below it.
type Grown<const COUNT: bool> = Result<(u64, Counter<COUNT>), Failure>;

#[derive(Clone, Copy)]
struct Tree {
    seed: u64,
    degree: u64,
    depth: u64,
}

impl Tree {
    /// A task's future holds its children's, so it has no size of its own.
    fn task<const COUNT: bool>(
        self,
        i: u64,
        levels: u64,
    ) -> Pin<Box<dyn Future<Output = Grown<COUNT>> + Send>> {
        Box::pin(async move {
            let mut counter = Counter::default();
            counter.tick(TASKS);
            let mut sum = SplitMix64(self.seed.wrapping_add(i)).next();
            if levels > 0 {
                let first = i * self.degree + 1;
                let children: Vec<_> = (first..first + self.degree)
                    .map(|child| tokio::spawn(self.task::<COUNT>(child, levels - 1)))
                    .collect();
                for child in children {
                    let (its, counted) = child.await??;
                    sum = sum.wrapping_add(its);
                    counter.add_all(&counted);
                }
            }
            Ok((sum, counter))
        })
    }
}

struct FanOut {
    tree: Tree,
    tasks: u64,
    recorder: Recorder,
    runtime: Runtime,
}

impl Benchmark for FanOut {
    const NAME: &'static str = "fan-out";
    const TIER: &'static str = "tokio";
    const COUNTERS: &'static [&'static str] = &["tasks"];
    const MOST_THREADS: u64 = 1_000_000;

    type Work = ();
    type Answer = u64;

    fn load(options: &Options) -> Result<Self, Failure> {
        let (degree, depth) = (options.number("degree")?, options.number("depth")?);
        let threads = options.number("threads")?.min(Self::MOST_THREADS) as usize;
        Ok(Self {
            tree: Tree { seed: options.number("seed")?, degree, depth },
            tasks: (0..depth)
                .fold(1_u64, |tasks, _| tasks.saturating_mul(degree).saturating_add(1)),
            recorder: options.recorder("tasks")?,
            runtime: Builder::new_multi_thread().worker_threads(threads).build()?,
        })
    }

    fn prepare(&self) {}

    fn run<const COUNT: bool>(&self, (): (), counter: &mut Counter<COUNT>) -> Result<u64, Failure> {
        let (tree, tasks, recorder) = (self.tree, self.tasks, self.recorder);
        let timed = async move {
            let started = Instant::now();
            let grown = tokio::spawn(tree.task::<COUNT>(0, tree.depth)).await?;
            let thousand_ns = started.elapsed().as_nanos() * 1_000 / u128::from(tasks);
            recorder.record(thousand_ns as i64);
            grown
        };
        let (sum, counted) = self.runtime.block_on(self.runtime.spawn(timed))??;
        counter.add_all(&counted);
        Ok(sum)
    }

    fn digest(&self, sum: &u64) -> u64 {
        fnv1a(FNV1A, format!("{sum:016x}\n").as_bytes())
    }
}

fn main() -> ExitCode {
    runfair_harness::main::<FanOut>()
}
