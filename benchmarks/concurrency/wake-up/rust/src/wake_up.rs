//! Threads that wake each other; see `concurrency/wake-up/contract.md`.

use std::panic::resume_unwind;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::channel;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::Instant;

use runfair_harness::{fnv1a, Benchmark, Counter, Failure, Options, Recorder, FNV1A};

const WAKES: usize = 0;

/// What a task waits for, again and again.
#[derive(Default)]
struct Bell {
    rung: Mutex<bool>,
    ringing: Condvar,
}

impl Bell {
    fn ring(&self) {
        *locked(&self.rung) = true;
        self.ringing.notify_one();
    }

    fn wait(&self) {
        let rung = self.ringing.wait_while(locked(&self.rung), |rung| !*rung);
        *rung.unwrap_or_else(PoisonError::into_inner) = false;
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The tasks' bells, and what belongs to the task that was woken last: a bell orders all accesses.
struct Ring {
    bells: Vec<Bell>,
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
        self.bells[task].ring();
    }
}

#[derive(Clone, Copy)]
struct WakeUp {
    seed: u32,
    tasks: usize,
    rounds: u64,
    latency: Recorder,
}

impl WakeUp {
    fn task<const COUNT: bool>(&self, i: usize, ring: &Ring) -> Counter<COUNT> {
        let mut counter = Counter::default();
        for round in 0..self.rounds {
            ring.bells[i].wait();
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
}

impl Benchmark for WakeUp {
    const NAME: &'static str = "wake-up";
    const COUNTERS: &'static [&'static str] = &["wakes"];
    const MOST_THREADS: u64 = 10_000;

    type Work = ();
    type Answer = u32;

    fn load(options: &Options) -> Result<Self, Failure> {
        Ok(Self {
            seed: options.number("seed")? as u32,
            tasks: options.number("tasks")? as usize,
            rounds: options.number("rounds")?,
            latency: options.recorder("latency")?,
        })
    }

    fn prepare(&self) {}

    fn run<const COUNT: bool>(&self, (): (), counter: &mut Counter<COUNT>) -> Result<u32, Failure> {
        let ring = Arc::new(Ring {
            bells: (0..self.tasks).map(|_| Bell::default()).collect(),
            started: Instant::now(),
            x: AtomicU32::new(self.seed),
            since_ns: AtomicU64::new(0),
        });
        let (begun, all_begun) = channel::<()>();
        // Threads of a scope would wait for ever if another could not be started.
        let mut running = Vec::new();
        for i in 0..self.tasks {
            let (program, ring, begun) = (*self, Arc::clone(&ring), begun.clone());
            running.push(Builder::new().spawn(move || {
                drop(begun);
                program.task(i, &ring)
            })?);
        }
        drop(begun);
        let _ = all_begun.recv(); // nothing is sent: it ends when the last sender has been dropped
        ring.wake(0);
        for task in running {
            counter.add_all(&task.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        Ok(ring.x.load(Relaxed))
    }

    fn digest(&self, x: &u32) -> u64 {
        fnv1a(FNV1A, format!("{x:08x}\n").as_bytes())
    }
}

fn main() -> ExitCode {
    runfair_harness::main::<WakeUp>()
}
