//! A tree of threads; see `concurrency/fan-out/contract.md`.

use std::panic::resume_unwind;
use std::process::ExitCode;
use std::thread::{self, Builder};
use std::time::Instant;

use runfair_harness::{fnv1a, Benchmark, Counter, Failure, Options, Recorder, SplitMix64, FNV1A};

const TASKS: usize = 0;

struct FanOut {
    seed: u64,
    degree: u64,
    depth: u64,
    tasks: u64,
    recorder: Recorder,
}

impl FanOut {
    /// The sums of the tasks from `first` on, as many as `count`, and what was counted.
    fn grown<const COUNT: bool>(
        &self,
        first: u64,
        count: u64,
        levels: u64,
    ) -> Result<(u64, Counter<COUNT>), Failure> {
        thread::scope(|scope| {
            let mut running = Vec::new();
            for i in first..first + count {
                let task = move || self.task::<COUNT>(i, levels);
                running.push(Builder::new().spawn_scoped(scope, task)?);
            }
            let (mut sum, mut counter) = (0_u64, Counter::default());
            for task in running {
                let (its, counted) = task.join().unwrap_or_else(|panic| resume_unwind(panic))?;
                sum = sum.wrapping_add(its);
                counter.add_all(&counted);
            }
            Ok((sum, counter))
        })
    }

    fn task<const COUNT: bool>(
        &self,
        i: u64,
        levels: u64,
    ) -> Result<(u64, Counter<COUNT>), Failure> {
        let x = SplitMix64(self.seed.wrapping_add(i)).next();
        let (mut sum, mut counter) = (0, Counter::default());
        if levels > 0 {
            (sum, counter) = self.grown(i * self.degree + 1, self.degree, levels - 1)?;
        }
        counter.tick(TASKS);
        Ok((sum.wrapping_add(x), counter))
    }
}

impl Benchmark for FanOut {
    const NAME: &'static str = "fan-out";
    const COUNTERS: &'static [&'static str] = &["tasks"];
    const MOST_THREADS: u64 = 1_000_000;

    type Work = ();
    type Answer = u64;

    fn load(options: &Options) -> Result<Self, Failure> {
        let (degree, depth) = (options.number("degree")?, options.number("depth")?);
        Ok(Self {
            seed: options.number("seed")?,
            degree,
            depth,
            tasks: (0..depth)
                .fold(1_u64, |tasks, _| tasks.saturating_mul(degree).saturating_add(1)),
            recorder: options.recorder("tasks")?,
        })
    }

    fn prepare(&self) {}

    fn run<const COUNT: bool>(&self, (): (), counter: &mut Counter<COUNT>) -> Result<u64, Failure> {
        let started = Instant::now();
        let (sum, counted) = self.grown::<COUNT>(0, 1, self.depth)?;
        let thousand_ns = started.elapsed().as_nanos() * 1_000 / u128::from(self.tasks);
        self.recorder.record(thousand_ns as i64);
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
