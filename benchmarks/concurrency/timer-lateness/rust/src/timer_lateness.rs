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
const YIELDS: usize = 2;
const TIMERS: usize = 3;

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

/// The exclusive or of the next `rounds` numbers.
fn draw<const COUNT: bool>(
    random: &mut SplitMix64,
    rounds: u64,
    counter: &mut Counter<COUNT>,
) -> u64 {
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
    /// Of a burner that never yields: all.
    yield_rounds: u64,
    /// Those that fire once; 0 if there is a ticker.
    timers: u64,
    period: Duration,
    lateness: Recorder,
}

impl TimerLateness {
    /// What burner `i` computes, and its counter.
    fn burner<const COUNT: bool>(&self, i: u64) -> (u64, Counter<COUNT>) {
        let mut counter = Counter::default();
        (self.burn(SplitMix64(self.seed.wrapping_add(i)), &mut counter), counter)
    }

    /// The exclusive or of a burner's numbers.
    fn burn<const COUNT: bool>(&self, mut random: SplitMix64, counter: &mut Counter<COUNT>) -> u64 {
        counter.tick(BURNERS);
        let (mut x, mut left) = (0, self.rounds);
        while left >= self.yield_rounds {
            x ^= draw(&mut random, self.yield_rounds, counter);
            left -= self.yield_rounds;
            counter.tick(YIELDS);
            thread::yield_now();
        }
        x ^ draw(&mut random, left, counter)
    }

    /// A timer that fires once.
    fn fire<const COUNT: bool>(&self, due: Instant) -> Counter<COUNT> {
        let mut counter = Counter::default();
        let mut late = None;
        while late.is_none() {
            thread::sleep(due.saturating_duration_since(Instant::now()));
            late = Instant::now().checked_duration_since(due);
        }
        self.lateness.record(late.unwrap_or_default().as_nanos() as i64);
        counter.tick(TIMERS);
        counter
    }
}

fn joined<T>(thread: ScopedJoinHandle<T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}

impl Benchmark for TimerLateness {
    const NAME: &'static str = "timer-lateness";
    const COUNTERS: &'static [&'static str] = &["rounds", "burners", "yields", "timers"];
    /// The timers' and the burners'.
    const MOST_THREADS: u64 = 110_000;

    type Work = ();
    type Answer = Vec<u64>;

    fn load(options: &Options) -> Result<Self, Failure> {
        let (mut yield_rounds, mut timers) = (u64::MAX, 0);
        match options.text("workload")? {
            "yielding" => yield_rounds = options.number("yield_rounds")?,
            "one-shot" => timers = options.number("timers")?,
            _ => (),
        }
        Ok(Self {
            seed: options.number("seed")?,
            burners: options.number("burners")?,
            rounds: options.number("rounds")?,
            yield_rounds,
            timers,
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
            if self.timers == 0 {
                scope.spawn(|| ticker.run(&ended));
            }
            let burning: io::Result<Vec<_>> = (0..self.burners)
                .map(|i| Builder::new().spawn_scoped(scope, move || self.burner::<COUNT>(i)))
                .collect();
            let firing: io::Result<Vec<_>> = (0..self.timers)
                .map(|_| Instant::now() + self.period)
                .map(|due| Builder::new().spawn_scoped(scope, move || self.fire::<COUNT>(due)))
                .collect();
            let burnt = burning.map(|burning| burning.into_iter().map(joined).collect::<Vec<_>>());
            ended.store(true, Ordering::Release); // also if a thread could not be started
            for (_, counted) in burnt.iter().flatten() {
                counter.add_all(counted);
            }
            for timer in firing? {
                counter.add_all(&joined(timer));
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
        let x = draw(&mut SplitMix64(0), 3, &mut counter);
        assert_eq!(x, 0xe220_a839_7b1d_cdaf ^ 0x6e78_9e6a_a1b9_65f4 ^ 0x06c4_5d18_8009_454f);
        assert_eq!(counter.counts(&["rounds"]), [("rounds", 3)]);
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
