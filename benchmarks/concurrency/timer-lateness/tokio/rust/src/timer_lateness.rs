//! How late tokio's timer fires beside tasks that compute; see `concurrency/timer-lateness`.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use runfair_harness::{fnv1a, Benchmark, Counter, Failure, Options, Recorder, SplitMix64, FNV1A};
use tokio::runtime::{Builder, Runtime};
use tokio::time::sleep_until;

const ROUNDS: usize = 0;
const BURNERS: usize = 1;

/// What the tasks have to do.
#[derive(Clone, Copy)]
struct Burning {
    seed: u64,
    burners: u64,
    rounds: u64,
    period: Duration,
    lateness: Recorder,
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
        let mut x = 0;
        for _ in 0..self.rounds {
            counter.tick(ROUNDS);
            x ^= random.next();
        }
        (x, counter)
    }

    /// Starts the ticker and the burners, and waits for them.
    async fn watch<const COUNT: bool>(self) -> Result<(Vec<u64>, Counter<COUNT>), Failure> {
        let ended = Arc::new(AtomicBool::new(false));
        let due = Instant::now() + self.period;
        let ticker = tokio::spawn(self.tick(due, Arc::clone(&ended)));
        let running: Vec<_> =
            (0..self.burners).map(|i| tokio::spawn(self.burn::<COUNT>(i))).collect();
        let (mut burnt, mut counter) = (Vec::new(), Counter::default());
        for burner in running {
            let (x, counted) = burner.await?;
            burnt.push(x);
            counter.add_all(&counted);
        }
        ended.store(true, Ordering::Release);
        ticker.await?;
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
    const COUNTERS: &'static [&'static str] = &["rounds", "burners"];
    const MOST_THREADS: u64 = 100_001;

    type Work = ();
    type Answer = Vec<u64>;

    fn load(options: &Options) -> Result<Self, Failure> {
        let burning = Burning {
            seed: options.number("seed")?,
            burners: options.number("burners")?,
            rounds: options.number("rounds")?,
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
