//! Threads that wake each other; see `concurrency/wake-up/contract.md`.

use std::panic::resume_unwind;
use std::process::ExitCode;
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

/// What belongs to the task that was woken last.
struct Held<const COUNT: bool> {
    x: u32,
    since: Instant,
    counter: Counter<COUNT>,
}

struct Ring<const COUNT: bool> {
    bells: Vec<Bell>,
    held: Mutex<Held<COUNT>>,
}

impl<const COUNT: bool> Ring<COUNT> {
    fn wake(&self, task: usize) {
        locked(&self.held).since = Instant::now();
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
    fn task<const COUNT: bool>(&self, i: usize, ring: &Ring<COUNT>) {
        for round in 0..self.rounds {
            ring.bells[i].wait();
            let now = Instant::now();
            let mut held = locked(&ring.held);
            self.latency.record((now - held.since).as_nanos() as i64);
            held.counter.tick(WAKES);
            held.x = held.x.wrapping_mul(1_664_525).wrapping_add(i as u32);
            drop(held);
            if i + 1 < self.tasks || round + 1 < self.rounds {
                ring.wake((i + 1) % self.tasks);
            }
        }
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
        let held =
            Held::<COUNT> { x: self.seed, since: Instant::now(), counter: Counter::default() };
        let ring = Arc::new(Ring {
            bells: (0..self.tasks).map(|_| Bell::default()).collect(),
            held: Mutex::new(held),
        });
        let (begun, all_begun) = channel::<()>();
        // Threads of a scope would wait for ever if another could not be started.
        let mut running = Vec::new();
        for i in 0..self.tasks {
            let (program, ring, begun) = (*self, Arc::clone(&ring), begun.clone());
            running.push(Builder::new().spawn(move || {
                drop(begun);
                program.task(i, &ring);
            })?);
        }
        drop(begun);
        let _ = all_begun.recv(); // nothing is sent: it ends when the last sender has been dropped
        ring.wake(0);
        for task in running {
            task.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
        let held = locked(&ring.held);
        counter.add_all(&held.counter);
        Ok(held.x)
    }

    fn digest(&self, x: &u32) -> u64 {
        fnv1a(FNV1A, format!("{x:08x}\n").as_bytes())
    }
}

fn main() -> ExitCode {
    runfair_harness::main::<WakeUp>()
}
