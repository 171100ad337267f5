//! The memory of threads that wait; see `concurrency/memory-per-task/contract.md`.

use std::fs;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Builder, ScopedJoinHandle, Thread};

use runfair_harness::{fnv1a, Benchmark, Counter, Failure, Options, Recorder, SplitMix64, FNV1A};

const TASKS: usize = 0;

/// What the tasks add to, one after the other.
#[derive(Default)]
struct Sum<const COUNT: bool> {
    x: u64,
    counter: Counter<COUNT>,
}

struct Waiting<const COUNT: bool> {
    /// Tasks that have not begun; the last one wakes `who_waits`.
    beginning: AtomicU64,
    who_waits: Thread,
    open: AtomicBool,
    sum: Mutex<Sum<COUNT>>,
}

impl<const COUNT: bool> Waiting<COUNT> {
    fn task(&self, mut random: SplitMix64) {
        let x = random.next();
        if self.beginning.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.who_waits.unpark();
        }
        while !self.open.load(Ordering::Acquire) {
            thread::park();
        }
        let mut sum = self.sum.lock().unwrap_or_else(PoisonError::into_inner);
        sum.x = sum.x.wrapping_add(x);
        sum.counter.tick(TASKS);
    }

    fn open(&self, tasks: &[ScopedJoinHandle<()>]) {
        self.open.store(true, Ordering::Release);
        tasks.iter().for_each(|task| task.thread().unpark());
    }
}

/// The memory of the process that is in RAM.
fn resident_bytes() -> Result<i64, Failure> {
    let content = fs::read_to_string("/proc/self/smaps_rollup")?;
    let line = content.lines().find_map(|line| line.strip_prefix("Rss:"));
    let kibibytes: i64 = line.ok_or("no Rss")?.trim_end_matches("kB").trim().parse()?;
    Ok(kibibytes * 1_024)
}

struct MemoryPerTask {
    seed: u64,
    tasks: u64,
    bytes: Recorder,
}

impl Benchmark for MemoryPerTask {
    const NAME: &'static str = "memory-per-task";
    const COUNTERS: &'static [&'static str] = &["tasks"];
    const MOST_THREADS: u64 = 1_000_000;

    type Work = ();
    type Answer = u64;

    fn load(options: &Options) -> Result<Self, Failure> {
        Ok(Self {
            seed: options.number("seed")?,
            tasks: options.number("tasks")?,
            bytes: options.recorder("bytes")?,
        })
    }

    fn prepare(&self) {}

    fn run<const COUNT: bool>(&self, (): (), counter: &mut Counter<COUNT>) -> Result<u64, Failure> {
        let waiting = Waiting::<COUNT> {
            beginning: AtomicU64::new(self.tasks),
            who_waits: thread::current(),
            open: AtomicBool::new(false),
            sum: Mutex::default(),
        };
        let before = resident_bytes()?;
        let after = thread::scope(|scope| -> Result<i64, Failure> {
            let mut running = Vec::new();
            for i in 0..self.tasks {
                let random = SplitMix64(self.seed.wrapping_add(i));
                let waiting = &waiting;
                match Builder::new().spawn_scoped(scope, move || waiting.task(random)) {
                    Ok(task) => running.push(task),
                    Err(failure) => {
                        waiting.open(&running); // or those that have begun would wait for ever
                        return Err(failure.into());
                    }
                }
            }
            while waiting.beginning.load(Ordering::Acquire) > 0 {
                thread::park();
            }
            let after = resident_bytes();
            waiting.open(&running);
            // A handle that is dropped detaches its thread, and glibc 2.36 reads a thread that ends
            // meanwhile after its memory is gone.
            for task in running {
                task.join().map_err(|_| "a task panicked")?;
            }
            after
        })?;
        self.bytes.record((after - before) / self.tasks as i64);
        let sum = waiting.sum.lock().unwrap_or_else(PoisonError::into_inner);
        counter.add_all(&sum.counter);
        Ok(sum.x)
    }

    fn digest(&self, sum: &u64) -> u64 {
        fnv1a(FNV1A, format!("{sum:016x}\n").as_bytes())
    }
}

fn main() -> ExitCode {
    runfair_harness::main::<MemoryPerTask>()
}
