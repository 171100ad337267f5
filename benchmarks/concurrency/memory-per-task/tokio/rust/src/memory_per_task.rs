//! The memory of tokio's tasks that wait; see `concurrency/memory-per-task/contract.md`.

use std::fs;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use runfair_harness::{fnv1a, Benchmark, Counter, Failure, Options, Recorder, SplitMix64, FNV1A};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Semaphore;

const TASKS: usize = 0;

/// What the tasks add to, one after the other.
#[derive(Default)]
struct Sum<const COUNT: bool> {
    x: u64,
    counter: Counter<COUNT>,
}

struct Waiting<const COUNT: bool> {
    begun: Semaphore,
    /// Closed when it is open.
    gate: Semaphore,
    sum: Mutex<Sum<COUNT>>,
}

impl<const COUNT: bool> Waiting<COUNT> {
    fn sum(&self) -> MutexGuard<'_, Sum<COUNT>> {
        self.sum.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn task(self: Arc<Self>, mut random: SplitMix64) {
        let x = random.next();
        self.begun.add_permits(1);
        let opened = self.gate.acquire().await.is_err();
        if opened {
            let mut sum = self.sum();
            sum.x = sum.x.wrapping_add(x);
            sum.counter.tick(TASKS);
        }
    }
}

/// The memory of the process that is in RAM.
fn resident_bytes() -> Result<i64, Failure> {
    let content = fs::read_to_string("/proc/self/smaps_rollup")?;
    let line = content.lines().find_map(|line| line.strip_prefix("Rss:"));
    let kibibytes: i64 = line.ok_or("no Rss")?.trim_end_matches("kB").trim().parse()?;
    Ok(kibibytes * 1_024)
}

/// What the tasks have to do.
#[derive(Clone, Copy)]
struct Tasks {
    seed: u64,
    tasks: u32,
    bytes: Recorder,
}

impl Tasks {
    async fn wait<const COUNT: bool>(self) -> Result<(u64, Counter<COUNT>), Failure> {
        let waiting = Arc::new(Waiting::<COUNT> {
            begun: Semaphore::new(0),
            gate: Semaphore::new(0),
            sum: Mutex::default(),
        });
        let before = resident_bytes()?;
        let mut running = Vec::new();
        for i in 0..u64::from(self.tasks) {
            let random = SplitMix64(self.seed.wrapping_add(i));
            running.push(tokio::spawn(Arc::clone(&waiting).task(random)));
        }
        waiting.begun.acquire_many(self.tasks).await?.forget();
        let after = resident_bytes()?;
        waiting.gate.close();
        for task in running {
            task.await?;
        }
        self.bytes.record((after - before) / i64::from(self.tasks));
        let (mut counter, sum) = (Counter::default(), waiting.sum());
        counter.add_all(&sum.counter);
        Ok((sum.x, counter))
    }
}

struct MemoryPerTask {
    tasks: Tasks,
    runtime: Runtime,
}

impl Benchmark for MemoryPerTask {
    const NAME: &'static str = "memory-per-task";
    const TIER: &'static str = "tokio";
    const COUNTERS: &'static [&'static str] = &["tasks"];
    const MOST_THREADS: u64 = 1_000_000;

    type Work = ();
    type Answer = u64;

    fn load(options: &Options) -> Result<Self, Failure> {
        let tasks = Tasks {
            seed: options.number("seed")?,
            tasks: options.number("tasks")? as u32,
            bytes: options.recorder("bytes")?,
        };
        let threads = options.number("threads")?.min(Self::MOST_THREADS) as usize;
        let runtime = Builder::new_multi_thread().worker_threads(threads).build()?;
        Ok(Self { tasks, runtime })
    }

    fn prepare(&self) {}

    fn run<const COUNT: bool>(&self, (): (), counter: &mut Counter<COUNT>) -> Result<u64, Failure> {
        let (sum, counted) = self.runtime.block_on(self.runtime.spawn(self.tasks.wait()))??;
        counter.add_all(&counted);
        Ok(sum)
    }

    fn digest(&self, sum: &u64) -> u64 {
        fnv1a(FNV1A, format!("{sum:016x}\n").as_bytes())
    }
}

fn main() -> ExitCode {
    runfair_harness::main::<MemoryPerTask>()
}
