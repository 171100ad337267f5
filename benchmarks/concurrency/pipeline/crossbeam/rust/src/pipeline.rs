//! Values through a chain of threads, in crossbeam's channels; see `concurrency/pipeline/contract.md`.

use std::panic::resume_unwind;
use std::process::ExitCode;
use std::thread::{self, Builder, ScopedJoinHandle};
use std::time::Instant;

use crossbeam_channel::{bounded, unbounded, Receiver, Sender};
use runfair_harness::{fnv1a, Benchmark, Counter, Failure, Options, Recorder, FNV1A};

const HOPS: usize = 0;

struct Pipeline {
    seed: u32,
    stages: u32,
    values: u32,
    /// The number of values that a channel holds; `None`: unbounded.
    capacity: Option<usize>,
    hops: Recorder,
}

impl Pipeline {
    fn channel(&self) -> (Sender<u32>, Receiver<u32>) {
        self.capacity.map_or_else(unbounded, bounded)
    }

    /// Sends all values when all other tasks have begun, and gives the time of its start.
    fn source(&self, all_begun: &Receiver<()>, to: &Sender<u32>) -> Result<Instant, Failure> {
        let _ = all_begun.recv(); // nothing is sent: it ends when the last sender has been dropped
        let started = Instant::now();
        for k in 0..self.values {
            to.send(self.seed.wrapping_add(k))?;
        }
        Ok(started)
    }

    /// Passes values on, and counts them.
    fn stage<const COUNT: bool>(
        &self,
        number: u32,
        from: &Receiver<u32>,
        to: &Sender<u32>,
    ) -> Result<Counter<COUNT>, Failure> {
        let mut counter = Counter::default();
        for _ in 0..self.values {
            let x = from.recv()?;
            counter.tick(HOPS);
            to.send(x.wrapping_mul(1_664_525).wrapping_add(number))?;
        }
        Ok(counter)
    }

    fn sink<const COUNT: bool>(
        &self,
        from: &Receiver<u32>,
        counter: &mut Counter<COUNT>,
    ) -> Result<u32, Failure> {
        let mut sum = 0_u32;
        for _ in 0..self.values {
            sum = sum.wrapping_mul(31).wrapping_add(from.recv()?);
            counter.tick(HOPS);
        }
        Ok(sum)
    }
}

fn joined<T>(thread: ScopedJoinHandle<T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}

impl Benchmark for Pipeline {
    const NAME: &'static str = "pipeline";
    const TIER: &'static str = "crossbeam";
    const COUNTERS: &'static [&'static str] = &["hops"];
    const MOST_THREADS: u64 = 10_002;

    type Work = ();
    type Answer = u32;

    fn load(options: &Options) -> Result<Self, Failure> {
        let capacity = match options.text("workload")? {
            "rendezvous" => Some(0),
            "bounded" => Some(options.number("capacity")? as usize),
            _ => None,
        };
        Ok(Self {
            seed: options.number("seed")? as u32,
            stages: options.number("stages")? as u32,
            values: options.number("values")? as u32,
            capacity,
            hops: options.recorder("hops")?,
        })
    }

    fn prepare(&self) {}

    fn run<const COUNT: bool>(&self, (): (), counter: &mut Counter<COUNT>) -> Result<u32, Failure> {
        thread::scope(|scope| {
            let (begun, all_begun) = bounded(0);
            let (to, mut from) = self.channel();
            let source =
                Builder::new().spawn_scoped(scope, move || self.source(&all_begun, &to))?;
            let mut running = Vec::new();
            for number in 1..=self.stages {
                let (to, next) = self.channel();
                let begun = begun.clone();
                let stage = move || {
                    drop(begun);
                    self.stage::<COUNT>(number, &from, &to)
                };
                running.push(Builder::new().spawn_scoped(scope, stage)?);
                from = next;
            }
            drop(begun);
            let sum = self.sink(&from, counter)?;
            let ended = Instant::now();
            let elapsed = ended - joined(source)?;
            for task in running {
                counter.add_all(&joined(task)?);
            }
            let hops = u128::from(self.values) * u128::from(self.stages + 1);
            self.hops.record((elapsed.as_nanos() * 1_000 / hops) as i64);
            Ok(sum)
        })
    }

    fn digest(&self, sum: &u32) -> u64 {
        fnv1a(FNV1A, format!("{sum:08x}\n").as_bytes())
    }
}

fn main() -> ExitCode {
    runfair_harness::main::<Pipeline>()
}
