//! Tasks of tokio's that make calls which block; see `concurrency/blocking/contract.md`.

use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use runfair_harness::{fnv1a, Benchmark, Counter, Failure, Options, Recorder, SplitMix64, FNV1A};
use tokio::runtime::{Builder, Runtime};
use tokio::task::spawn_blocking;

const CALLS: usize = 0;

/// What the tasks have to do.
#[derive(Clone, Copy)]
struct Calls {
    seed: u64,
    tasks: u64,
    pause: Duration,
    lateness: Recorder,
}

impl Calls {
    /// Has a thread of the runtime block, and gives task `i`'s number and its counter.
    async fn task<const COUNT: bool>(
        self,
        i: u64,
        started: Instant,
    ) -> Result<(u64, Counter<COUNT>), Failure> {
        let mut counter = Counter::default();
        spawn_blocking(move || thread::sleep(self.pause)).await?;
        let lateness = started.elapsed().saturating_sub(self.pause);
        self.lateness.record(lateness.as_nanos() as i64);
        counter.tick(CALLS);
        Ok((SplitMix64(self.seed.wrapping_add(i)).next(), counter))
    }

    async fn all<const COUNT: bool>(self) -> Result<(u64, Counter<COUNT>), Failure> {
        let started = Instant::now();
        let running: Vec<_> =
            (0..self.tasks).map(|i| tokio::spawn(self.task::<COUNT>(i, started))).collect();
        let (mut sum, mut counter) = (0_u64, Counter::default());
        for task in running {
            let (x, counted) = task.await??;
            sum = sum.wrapping_add(x);
            counter.add_all(&counted);
        }
        Ok((sum, counter))
    }
}

struct Blocking {
    calls: Calls,
    runtime: Runtime,
}

impl Benchmark for Blocking {
    const NAME: &'static str = "blocking";
    const TIER: &'static str = "tokio";
    const COUNTERS: &'static [&'static str] = &["calls"];
    const MOST_THREADS: u64 = 10_000;

    type Work = ();
    type Answer = u64;

    fn load(options: &Options) -> Result<Self, Failure> {
        let calls = Calls {
            seed: options.number("seed")?,
            tasks: options.number("tasks")?,
            pause: Duration::from_millis(options.number("pause_ms")?),
            lateness: options.recorder("lateness")?,
        };
        let threads = options.number("threads")?.min(Self::MOST_THREADS) as usize;
        Ok(Self { calls, runtime: Builder::new_multi_thread().worker_threads(threads).build()? })
    }

    fn prepare(&self) {}

    fn run<const COUNT: bool>(&self, (): (), counter: &mut Counter<COUNT>) -> Result<u64, Failure> {
        let all = self.runtime.spawn(self.calls.all::<COUNT>());
        let (sum, counted) = self.runtime.block_on(all)??;
        counter.add_all(&counted);
        Ok(sum)
    }

    fn digest(&self, sum: &u64) -> u64 {
        fnv1a(FNV1A, format!("{sum:016x}\n").as_bytes())
    }
}

fn main() -> ExitCode {
    runfair_harness::main::<Blocking>()
}
