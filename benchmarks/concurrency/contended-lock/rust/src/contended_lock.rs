//! Threads that want the same lock; see `concurrency/contended-lock/contract.md`.

use std::panic::resume_unwind;
use std::process::ExitCode;
use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Builder};
use std::time::Instant;

use runfair_harness::{fnv1a, Benchmark, Counter, Failure, Options, Recorder, SplitMix64, FNV1A};

const LOCKS: usize = 0;

/// What the lock protects.
struct Shared<const COUNT: bool> {
    random: SplitMix64,
    sum: u64,
    counter: Counter<COUNT>,
}

#[derive(Clone, Copy)]
struct ContendedLock {
    seed: u64,
    tasks: u64,
    rounds: u64,
    held: bool,
    wait: Recorder,
    locks: Recorder,
}

impl ContendedLock {
    fn task<const COUNT: bool>(&self, mut own: SplitMix64, shared: &Mutex<Shared<COUNT>>) {
        for _ in 0..self.rounds {
            let asked = Instant::now();
            let mut shared = locked(shared);
            let waited = asked.elapsed();
            let added = shared.random.next().wrapping_add(own.next());
            shared.sum = shared.sum.wrapping_add(added);
            shared.counter.tick(LOCKS);
            if self.held {
                thread::yield_now();
            }
            drop(shared);
            self.wait.record(waited.as_nanos() as i64);
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Benchmark for ContendedLock {
    const NAME: &'static str = "contended-lock";
    const COUNTERS: &'static [&'static str] = &["locks"];
    const MOST_THREADS: u64 = 10_000;

    type Work = ();
    type Answer = u64;

    fn load(options: &Options) -> Result<Self, Failure> {
        Ok(Self {
            seed: options.number("seed")?,
            tasks: options.number("tasks")?,
            rounds: options.number("rounds")?,
            held: options.text("workload")? == "held",
            wait: options.recorder("wait")?,
            locks: options.recorder("locks")?,
        })
    }

    fn prepare(&self) {}

    fn run<const COUNT: bool>(&self, (): (), counter: &mut Counter<COUNT>) -> Result<u64, Failure> {
        let random = SplitMix64(self.seed);
        let shared = Shared::<COUNT> { random, sum: 0, counter: Counter::default() };
        let shared = Arc::new(Mutex::new(shared));
        // Each task drops `begun`, and asks for the lock when this thread too is at the gate.
        let (begun, all_begun) = channel::<()>();
        let gate = Arc::new(Barrier::new(self.tasks as usize + 1));
        // Threads of a scope would wait for ever if another could not be started.
        let mut running = Vec::new();
        for i in 0..self.tasks {
            let own = SplitMix64(self.seed.wrapping_add(1 + i));
            let (program, shared) = (*self, Arc::clone(&shared));
            let (begun, gate) = (begun.clone(), Arc::clone(&gate));
            running.push(Builder::new().spawn(move || {
                drop(begun);
                gate.wait();
                program.task(own, &shared);
            })?);
        }
        drop(begun);
        let _ = all_begun.recv(); // nothing is sent: it ends when the last sender has been dropped
        let started = Instant::now();
        gate.wait();
        for task in running {
            task.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
        let locks = u128::from(self.tasks) * u128::from(self.rounds);
        self.locks.record((started.elapsed().as_nanos() * 1_000 / locks) as i64);
        let shared = locked(&shared);
        counter.add_all(&shared.counter);
        Ok(shared.sum)
    }

    fn digest(&self, sum: &u64) -> u64 {
        fnv1a(FNV1A, format!("{sum:016x}\n").as_bytes())
    }
}

fn main() -> ExitCode {
    runfair_harness::main::<ContendedLock>()
}
