//! Threads that take turns from one supply; see `concurrency/fairness/contract.md`.

use std::panic::resume_unwind;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Barrier};
use std::thread::Builder;
use std::time::{Duration, Instant};

use runfair_harness::{fnv1a, Benchmark, Counter, Failure, Options, Recorder, SplitMix64, FNV1A};

const TASKS: usize = 0;
const TURNS: usize = 1;

/// What a task has done.
#[derive(Default)]
struct Share<const COUNT: bool> {
    sum: u64,
    turns: u64,
    counter: Counter<COUNT>,
}

#[derive(Clone, Copy)]
struct Fairness {
    seed: u64,
    tasks: u64,
    turns: u64,
    turn: Duration,
    index: Recorder,
}

impl Fairness {
    /// The first number of the generator whose state begins so far behind the seed.
    fn first(&self, offset: u64) -> u64 {
        SplitMix64(self.seed.wrapping_add(offset)).next()
    }

    /// Takes turns until there is none left.
    fn spin<const COUNT: bool>(&self, i: u64, supply: &AtomicU64) -> Share<COUNT> {
        let mut own = Share { sum: self.first(i), ..Share::default() };
        own.counter.tick(TASKS);
        loop {
            let k = supply.fetch_add(1, Ordering::Relaxed);
            if k >= self.turns {
                return own;
            }
            let began = Instant::now();
            let y = self.first(self.tasks + k);
            own.counter.tick(TURNS);
            while began.elapsed() < self.turn {}
            own.sum = own.sum.wrapping_add(y);
            own.turns += 1;
        }
    }
}

/// Jain's index, in thousandths.
fn jain(turns: &[u64]) -> i64 {
    let sum: f64 = turns.iter().map(|&turns| turns as f64).sum();
    let squares: f64 = turns.iter().map(|&turns| (turns as f64).powi(2)).sum();
    (1_000.0 * sum * sum / (turns.len() as f64 * squares)) as i64
}

impl Benchmark for Fairness {
    const NAME: &'static str = "fairness";
    const COUNTERS: &'static [&'static str] = &["tasks", "turns"];
    const MOST_THREADS: u64 = 10_000;

    type Work = ();
    type Answer = u64;

    fn load(options: &Options) -> Result<Self, Failure> {
        Ok(Self {
            seed: options.number("seed")?,
            tasks: options.number("tasks")?,
            turns: options.number("turns")?,
            turn: Duration::from_micros(options.number("turn_us")?),
            index: options.recorder("index")?,
        })
    }

    fn prepare(&self) {}

    fn run<const COUNT: bool>(&self, (): (), counter: &mut Counter<COUNT>) -> Result<u64, Failure> {
        let supply = Arc::new(AtomicU64::new(0));
        let gate = Arc::new(Barrier::new(self.tasks as usize));
        // Threads of a scope would wait for ever if another could not be started.
        let mut running = Vec::new();
        for i in 0..self.tasks {
            let (program, supply, gate) = (*self, Arc::clone(&supply), Arc::clone(&gate));
            running.push(Builder::new().spawn(move || {
                gate.wait();
                program.spin::<COUNT>(i, &supply)
            })?);
        }
        let (mut sum, mut turns) = (0_u64, Vec::new());
        for task in running {
            let share = task.join().unwrap_or_else(|panic| resume_unwind(panic));
            sum = sum.wrapping_add(share.sum);
            turns.push(share.turns);
            counter.add_all(&share.counter);
        }
        self.index.record(jain(&turns));
        Ok(sum)
    }

    fn digest(&self, sum: &u64) -> u64 {
        fnv1a(FNV1A, format!("{sum:016x}\n").as_bytes())
    }
}

fn main() -> ExitCode {
    runfair_harness::main::<Fairness>()
}

#[cfg(test)]
mod tests {
    use super::jain;

    #[test]
    fn equal_shares_are_1000_and_one_share_of_four_is_250() {
        assert_eq!(jain(&[7, 7, 7, 7]), 1_000);
        assert_eq!(jain(&[0, 9, 0, 0]), 250);
    }
}
