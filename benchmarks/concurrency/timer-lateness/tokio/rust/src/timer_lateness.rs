//! How late tokio's timer fires beside tasks that compute; see `concurrency/timer-lateness`.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use runfair_harness::{fnv1a, Benchmark, Counter, Failure, Options, Recorder, SplitMix64, FNV1A};
use tokio::runtime::{Builder, Runtime};
use tokio::task::yield_now;
use tokio::time::sleep_until;

const ROUNDS: usize = 0;
const BURNERS: usize = 1;
const YIELDS: usize = 2;
const TIMERS: usize = 3;

/// What the tasks have to do.
#[derive(Clone, Copy)]
struct Burning {
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

impl Burning {
    /// Ticks until all burners have ended.
    async fn tick(self, mut due: Instant, ended: Arc<AtomicBool>) {
        let mut last = false;
        while !last {
            sleep_until(due.into()).await;
            let now = Instant::now();
            last = ended.load(Ordering::Acquire);
            while due <= now {
                self.lateness.record((now - due).as_nanos() as i64);
                due += self.period;
            }
        }
    }

    /// The exclusive or of burner `i`'s numbers.
    async fn burn<const COUNT: bool>(self, i: u64) -> (u64, Counter<COUNT>) {
        let mut counter = Counter::default();
        counter.tick(BURNERS);
        let mut random = SplitMix64(self.seed.wrapping_add(i));
        let (mut x, mut left) = (0, self.rounds);
        while left >= self.yield_rounds {
            x ^= draw(&mut random, self.yield_rounds, &mut counter);
            left -= self.yield_rounds;
            counter.tick(YIELDS);
            yield_now().await;
        }
        x ^= draw(&mut random, left, &mut counter);
        (x, counter)
    }

    /// A timer that fires once.
    async fn fire<const COUNT: bool>(self, due: Instant) -> Counter<COUNT> {
        let mut counter = Counter::default();
        sleep_until(due.into()).await; // never fires early
        self.lateness.record(due.elapsed().as_nanos() as i64);
        counter.tick(TIMERS);
        counter
    }

    /// Starts the ticker and the burners, or the burners and the timers, and waits for them.
    async fn watch<const COUNT: bool>(self) -> Result<(Vec<u64>, Counter<COUNT>), Failure> {
        let ended = Arc::new(AtomicBool::new(false));
        let due = || Instant::now() + self.period;
        let ticker = (self.timers == 0).then(|| tokio::spawn(self.tick(due(), Arc::clone(&ended))));
        let running: Vec<_> =
            (0..self.burners).map(|i| tokio::spawn(self.burn::<COUNT>(i))).collect();
        let firing: Vec<_> =
            (0..self.timers).map(|_| tokio::spawn(self.fire::<COUNT>(due()))).collect();
        let (mut burnt, mut counter) = (Vec::new(), Counter::default());
        for burner in running {
            let (x, counted) = burner.await?;
            burnt.push(x);
            counter.add_all(&counted);
        }
        ended.store(true, Ordering::Release);
        if let Some(ticker) = ticker {
            ticker.await?;
        }
        for timer in firing {
            counter.add_all(&timer.await?);
        }
        Ok((burnt, counter))
    }
}

struct TimerLateness {
    burning: Burning,
    runtime: Runtime,
}

impl Benchmark for TimerLateness {
    const NAME: &'static str = "timer-lateness";
    const TIER: &'static str = "tokio";
    const COUNTERS: &'static [&'static str] = &["rounds", "burners", "yields", "timers"];
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
        let burning = Burning {
            seed: options.number("seed")?,
            burners: options.number("burners")?,
            rounds: options.number("rounds")?,
            yield_rounds,
            timers,
            period: Duration::from_micros(options.number("period_us")?),
            lateness: options.recorder("lateness")?,
        };
        let threads = options.number("threads")?.min(Self::MOST_THREADS) as usize;
        let runtime = Builder::new_multi_thread().worker_threads(threads).enable_time().build()?;
        Ok(Self { burning, runtime })
    }

    fn prepare(&self) {}

    fn run<const COUNT: bool>(
        &self,
        (): (),
        counter: &mut Counter<COUNT>,
    ) -> Result<Vec<u64>, Failure> {
        let (burnt, counted) =
            self.runtime.block_on(self.runtime.spawn(self.burning.watch()))??;
        counter.add_all(&counted);
        Ok(burnt)
    }

    fn digest(&self, burnt: &Vec<u64>) -> u64 {
        burnt.iter().fold(FNV1A, |hash, x| fnv1a(hash, format!("{x:016x}\n").as_bytes()))
    }
}

fn main() -> ExitCode {
    runfair_harness::main::<TimerLateness>()
}
