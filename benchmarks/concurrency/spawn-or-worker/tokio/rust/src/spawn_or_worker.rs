//! A task of tokio's for each piece of work, or workers; see `concurrency/spawn-or-worker`.

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::Arc;
use std::time::Instant;

use runfair_harness::{fnv1a, Benchmark, Counter, Failure, Options, Recorder, SplitMix64, FNV1A};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{channel, Receiver};
use tokio::sync::Mutex;

const ROUNDS: usize = 0;
const TASKS: usize = 1;

/// The seed and the first `rounds` numbers of the generator, by exclusive or.
fn compute<const COUNT: bool>(
    mut random: SplitMix64,
    rounds: u64,
    counter: &mut Counter<COUNT>,
) -> u64 {
    counter.tick(TASKS);
    let mut x = random.0;
    for _ in 0..rounds {
        counter.tick(ROUNDS);
        x ^= random.next();
    }
    x
}

/// What the tasks have to do.
#[derive(Clone, Copy)]
struct Pieces {
    seed: u64,
    tasks: u64,
    rounds: u64,
    /// Tasks that are started, or pieces that the channel holds.
    at_once: u64,
    workers: u64,
    spawning: bool,
}

type Done<const COUNT: bool> = Result<Counter<COUNT>, Failure>;

impl Pieces {
    fn piece<const COUNT: bool>(self, i: u64, counter: &mut Counter<COUNT>) -> u64 {
        compute(SplitMix64(self.seed.wrapping_add(i)), self.rounds, counter)
    }

    /// The first task.
    async fn timed<const COUNT: bool>(
        self,
        pieces: Arc<[AtomicU64]>,
        recorder: Recorder,
    ) -> Done<COUNT> {
        let started = Instant::now();
        let counter =
            if self.spawning { self.spawn(&pieces).await } else { self.work(&pieces).await }?;
        let thousand_ns = started.elapsed().as_nanos() * 1_000 / u128::from(self.tasks);
        recorder.record(thousand_ns as i64);
        Ok(counter)
    }

    async fn spawn<const COUNT: bool>(self, pieces: &[AtomicU64]) -> Done<COUNT> {
        let mut counter = Counter::default();
        for first in (0..self.tasks).step_by(self.at_once as usize) {
            let mut running = Vec::with_capacity(self.at_once as usize);
            for i in first..self.tasks.min(first + self.at_once) {
                running.push(tokio::spawn(async move {
                    let mut counter = Counter::<COUNT>::default();
                    (self.piece(i, &mut counter), counter)
                }));
            }
            for (i, task) in (first as usize..).zip(running) {
                let (x, counted) = task.await?;
                counter.add_all(&counted);
                pieces[i].store(x, Relaxed);
            }
        }
        Ok(counter)
    }

    async fn work<const COUNT: bool>(self, pieces: &Arc<[AtomicU64]>) -> Done<COUNT> {
        let (sender, receiver) = channel(self.at_once as usize);
        let receiver = Arc::new(Mutex::new(receiver));
        let start =
            |_| tokio::spawn(self.worker::<COUNT>(Arc::clone(&receiver), Arc::clone(pieces)));
        let running: Vec<_> = (0..self.workers).map(start).collect();
        for i in 0..self.tasks {
            sender.send(Some(i)).await?;
        }
        for _ in 0..self.workers {
            sender.send(None).await?;
        }
        let mut counter = Counter::default();
        for worker in running {
            counter.add_all(&worker.await?);
        }
        Ok(counter)
    }

    /// Does the pieces that it receives.
    async fn worker<const COUNT: bool>(
        self,
        receiver: Arc<Mutex<Receiver<Option<u64>>>>,
        pieces: Arc<[AtomicU64]>,
    ) -> Counter<COUNT> {
        let mut counter = Counter::default();
        loop {
            let received = receiver.lock().await.recv().await;
            // The sender goes without telling the end only if it fails itself.
            let Some(Some(i)) = received else {
                return counter;
            };
            pieces[i as usize].store(self.piece(i, &mut counter), Relaxed);
        }
    }
}

struct SpawnOrWorker {
    pieces: Pieces,
    recorder: Recorder,
    runtime: Runtime,
}

impl Benchmark for SpawnOrWorker {
    const NAME: &'static str = "spawn-or-worker";
    const TIER: &'static str = "tokio";
    const COUNTERS: &'static [&'static str] = &["rounds", "tasks"];
    const MOST_THREADS: u64 = 16_000;

    type Work = Arc<[AtomicU64]>;
    type Answer = Arc<[AtomicU64]>;

    fn load(options: &Options) -> Result<Self, Failure> {
        let threads = options.number("threads")?.min(Self::MOST_THREADS);
        let pieces = Pieces {
            seed: options.number("seed")?,
            tasks: options.number("tasks")?,
            rounds: options.number("rounds")?,
            at_once: options.number("at_once")?,
            workers: threads,
            spawning: options.text("workload")? == "spawn",
        };
        let runtime = Builder::new_multi_thread().worker_threads(threads as usize).build()?;
        Ok(Self { pieces, recorder: options.recorder("tasks")?, runtime })
    }

    fn prepare(&self) -> Arc<[AtomicU64]> {
        (0..self.pieces.tasks).map(|_| AtomicU64::new(0)).collect()
    }

    fn run<const COUNT: bool>(
        &self,
        pieces: Arc<[AtomicU64]>,
        counter: &mut Counter<COUNT>,
    ) -> Result<Arc<[AtomicU64]>, Failure> {
        let timed = self.pieces.timed(Arc::clone(&pieces), self.recorder);
        let counted = self.runtime.block_on(self.runtime.spawn(timed))??;
        counter.add_all(&counted);
        Ok(pieces)
    }

    fn digest(&self, pieces: &Arc<[AtomicU64]>) -> u64 {
        pieces
            .iter()
            .fold(FNV1A, |hash, x| fnv1a(hash, format!("{:016x}\n", x.load(Relaxed)).as_bytes()))
    }
}

fn main() -> ExitCode {
    runfair_harness::main::<SpawnOrWorker>()
}
