//! Rust's half of the program contract (`benchmarks/contract.md`).

mod counter;
mod options;
mod primitives;
mod recorder;
mod start;

use std::hint::black_box;
use std::io::{self, Read, Write};
use std::process::ExitCode;

pub use crate::counter::{Counter, Counts};
pub use crate::options::{read, Failure, Options, UserError};
pub use crate::primitives::{fnv1a, SplitMix64, FNV1A};
pub use crate::recorder::{cell, Recorder};
use crate::start::{clock_ns, start};

/// A benchmark as the harness sees it; the value itself is the state that `load` makes.
pub trait Benchmark: Sized {
    const NAME: &'static str;
    const TIER: &'static str = "standard";
    const MOST_THREADS: u64 = 1;
    /// Names of the counters, by the indices that [`Counter`] takes.
    const COUNTERS: &'static [&'static str];
    type Work;
    type Answer;
    /// Reads the input and builds what every iteration starts from; never timed.
    fn load(options: &Options) -> Result<Self, Failure>;
    /// A fresh copy of what one iteration will change; never timed.
    fn prepare(&self) -> Self::Work;
    /// The task, timed. What it drops is dropped inside the clocks: hand it out in the answer.
    fn run<const COUNT: bool>(
        &self,
        work: Self::Work,
        counter: &mut Counter<COUNT>,
    ) -> Result<Self::Answer, Failure>;
    /// FNV-1a of the answer; never timed.
    fn digest(&self, answer: &Self::Answer) -> u64;
}

/// The lines of one iteration. No program in Rust has children, whose time would count as well.
fn iterate<B: Benchmark, const COUNT: bool>(benchmark: &B, index: u64) -> Result<String, Failure> {
    let (mut counter, work) = (Counter::<COUNT>::default(), black_box(benchmark.prepare()));
    recorder::begin(index);
    let start_ns = clock_ns(libc::CLOCK_MONOTONIC);
    let start_cpu_ns = clock_ns(libc::CLOCK_PROCESS_CPUTIME_ID);
    let answer = black_box(benchmark.run(work, &mut counter));
    let cpu_ns = clock_ns(libc::CLOCK_PROCESS_CPUTIME_ID) - start_cpu_ns;
    let wall_ns = clock_ns(libc::CLOCK_MONOTONIC) - start_ns;
    let digest = benchmark.digest(&answer?);
    let mut line = format!(r#"{{"event":"iteration","index":{index},"digest":"{digest:016x}","#);
    line += &format!(r#""started_monotonic_ns":{start_ns},"wall_ns":{wall_ns},"cpu_ns":{cpu_ns}"#);
    Ok(line + &recorder::samples() + "}\n" + &counter::operations(&counter.counts(B::COUNTERS)))
}

/// Carries out one execution and writes its lines to `output`.
pub fn execute<B: Benchmark>(options: &Options, mut output: impl Write) -> Result<(), Failure> {
    let (start_ns, mut lines) = (clock_ns(libc::CLOCK_MONOTONIC), start(B::NAME, B::TIER));
    let (iterations, asked) = (options.number("iterations")?, options.number("threads")?);
    let seconds = if options.has("seconds") { options.text("seconds")?.parse()? } else { f64::MAX };
    let iterate = if options.has("count") { iterate::<B, true> } else { iterate::<B, false> };
    let benchmark = B::load(options)?;
    let pool = std::fs::read_dir("/proc/self/task")?.count() as u64 - 1; // threads beside this one
    lines += &format!("{}}}\n", if pool > 0 { pool } else { asked.min(B::MOST_THREADS) });
    let (mut done, mut now_ns, mut written_ns, mut ended) = (0, start_ns, 0, false);
    while !ended {
        if now_ns - written_ns >= 100_000_000 {
            output.write_all(std::mem::take(&mut lines).as_bytes())?; // at most ten times a second
            written_ns = now_ns;
        }
        lines += &iterate(&benchmark, done)?;
        (done, now_ns) = (done + 1, clock_ns(libc::CLOCK_MONOTONIC));
        ended = if iterations == 0 { input_ended() } else { done == iterations }
            || (now_ns - start_ns) as f64 / 1e9 >= seconds;
    }
    Ok(writeln!(output, r#"{lines}{{"event":"end","iterations":{done}}}"#)?)
}

/// Whether standard input has ended; takes what has come, and never waits.
fn input_ended() -> bool {
    let mut input = libc::pollfd { fd: libc::STDIN_FILENO, events: libc::POLLIN, revents: 0 };
    // SAFETY: `input` is the one descriptor that the count speaks of.
    let has_news = unsafe { libc::poll(&mut input, 1, 0) } > 0;
    has_news && !matches!(io::stdin().read(&mut [0; 4096]), Ok(1..))
}

fn report(name: &'static str, run: impl FnOnce(&Options) -> Result<(), Failure>) -> ExitCode {
    let Err(failure) = run(&Options(name, std::env::args().collect())) else {
        return ExitCode::SUCCESS;
    };
    eprintln!("{name}: {failure}");
    ExitCode::from(if failure.is::<UserError>() { 2 } else { 1 })
}

/// The whole of a program's `main`.
pub fn main<B: Benchmark>() -> ExitCode {
    report(B::NAME, |options| execute::<B>(options, io::stdout()))
}

/// The whole of a service's `main`. `run` is given where to listen and whom to tell the port; it
/// ends after SIGTERM with its counts: none without `count=1`, or if a library does the work.
pub fn serve(
    name: &'static str,
    tier: &str,
    run: impl FnOnce(&Options, (&str, u16), &dyn Fn(u16)) -> Result<Counts, Failure>,
) -> ExitCode {
    report(name, |options| {
        let start = format!("{}{}}}\n", start(name, tier), options.number("threads")?);
        let host = options.text("host")?;
        let ready = |port| println!(r#"{start}{{"event":"ready","host":{host:?},"port":{port}}}"#);
        let counts = run(options, (host, options.number("port")? as u16), &ready)?;
        println!(r#"{}{{"event":"end","iterations":0}}"#, counter::operations(&counts));
        Ok(())
    })
}

/// The error of an address that cannot be listened on.
pub fn cannot_be_listened_on((host, port): (&str, u16), reason: &io::Error) -> UserError {
    UserError(format!("host {host:?} port {port} cannot be listened on: {:?}", reason.to_string()))
}
