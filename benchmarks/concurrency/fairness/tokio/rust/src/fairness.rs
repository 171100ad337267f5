//! Tasks of tokio's that take turns from one supply; see `concurrency/fairness/contract.md`.

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use runfair_harness::{fnv1a, Benchmark, Counter, Failure, Options, Recorder, SplitMix64, FNV1A};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Barrier;

const TASKS: usize = 0;
const TURNS: usize = 1;

/// What a task has done.
#[derive(Default)]
struct Share<const COUNT: bool> {
    sum: u64,
    turns: u64,
    counter: Counter<COUNT>,
}

/// What the tasks have to do.
#[derive(Clone, Copy)]
struct Turns {
    seed: u64,
    tasks: u64,
    turns: u64,
    turn: Duration,
}

impl Turns {
    /// The first number of the generator whose state begins so far behind the seed.
    fn first(self, offset: u64) -> u64 {
        SplitMix64(self.seed.wrapping_add(offset)).next()
    }

    /// Takes turns until there is none left.
    fn spin<const COUNT: bool>(self, i: u64, supply: &AtomicU64) -> Share<COUNT> {
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

    /// What each task has done.
    async fn shares<const COUNT: bool>(self) -> Result<Vec<Share<COUNT>>, Failure> {
        let supply = Arc::new(AtomicU64::new(0));
        let gate = Arc::new(Barrier::new(self.tasks as usize));
        let mut running = Vec::new();
        for i in 0..self.tasks {
            let (supply, gate) = (Arc::clone(&supply), Arc::clone(&gate));
            running.push(tokio::spawn(async move {
                gate.wait().await;
                self.spin::<COUNT>(i, &supply)
            }));
        }
        let mut shares = Vec::new();
        for task in running {
            shares.push(task.await?);
        }
        Ok(shares)
    }
}

/// Jain's index, in thousandths.
fn jain(turns: &[u64]) -> i64 {
    let sum: f64 = turns.iter().map(|&turns| turns as f64).sum();
    let squares: f64 = turns.iter().map(|&turns| (turns as f64).powi(2)).sum();
    (1_000.0 * sum * sum / (turns.len() as f64 * squares)) as i64
}

struct Fairness {
    turns: Turns,
    index: Recorder,
    runtime: Runtime,
}

impl Benchmark for Fairness {
    const NAME: &'static str = "fairness";
    const TIER: &'static str = "tokio";
    const COUNTERS: &'static [&'static str] = &["tasks", "turns"];
    const MOST_THREADS: u64 = 10_000;

    type Work = ();
    type Answer = u64;

    fn load(options: &Options) -> Result<Self, Failure> {
        let turns = Turns {
            seed: options.number("seed")?,
            tasks: options.number("tasks")?,
            turns: options.number("turns")?,
            turn: Duration::from_micros(options.number("turn_us")?),
        };
        let threads = options.number("threads")?.min(Self::MOST_THREADS) as usize;
        let runtime = Builder::new_multi_thread().worker_threads(threads).build()?;
        Ok(Self { turns, index: options.recorder("index")?, runtime })
    }

    fn prepare(&self) {}

    fn run<const COUNT: bool>(&self, (): (), counter: &mut Counter<COUNT>) -> Result<u64, Failure> {
        let task = self.runtime.spawn(self.turns.shares::<COUNT>());
        let shares = self.runtime.block_on(task)??;
        self.index.record(jain(&shares.iter().map(|share| share.turns).collect::<Vec<_>>()));
        let mut sum = 0_u64;
        for share in &shares {
            sum = sum.wrapping_add(share.sum);
            counter.add_all(&share.counter);
        }
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
