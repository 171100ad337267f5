//! Savina; see `actors/savina/contract.md`. An actor is a task of tokio's, and its mailbox is an
//! unbounded channel.

mod counting;
mod fork_join;
mod ping_pong;
mod stage;
mod thread_ring;

use std::process::ExitCode;

use runfair_harness::{fnv1a, Benchmark, Counter, Failure, Options, UserError, FNV1A};
use tokio::runtime::{Builder, Runtime};

use crate::stage::Stage;

/// The contract's function.
pub const fn next(x: u64) -> u64 {
    (x * 1309 + 13849) & 0xffff
}

/// What the options ask for.
#[derive(Clone, Copy)]
pub struct Work {
    pub seed: u64,
    pub actors: u64,
    pub amount: u64,
}

#[derive(Clone, Copy)]
enum Form {
    Counting,
    ForkJoinCreation,
    ForkJoinThroughput,
    PingPong,
    ThreadRing,
}

impl Form {
    fn named(name: &str) -> Result<Self, Failure> {
        Ok(match name {
            "counting" => Self::Counting,
            "fork-join-creation" => Self::ForkJoinCreation,
            "fork-join-throughput" => Self::ForkJoinThroughput,
            "ping-pong" => Self::PingPong,
            "thread-ring" => Self::ThreadRing,
            _ => return Err(UserError(format!("form {name:?} is none of tokio's")).into()),
        })
    }

    /// The actor main: starts the others and waits for their ends.
    async fn main<const COUNT: bool>(self, work: Work) -> Result<(u64, Counter<COUNT>), Failure> {
        let mut stage = Stage::new();
        match self {
            Self::Counting => counting::start(work, &mut stage)?,
            Self::ForkJoinCreation => fork_join::create(work, &mut stage)?,
            Self::ForkJoinThroughput => fork_join::send(work, &mut stage)?,
            Self::PingPong => ping_pong::start(work, &mut stage)?,
            Self::ThreadRing => thread_ring::start(work, &mut stage)?,
        }
        stage.ended().await
    }
}

struct Savina {
    form: Form,
    work: Work,
    runtime: Runtime,
}

impl Benchmark for Savina {
    const NAME: &'static str = "savina";
    const TIER: &'static str = "tokio";
    const COUNTERS: &'static [&'static str] = &["messages"];
    const MOST_THREADS: u64 = 16_000;

    type Work = ();
    type Answer = u64;

    fn load(options: &Options) -> Result<Self, Failure> {
        let work = Work {
            seed: options.number("seed")? & 0xffff,
            actors: options.number("actors")?,
            amount: options.number("amount")?,
        };
        let threads = options.number("threads")?.min(Self::MOST_THREADS) as usize;
        let runtime = Builder::new_multi_thread().worker_threads(threads).build()?;
        Ok(Self { form: Form::named(options.text("form")?)?, work, runtime })
    }

    fn prepare(&self) {}

    fn run<const COUNT: bool>(&self, (): (), counter: &mut Counter<COUNT>) -> Result<u64, Failure> {
        let main = self.runtime.spawn(self.form.main(self.work));
        let (sum, counted) = self.runtime.block_on(main)??;
        counter.add_all(&counted);
        Ok(sum)
    }

    fn digest(&self, sum: &u64) -> u64 {
        fnv1a(FNV1A, sum.to_string().as_bytes())
    }
}

fn main() -> ExitCode {
    runfair_harness::main::<Savina>()
}
