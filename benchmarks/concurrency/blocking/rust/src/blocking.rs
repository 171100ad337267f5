//! Threads that sleep; see `concurrency/blocking/contract.md`.

use std::panic::resume_unwind;
use std::process::ExitCode;
use std::thread::{self, Builder, ScopedJoinHandle};
use std::time::{Duration, Instant};

use runfair_harness::{fnv1a, Benchmark, Counter, Failure, Options, Recorder, SplitMix64, FNV1A};

const CALLS: usize = 0;

struct Blocking {
    seed: u64,
    tasks: u64,
    pause: Duration,
    lateness: Recorder,
}

impl Blocking {
    /// Blocks, and gives task `i`'s number and its counter.
    fn task<const COUNT: bool>(&self, i: u64, started: Instant) -> (u64, Counter<COUNT>) {
        let mut counter = Counter::default();
        thread::sleep(self.pause);
        let lateness = started.elapsed().saturating_sub(self.pause);
        self.lateness.record(lateness.as_nanos() as i64);
        counter.tick(CALLS);
        (SplitMix64(self.seed.wrapping_add(i)).next(), counter)
    }
}

fn joined<T>(thread: ScopedJoinHandle<T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}

impl Benchmark for Blocking {
    const NAME: &'static str = "blocking";
    const COUNTERS: &'static [&'static str] = &["calls"];
    const MOST_THREADS: u64 = 10_000;

    type Work = ();
    type Answer = u64;

    fn load(options: &Options) -> Result<Self, Failure> {
        Ok(Self {
            seed: options.number("seed")?,
            tasks: options.number("tasks")?,
            pause: Duration::from_millis(options.number("pause_ms")?),
            lateness: options.recorder("lateness")?,
        })
    }

    fn prepare(&self) {}

    fn run<const COUNT: bool>(&self, (): (), counter: &mut Counter<COUNT>) -> Result<u64, Failure> {
        let started = Instant::now();
        thread::scope(|scope| {
            let mut running = Vec::new();
            for i in 0..self.tasks {
                let task = move || self.task::<COUNT>(i, started);
                running.push(Builder::new().spawn_scoped(scope, task)?);
            }
            let mut sum = 0_u64;
            for (x, counted) in running.into_iter().map(joined) {
                counter.add_all(&counted);
                sum = sum.wrapping_add(x);
            }
            Ok(sum)
        })
    }

    fn digest(&self, sum: &u64) -> u64 {
        fnv1a(FNV1A, format!("{sum:016x}\n").as_bytes())
    }
}

fn main() -> ExitCode {
    runfair_harness::main::<Blocking>()
}
