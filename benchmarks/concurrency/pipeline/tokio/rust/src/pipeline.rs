//! Values through a chain of tokio's tasks; see `concurrency/pipeline/contract.md`.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use runfair_harness::{fnv1a, Benchmark, Counter, Failure, Options, Recorder, FNV1A};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{channel, unbounded_channel};
use tokio::sync::mpsc::{Receiver, Sender, UnboundedReceiver, UnboundedSender};

const HOPS: usize = 0;

enum Sending {
    Bounded(Sender<u32>),
    Unbounded(UnboundedSender<u32>),
}

impl Sending {
    async fn send(&self, value: u32) -> Result<(), Failure> {
        match self {
            Self::Bounded(sender) => sender.send(value).await?,
            Self::Unbounded(sender) => sender.send(value)?,
        }
        Ok(())
    }
}

enum Receiving {
    Bounded(Receiver<u32>),
    Unbounded(UnboundedReceiver<u32>),
}

impl Receiving {
    async fn recv(&mut self) -> Result<u32, Failure> {
        let received = match self {
            Self::Bounded(receiver) => receiver.recv().await,
            Self::Unbounded(receiver) => receiver.recv().await,
        };
        received.ok_or_else(|| "a stage ended early".into())
    }
}

/// What the tasks have to do.
#[derive(Clone, Copy)]
struct Flow {
    seed: u32,
    stages: u32,
    values: u32,
    /// The number of values that a channel holds; `None`: unbounded.
    capacity: Option<usize>,
}

impl Flow {
    fn channel(self) -> (Sending, Receiving) {
        if let Some(capacity) = self.capacity {
            let (sender, receiver) = channel(capacity);
            (Sending::Bounded(sender), Receiving::Bounded(receiver))
        } else {
            let (sender, receiver) = unbounded_channel();
            (Sending::Unbounded(sender), Receiving::Unbounded(receiver))
        }
    }

    /// Sends all values when all other tasks have begun, and gives the time of its start.
    async fn source(self, mut all_begun: Receiver<()>, to: Sending) -> Result<Instant, Failure> {
        all_begun.recv().await; // nothing is sent: it ends when the last sender has been dropped
        let started = Instant::now();
        for k in 0..self.values {
            to.send(self.seed.wrapping_add(k)).await?;
        }
        Ok(started)
    }

    /// Passes values on, and counts them.
    async fn stage<const COUNT: bool>(
        self,
        number: u32,
        begun: Sender<()>,
        mut from: Receiving,
        to: Sending,
    ) -> Result<Counter<COUNT>, Failure> {
        drop(begun);
        let mut counter = Counter::default();
        for _ in 0..self.values {
            let x = from.recv().await?;
            counter.tick(HOPS);
            to.send(x.wrapping_mul(1_664_525).wrapping_add(number)).await?;
        }
        Ok(counter)
    }

    /// Starts source and stages, and sums up what comes out. Also gives the time of the flow.
    async fn sink<const COUNT: bool>(self) -> Result<(u32, Duration, Counter<COUNT>), Failure> {
        let mut counter = Counter::default();
        let (begun, all_begun) = channel(1);
        let (to, mut from) = self.channel();
        let source = tokio::spawn(self.source(all_begun, to));
        let mut running = Vec::new();
        for number in 1..=self.stages {
            let (to, next) = self.channel();
            running.push(tokio::spawn(self.stage::<COUNT>(number, begun.clone(), from, to)));
            from = next;
        }
        drop(begun);
        let mut sum = 0_u32;
        for _ in 0..self.values {
            sum = sum.wrapping_mul(31).wrapping_add(from.recv().await?);
            counter.tick(HOPS);
        }
        let ended = Instant::now();
        let elapsed = ended - source.await??;
        for task in running {
            counter.add_all(&task.await??);
        }
        Ok((sum, elapsed, counter))
    }
}

struct Pipeline {
    flow: Flow,
    hops: Recorder,
    runtime: Runtime,
}

impl Benchmark for Pipeline {
    const NAME: &'static str = "pipeline";
    const TIER: &'static str = "tokio";
    const COUNTERS: &'static [&'static str] = &["hops"];
    const MOST_THREADS: u64 = 10_002;

    type Work = ();
    type Answer = u32;

    fn load(options: &Options) -> Result<Self, Failure> {
        let bounded = options.text("workload")? == "bounded";
        let capacity = options.number("capacity")? as usize;
        let flow = Flow {
            seed: options.number("seed")? as u32,
            stages: options.number("stages")? as u32,
            values: options.number("values")? as u32,
            capacity: bounded.then_some(capacity),
        };
        let threads = options.number("threads")?.min(Self::MOST_THREADS) as usize;
        let runtime = Builder::new_multi_thread().worker_threads(threads).build()?;
        Ok(Self { flow, hops: options.recorder("hops")?, runtime })
    }

    fn prepare(&self) {}

    fn run<const COUNT: bool>(&self, (): (), counter: &mut Counter<COUNT>) -> Result<u32, Failure> {
        let sink = self.runtime.spawn(self.flow.sink());
        let (sum, elapsed, counted) = self.runtime.block_on(sink)??;
        let hops = u128::from(self.flow.values) * u128::from(self.flow.stages + 1);
        self.hops.record((elapsed.as_nanos() * 1_000 / hops) as i64);
        counter.add_all(&counted);
        Ok(sum)
    }

    fn digest(&self, sum: &u32) -> u64 {
        fnv1a(FNV1A, format!("{sum:08x}\n").as_bytes())
    }
}

fn main() -> ExitCode {
    runfair_harness::main::<Pipeline>()
}
