//! A tree of tokio's tasks that is cancelled; see `concurrency/cancellation/contract.md`.

use std::future::Future;
use std::pin::Pin;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use runfair_harness::{fnv1a, Benchmark, Counter, Failure, Options, Recorder, SplitMix64, FNV1A};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

const TASKS: usize = 0;

/// What the tasks add to, one after the other.
#[derive(Default)]
struct Sum<const COUNT: bool> {
    x: u64,
    counter: Counter<COUNT>,
}

struct Shared<const COUNT: bool> {
    begun: Semaphore,
    cancelled: OnceLock<Instant>,
    sum: Mutex<Sum<COUNT>>,
}

impl<const COUNT: bool> Shared<COUNT> {
    fn sum(&self) -> MutexGuard<'_, Sum<COUNT>> {
        self.sum.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Clone, Copy)]
struct Tree {
    seed: u64,
    degree: u64,
    depth: u64,
    tasks: u32,
    latency: Recorder,
}

impl Tree {
    /// A task's future holds its children's, so it has no size of its own.
    fn task<const COUNT: bool>(
        self,
        i: u64,
        levels: u64,
        token: CancellationToken,
        shared: Arc<Shared<COUNT>>,
    ) -> Pin<Box<dyn Future<Output = Result<(), Failure>> + Send>> {
        Box::pin(async move {
            let first = i * self.degree + 1;
            let degree = if levels > 0 { self.degree } else { 0 };
            let mut children = Vec::new();
            for child in first..first + degree {
                let own = token.child_token();
                let task = self.task(child, levels - 1, own, Arc::clone(&shared));
                children.push(tokio::spawn(task));
            }
            shared.begun.add_permits(1);
            token.cancelled().await;
            self.end(i, &shared)?;
            for child in children {
                child.await??;
            }
            Ok(())
        })
    }

    fn end<const COUNT: bool>(self, i: u64, shared: &Shared<COUNT>) -> Result<(), Failure> {
        let cancelled = shared.cancelled.get().ok_or("a task ended before it was cancelled")?;
        self.latency.record(cancelled.elapsed().as_nanos() as i64);
        let mut sum = shared.sum();
        sum.x = sum.x.wrapping_add(SplitMix64(self.seed.wrapping_add(i)).next());
        sum.counter.tick(TASKS);
        Ok(())
    }

    async fn cancel<const COUNT: bool>(self) -> Result<(u64, Counter<COUNT>), Failure> {
        let shared = Arc::new(Shared::<COUNT> {
            begun: Semaphore::new(0),
            cancelled: OnceLock::new(),
            sum: Mutex::default(),
        });
        let token = CancellationToken::new();
        let root = tokio::spawn(self.task(0, self.depth, token.clone(), Arc::clone(&shared)));
        shared.begun.acquire_many(self.tasks).await?.forget();
        shared.cancelled.get_or_init(Instant::now);
        token.cancel();
        root.await??;
        let (mut counter, sum) = (Counter::default(), shared.sum());
        counter.add_all(&sum.counter);
        Ok((sum.x, counter))
    }
}

struct Cancellation {
    tree: Tree,
    runtime: Runtime,
}

impl Benchmark for Cancellation {
    const NAME: &'static str = "cancellation";
    const TIER: &'static str = "tokio";
    const COUNTERS: &'static [&'static str] = &["tasks"];
    const MOST_THREADS: u64 = 1_000_000;

    type Work = ();
    type Answer = u64;

    fn load(options: &Options) -> Result<Self, Failure> {
        let (degree, depth) = (options.number("degree")?, options.number("depth")?);
        let tree = Tree {
            seed: options.number("seed")?,
            degree,
            depth,
            tasks: (0..depth).fold(1_u64, |tasks, _| tasks.saturating_mul(degree).saturating_add(1))
                as u32,
            latency: options.recorder("latency")?,
        };
        let threads = options.number("threads")?.min(Self::MOST_THREADS) as usize;
        let runtime = Builder::new_multi_thread().worker_threads(threads).build()?;
        Ok(Self { tree, runtime })
    }

    fn prepare(&self) {}

    fn run<const COUNT: bool>(&self, (): (), counter: &mut Counter<COUNT>) -> Result<u64, Failure> {
        let task = self.runtime.spawn(self.tree.cancel::<COUNT>());
        let (sum, counted) = self.runtime.block_on(task)??;
        counter.add_all(&counted);
        Ok(sum)
    }

    fn digest(&self, sum: &u64) -> u64 {
        fnv1a(FNV1A, format!("{sum:016x}\n").as_bytes())
    }
}

fn main() -> ExitCode {
    runfair_harness::main::<Cancellation>()
}
