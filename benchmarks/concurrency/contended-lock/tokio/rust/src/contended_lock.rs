//! Tasks of tokio's that want the same lock; see `concurrency/contended-lock/contract.md`.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use runfair_harness::{fnv1a, Benchmark, Counter, Failure, Options, Recorder, SplitMix64, FNV1A};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{channel, Sender};
use tokio::sync::{Barrier, Mutex};
use tokio::task::yield_now;

const LOCKS: usize = 0;

/// What the lock protects.
struct Shared<const COUNT: bool> {
    random: SplitMix64,
    sum: u64,
    counter: Counter<COUNT>,
}

/// What the tasks have to do.
#[derive(Clone, Copy)]
struct Acquisitions {
    seed: u64,
    tasks: u64,
    rounds: u64,
    held: bool,
    wait: Recorder,
    locks: Recorder,
}

impl Acquisitions {
    /// Says that it has begun by dropping `begun`, and takes the lock when the gate is open.
    async fn task<const COUNT: bool>(
        self,
        mut own: SplitMix64,
        begun: Sender<()>,
        gate: Arc<Barrier>,
        shared: Arc<Mutex<Shared<COUNT>>>,
    ) {
        drop(begun);
        gate.wait().await;
        for _ in 0..self.rounds {
            let asked = Instant::now();
            let mut shared = shared.lock().await;
            let waited = asked.elapsed();
            let added = shared.random.next().wrapping_add(own.next());
            shared.sum = shared.sum.wrapping_add(added);
            shared.counter.tick(LOCKS);
            if self.held {
                yield_now().await;
            }
            drop(shared);
            self.wait.record(waited.as_nanos() as i64);
        }
    }

    async fn all<const COUNT: bool>(self) -> Result<(u64, Counter<COUNT>), Failure> {
        let random = SplitMix64(self.seed);
        let shared = Shared::<COUNT> { random, sum: 0, counter: Counter::default() };
        let shared = Arc::new(Mutex::new(shared));
        let (begun, mut all_begun) = channel(1);
        let gate = Arc::new(Barrier::new(self.tasks as usize + 1));
        let start = |i| {
            let own = SplitMix64(self.seed.wrapping_add(1 + i));
            tokio::spawn(self.task(own, begun.clone(), Arc::clone(&gate), Arc::clone(&shared)))
        };
        let running: Vec<_> = (0..self.tasks).map(start).collect();
        drop(begun);
        all_begun.recv().await; // nothing is sent: it ends when the last sender has been dropped
        let started = Instant::now();
        gate.wait().await;
        for task in running {
            task.await?;
        }
        let locks = u128::from(self.tasks) * u128::from(self.rounds);
        self.locks.record((started.elapsed().as_nanos() * 1_000 / locks) as i64);
        let (mut counter, shared) = (Counter::default(), shared.lock().await);
        counter.add_all(&shared.counter);
        Ok((shared.sum, counter))
    }
}

struct ContendedLock {
    acquisitions: Acquisitions,
    runtime: Runtime,
}

impl Benchmark for ContendedLock {
    const NAME: &'static str = "contended-lock";
    const TIER: &'static str = "tokio";
    const COUNTERS: &'static [&'static str] = &["locks"];
    const MOST_THREADS: u64 = 10_000;

    type Work = ();
    type Answer = u64;

    fn load(options: &Options) -> Result<Self, Failure> {
        let acquisitions = Acquisitions {
            seed: options.number("seed")?,
            tasks: options.number("tasks")?,
            rounds: options.number("rounds")?,
            held: options.text("workload")? == "held",
            wait: options.recorder("wait")?,
            locks: options.recorder("locks")?,
        };
        let threads = options.number("threads")?.min(Self::MOST_THREADS) as usize;
        let runtime = Builder::new_multi_thread().worker_threads(threads).build()?;
        Ok(Self { acquisitions, runtime })
    }

    fn prepare(&self) {}

    fn run<const COUNT: bool>(&self, (): (), counter: &mut Counter<COUNT>) -> Result<u64, Failure> {
        let all = self.runtime.spawn(self.acquisitions.all::<COUNT>());
        let (sum, counted) = self.runtime.block_on(all)??;
        counter.add_all(&counted);
        Ok(sum)
    }

    fn digest(&self, sum: &u64) -> u64 {
        fnv1a(FNV1A, format!("{sum:016x}\n").as_bytes())
    }
}

fn main() -> ExitCode {
    runfair_harness::main::<ContendedLock>()
}
