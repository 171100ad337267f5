//! How late a ticker fires beside tasks that compute; see `concurrency/timer-lateness/contract.md`.

use std::io;
use std::panic::resume_unwind;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Builder, ScopedJoinHandle};
use std::time::{Duration, Instant};

use runfair_harness::{fnv1a, Benchmark, Counter, Failure, Options, Recorder, SplitMix64, FNV1A};

const ROUNDS: usize = 0;
const BURNERS: usize = 1;

struct Ticker {
    due: Instant,
    period: Duration,
    lateness: Recorder,
}

impl Ticker {
    /// Ticks until all burners have ended.
    fn run(mut self, ended: &AtomicBool) {
        let mut last = false;
        while !last {
            thread::sleep(self.due.saturating_duration_since(Instant::now()));
            let now = Instant::now();
            last = ended.load(Ordering::Acquire);
            while self.due <= now {
                self.lateness.record((now - self.due).as_nanos() as i64);
                self.due += self.period;
            }
        }
    }
}

/// The exclusive or of the first `rounds` numbers.
fn burn<const COUNT: bool>(
    mut random: SplitMix64,
    rounds: u64,
    counter: &mut Counter<COUNT>,
) -> u64 {
    counter.tick(BURNERS);
    let mut x = 0;
    for _ in 0..rounds {
        counter.tick(ROUNDS);
        x ^= random.next();
    }
    x
}

struct TimerLateness {
    seed: u64,
    burners: u64,
    rounds: u64,
    period: Duration,
    lateness: Recorder,
}

impl TimerLateness {
    /// What burner `i` computes, and its counter.
    fn burner<const COUNT: bool>(&self, i: u64) -> (u64, Counter<COUNT>) {
        let mut counter = Counter::default();
        (burn(SplitMix64(self.seed.wrapping_add(i)), self.rounds, &mut counter), counter)
    }
}

fn joined<T>(thread: ScopedJoinHandle<T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}

impl Benchmark for TimerLateness {
    const NAME: &'static str = "timer-lateness";
    const COUNTERS: &'static [&'static str] = &["rounds", "burners"];
    /// The ticker's and the burners'.
    const MOST_THREADS: u64 = 100_001;

    type Work = ();
    type Answer = Vec<u64>;

    fn load(options: &Options) -> Result<Self, Failure> {
        Ok(Self {
            seed: options.number("seed")?,
            burners: options.number("burners")?,
            rounds: options.number("rounds")?,
            period: Duration::from_micros(options.number("period_us")?),
            lateness: options.recorder("lateness")?,
        })
    }

    fn prepare(&self) {}

    fn run<const COUNT: bool>(
        &self,
        (): (),
        counter: &mut Counter<COUNT>,
    ) -> Result<Vec<u64>, Failure> {
        let due = Instant::now() + self.period;
        let ticker = Ticker { due, period: self.period, lateness: self.lateness };
        let ended = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| ticker.run(&ended));
            let burning: io::Result<Vec<_>> = (0..self.burners)
                .map(|i| Builder::new().spawn_scoped(scope, move || self.burner::<COUNT>(i)))
                .collect();
            let burnt = burning.map(|burning| burning.into_iter().map(joined).collect::<Vec<_>>());
            ended.store(true, Ordering::Release); // also if a thread could not be started
            for (_, counted) in burnt.iter().flatten() {
                counter.add_all(counted);
            }
            Ok(burnt?.into_iter().map(|(x, _)| x).collect())
        })
    }

    fn digest(&self, burnt: &Vec<u64>) -> u64 {
        burnt.iter().fold(FNV1A, |hash, x| fnv1a(hash, format!("{x:016x}\n").as_bytes()))
    }
}

fn main() -> ExitCode {
    runfair_harness::main::<TimerLateness>()
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::{env, fs, process};

    #[test]
    fn a_burner_draws_every_number() {
        let mut counter = Counter::<true>::default();
        let x = burn(SplitMix64(0), 3, &mut counter);
        assert_eq!(x, 0xe220_a839_7b1d_cdaf ^ 0x6e78_9e6a_a1b9_65f4 ^ 0x06c4_5d18_8009_454f);
        assert_eq!(counter.counts(TimerLateness::COUNTERS), [("rounds", 3), ("burners", 1)]);
    }

    #[test]
    fn ticks_that_were_missed_are_recorded_each_with_its_delay() -> Result<(), Failure> {
        let folder = env::temp_dir().join(format!("timer-lateness-{}", process::id()));
        fs::create_dir(&folder)?;
        let options = Options("timer-lateness", vec![format!("samples={}", folder.display())]);
        let (lateness, period) = (options.recorder("lateness")?, Duration::from_secs(100));
        let due = Instant::now() - 3 * period;
        Ticker { due, period, lateness }.run(&AtomicBool::new(true));
        let content = fs::read(folder.join("lateness.counts"))?;
        fs::remove_dir_all(&folder)?;
        let samples: u32 = content[8..].iter().map(|&byte| u32::from(byte)).sum();
        assert_eq!(samples, 4);
        Ok(())
    }
}
