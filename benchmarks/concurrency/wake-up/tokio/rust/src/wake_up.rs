//! Tasks of tokio's that wake each other; see `concurrency/wake-up/contract.md`.

use std::process::ExitCode;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::Arc;
use std::time::Instant;

use runfair_harness::{fnv1a, Benchmark, Counter, Failure, Options, Recorder, FNV1A};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{channel, Sender};
use tokio::sync::Notify;

const WAKES: usize = 0;

/// The tasks' bells, and what belongs to the task that was woken last: a bell orders all accesses.
struct Ring {
    bells: Vec<Notify>,
    started: Instant,
    x: AtomicU32,
    since_ns: AtomicU64,
}

impl Ring {
    fn now_ns(&self) -> u64 {
        self.started.elapsed().as_nanos() as u64
    }

    fn wake(&self, task: usize) {
        self.since_ns.store(self.now_ns(), Relaxed);
        self.bells[task].notify_one();
    }
}

/// What the tasks have to do.
#[derive(Clone, Copy)]
struct Rounds {
    seed: u32,
    tasks: usize,
    rounds: u64,
    latency: Recorder,
}

impl Rounds {
    async fn task<const COUNT: bool>(
        self,
        i: usize,
        begun: Sender<()>,
        ring: Arc<Ring>,
    ) -> Counter<COUNT> {
        drop(begun);
        let mut counter = Counter::default();
        for round in 0..self.rounds {
            ring.bells[i].notified().await;
            self.latency.record((ring.now_ns() - ring.since_ns.load(Relaxed)) as i64);
            counter.tick(WAKES);
            let x = ring.x.load(Relaxed).wrapping_mul(1_664_525).wrapping_add(i as u32);
            ring.x.store(x, Relaxed);
            if i + 1 < self.tasks || round + 1 < self.rounds {
                ring.wake((i + 1) % self.tasks);
            }
        }
        counter
    }

    async fn all<const COUNT: bool>(self) -> Result<(u32, Counter<COUNT>), Failure> {
        let ring = Arc::new(Ring {
            bells: (0..self.tasks).map(|_| Notify::new()).collect(),
            started: Instant::now(),
            x: AtomicU32::new(self.seed),
            since_ns: AtomicU64::new(0),
        });
        let (begun, mut all_begun) = channel(1);
        let start = |i| tokio::spawn(self.task::<COUNT>(i, begun.clone(), Arc::clone(&ring)));
        let running: Vec<_> = (0..self.tasks).map(start).collect();
        drop(begun);
        all_begun.recv().await; // nothing is sent: it ends when the last sender has been dropped
        ring.wake(0);
        let mut counter = Counter::default();
        for task in running {
            counter.add_all(&task.await?);
        }
        Ok((ring.x.load(Relaxed), counter))
    }
}

struct WakeUp {
    rounds: Rounds,
    runtime: Runtime,
}

impl Benchmark for WakeUp {
    const NAME: &'static str = "wake-up";
    const TIER: &'static str = "tokio";
    const COUNTERS: &'static [&'static str] = &["wakes"];
    const MOST_THREADS: u64 = 10_000;

    type Work = ();
    type Answer = u32;

    fn load(options: &Options) -> Result<Self, Failure> {
        let rounds = Rounds {
            seed: options.number("seed")? as u32,
            tasks: options.number("tasks")? as usize,
            rounds: options.number("rounds")?,
            latency: options.recorder("latency")?,
        };
        let threads = options.number("threads")?.min(Self::MOST_THREADS) as usize;
        let runtime = Builder::new_multi_thread().worker_threads(threads).build()?;
        Ok(Self { rounds, runtime })
    }

    fn prepare(&self) {}

    fn run<const COUNT: bool>(&self, (): (), counter: &mut Counter<COUNT>) -> Result<u32, Failure> {
        let (x, counted) = self.runtime.block_on(self.runtime.spawn(self.rounds.all()))??;
        counter.add_all(&counted);
        Ok(x)
    }

    fn digest(&self, x: &u32) -> u64 {
        fnv1a(FNV1A, format!("{x:08x}\n").as_bytes())
    }
}

fn main() -> ExitCode {
    runfair_harness::main::<WakeUp>()
}
