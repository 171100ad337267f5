//! A thread for each piece of work, or workers; see `concurrency/spawn-or-worker/contract.md`.

use std::panic::resume_unwind;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{sync_channel, Receiver};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Builder, ScopedJoinHandle};
use std::time::Instant;

use runfair_harness::{fnv1a, Benchmark, Counter, Failure, Options, Recorder, SplitMix64, FNV1A};

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

struct SpawnOrWorker {
    seed: u64,
    tasks: usize,
    rounds: u64,
    /// Threads that are started, or pieces that the channel holds.
    at_once: usize,
    workers: u64,
    spawning: bool,
    recorder: Recorder,
}

impl SpawnOrWorker {
    fn perform<const COUNT: bool>(
        &self,
        i: usize,
        pieces: &[AtomicU64],
        counter: &mut Counter<COUNT>,
    ) {
        let random = SplitMix64(self.seed.wrapping_add(i as u64));
        pieces[i].store(compute(random, self.rounds, counter), Relaxed);
    }

    fn spawn<const COUNT: bool>(
        &self,
        pieces: &[AtomicU64],
        counter: &mut Counter<COUNT>,
    ) -> Result<(), Failure> {
        for first in (0..self.tasks).step_by(self.at_once) {
            thread::scope(|scope| -> Result<(), Failure> {
                let mut running = Vec::with_capacity(self.at_once);
                for i in first..self.tasks.min(first + self.at_once) {
                    let task = move || {
                        let mut counter = Counter::<COUNT>::default();
                        self.perform(i, pieces, &mut counter);
                        counter
                    };
                    running.push(Builder::new().spawn_scoped(scope, task)?);
                }
                for counted in running.into_iter().map(joined) {
                    counter.add_all(&counted);
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    fn work<const COUNT: bool>(
        &self,
        pieces: &[AtomicU64],
        counter: &mut Counter<COUNT>,
    ) -> Result<(), Failure> {
        let (sender, receiver) = sync_channel(self.at_once);
        let receiver = Mutex::new(receiver);
        thread::scope(|scope| -> Result<(), Failure> {
            let sender = sender; // also dropped if a worker cannot be started, or the others would wait
            let mut running = Vec::new();
            for _ in 0..self.workers {
                let worker = || self.worker::<COUNT>(&receiver, pieces);
                running.push(Builder::new().spawn_scoped(scope, worker)?);
            }
            for i in 0..self.tasks {
                sender.send(Some(i))?;
            }
            for _ in 0..self.workers {
                sender.send(None)?;
            }
            for counted in running.into_iter().map(joined) {
                counter.add_all(&counted);
            }
            Ok(())
        })
    }

    /// Does the pieces that it receives.
    fn worker<const COUNT: bool>(
        &self,
        receiver: &Mutex<Receiver<Option<usize>>>,
        pieces: &[AtomicU64],
    ) -> Counter<COUNT> {
        let mut counter = Counter::default();
        loop {
            let received = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
            // The sender goes without telling the end only if it fails itself.
            let Ok(Some(i)) = received else {
                return counter;
            };
            self.perform(i, pieces, &mut counter);
        }
    }
}

fn joined<T>(thread: ScopedJoinHandle<T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}

impl Benchmark for SpawnOrWorker {
    const NAME: &'static str = "spawn-or-worker";
    const COUNTERS: &'static [&'static str] = &["rounds", "tasks"];
    const MOST_THREADS: u64 = 16_000;

    type Work = Vec<AtomicU64>;
    type Answer = Vec<AtomicU64>;

    fn load(options: &Options) -> Result<Self, Failure> {
        Ok(Self {
            seed: options.number("seed")?,
            tasks: options.number("tasks")? as usize,
            rounds: options.number("rounds")?,
            at_once: options.number("at_once")? as usize,
            workers: options.number("threads")?.min(Self::MOST_THREADS),
            spawning: options.text("workload")? == "spawn",
            recorder: options.recorder("tasks")?,
        })
    }

    fn prepare(&self) -> Vec<AtomicU64> {
        (0..self.tasks).map(|_| AtomicU64::new(0)).collect()
    }

    fn run<const COUNT: bool>(
        &self,
        pieces: Vec<AtomicU64>,
        counter: &mut Counter<COUNT>,
    ) -> Result<Vec<AtomicU64>, Failure> {
        let started = Instant::now();
        if self.spawning {
            self.spawn(&pieces, counter)?;
        } else {
            self.work(&pieces, counter)?;
        }
        self.recorder.record((started.elapsed().as_nanos() * 1_000 / self.tasks as u128) as i64);
        Ok(pieces)
    }

    fn digest(&self, pieces: &Vec<AtomicU64>) -> u64 {
        pieces
            .iter()
            .fold(FNV1A, |hash, x| fnv1a(hash, format!("{:016x}\n", x.load(Relaxed)).as_bytes()))
    }
}

fn main() -> ExitCode {
    runfair_harness::main::<SpawnOrWorker>()
}
