//! Tasks of tokio's that wake each other; see `concurrency/wake-up/contract.md`.

use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use runfair_harness::{fnv1a, Benchmark, Counter, Failure, Options, Recorder, FNV1A};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{channel, Sender};
use tokio::sync::Notify;

const WAKES: usize = 0;

/// What belongs to the task that was woken last.
struct Held<const COUNT: bool> {
    x: u32,
    since: Instant,
    counter: Counter<COUNT>,
}

struct Ring<const COUNT: bool> {
    bells: Vec<Notify>,
    held: Mutex<Held<COUNT>>,
}

impl<const COUNT: bool> Ring<COUNT> {
    fn held(&self) -> MutexGuard<'_, Held<COUNT>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wake(&self, task: usize) {
        self.held().since = Instant::now();
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
    async fn task<const COUNT: bool>(self, i: usize, begun: Sender<()>, ring: Arc<Ring<COUNT>>) {
        drop(begun);
        for round in 0..self.rounds {
            ring.bells[i].notified().await;
            self.woken(i, &ring);
            if i + 1 < self.tasks || round + 1 < self.rounds {
                ring.wake((i + 1) % self.tasks);
            }
        }
    }

    fn woken<const COUNT: bool>(self, i: usize, ring: &Ring<COUNT>) {
        let now = Instant::now();
        let mut held = ring.held();
        self.latency.record((now - held.since).as_nanos() as i64);
        held.counter.tick(WAKES);
        held.x = held.x.wrapping_mul(1_664_525).wrapping_add(i as u32);
    }

    async fn all<const COUNT: bool>(self) -> Result<(u32, Counter<COUNT>), Failure> {
        let held = Held { x: self.seed, since: Instant::now(), counter: Counter::default() };
        let bells = (0..self.tasks).map(|_| Notify::new()).collect();
        let ring = Arc::new(Ring { bells, held: Mutex::new(held) });
        let (begun, mut all_begun) = channel(1);
        let start = |i| tokio::spawn(self.task::<COUNT>(i, begun.clone(), Arc::clone(&ring)));
        let running: Vec<_> = (0..self.tasks).map(start).collect();
        drop(begun);
        all_begun.recv().await; // nothing is sent: it ends when the last sender has been dropped
        ring.wake(0);
        for task in running {
            task.await?;
        }
        let (mut counter, held) = (Counter::default(), ring.held());
        counter.add_all(&held.counter);
        Ok((held.x, counter))
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
