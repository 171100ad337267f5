//! Values from whichever of crossbeam's channels is ready; see `concurrency/select/contract.md`.

use std::panic::resume_unwind;
use std::process::ExitCode;
use std::thread::{self, Builder};
use std::time::Instant;

use crossbeam_channel::{bounded, Receiver, RecvError, Select, SendError, Sender};
use runfair_harness::{fnv1a, Benchmark, Counter, Failure, Options, Recorder, FNV1A};

const SELECTS: usize = 0;

struct Selecting {
    seed: u32,
    channels: u32,
    values: u32,
    selects: Recorder,
}

impl Selecting {
    /// Sends the values of channel `c`.
    fn send(&self, c: u32, to: &Sender<u32>) -> Result<(), SendError<u32>> {
        let mut x = self.seed.wrapping_add(c);
        for _ in 0..self.values {
            x = x.wrapping_mul(1_664_525).wrapping_add(c);
            to.send(x)?;
        }
        Ok(())
    }

    /// Sums up the values of all channels.
    fn received<const COUNT: bool>(
        &self,
        mut select: Select<'_>,
        channels: &[Receiver<u32>],
        counter: &mut Counter<COUNT>,
    ) -> Result<u32, RecvError> {
        let mut sum = 0_u32;
        let mut left = vec![self.values; channels.len()];
        let mut open = channels.len();
        while open > 0 {
            let ready = select.select();
            let c = ready.index();
            sum = sum.wrapping_add(ready.recv(&channels[c])?);
            counter.tick(SELECTS);
            left[c] -= 1;
            if left[c] == 0 {
                select.remove(c);
                open -= 1;
            }
        }
        Ok(sum)
    }
}

impl Benchmark for Selecting {
    const NAME: &'static str = "select";
    const TIER: &'static str = "crossbeam";
    const COUNTERS: &'static [&'static str] = &["selects"];
    const MOST_THREADS: u64 = 1_001;

    type Work = ();
    type Answer = u32;

    fn load(options: &Options) -> Result<Self, Failure> {
        Ok(Self {
            seed: options.number("seed")? as u32,
            channels: options.number("channels")? as u32,
            values: options.number("values")? as u32,
            selects: options.recorder("selects")?,
        })
    }

    fn prepare(&self) {}

    fn run<const COUNT: bool>(&self, (): (), counter: &mut Counter<COUNT>) -> Result<u32, Failure> {
        thread::scope(|scope| {
            let (mut channels, mut running) = (Vec::new(), Vec::new());
            // Each sender drops `begun`, and sends its values when `gate` has been dropped.
            let (begun, all_begun) = bounded::<()>(0);
            let (gate, open) = bounded::<()>(0);
            for c in 0..self.channels {
                let (to, from) = bounded(1);
                channels.push(from);
                let (begun, open) = (begun.clone(), open.clone());
                let sender = move || {
                    drop(begun);
                    let _ = open.recv();
                    self.send(c, &to)
                };
                running.push(Builder::new().spawn_scoped(scope, sender)?);
            }
            let mut select = Select::new();
            for channel in &channels {
                select.recv(channel);
            }
            drop(begun);
            let _ = all_begun.recv();
            let started = Instant::now();
            drop(gate);
            let sum = self.received(select, &channels, counter)?;
            for sender in running {
                sender.join().unwrap_or_else(|panic| resume_unwind(panic))?;
            }
            let selects = u128::from(self.channels) * u128::from(self.values);
            self.selects.record((started.elapsed().as_nanos() * 1_000 / selects) as i64);
            Ok(sum)
        })
    }

    fn digest(&self, sum: &u32) -> u64 {
        fnv1a(FNV1A, format!("{sum:08x}\n").as_bytes())
    }
}

fn main() -> ExitCode {
    runfair_harness::main::<Selecting>()
}
