//! One execution, from its arguments to its end.

use std::ffi::OsString;
use std::hint::black_box;
use std::io::{self, Write};
use std::process::ExitCode;
use std::thread;

use crate::benchmark::Benchmark;
use crate::clocks::{cpu_clock_resolution_ns, cpu_ns, monotonic_ns, realtime_ns};
use crate::counter::{Counted, Counter, Uncounted};
use crate::description::Description;
use crate::effective::effective;
use crate::failure::{Failure, UserError};
use crate::input::standard_input_ended;
use crate::json::Object;
use crate::lines::{Lines, Times};
use crate::options::Options;

const CONTRACT: u64 = 1;

pub(crate) fn start(
    described: &Description,
    options: &Options,
    monotonic_ns: u64,
    realtime_ns: u64,
) -> Object {
    Object::event("start")
        .json("contract", CONTRACT)
        .text("benchmark", described.name)
        .text("language", "rust")
        .text("tier", described.tier)
        .text("workload", &options.workload)
        .text("size", &options.size)
        .json("seed", options.seed)
        .text("runtime", env!("RUNFAIR_RUSTC"))
        .json("threads", options.threads.min(described.max_threads))
        .json("processors", thread::available_parallelism().map_or(1, usize::from))
        .json("monotonic_ns", monotonic_ns)
        .json("realtime_ns", realtime_ns)
        .json("cpu_clock_resolution_ns", cpu_clock_resolution_ns())
        .json("effective", effective().end())
}

fn iterate<B: Benchmark, C: Counter>(
    benchmark: &B,
    counter: &mut C,
) -> Result<(Times, B::Answer), UserError> {
    let mut work = benchmark.prepare();
    black_box(&mut work);
    let started_monotonic_ns = monotonic_ns();
    let started_cpu_ns = cpu_ns();
    let answer = benchmark.run(work, counter);
    black_box(&answer);
    let cpu_ns = cpu_ns() - started_cpu_ns;
    let wall_ns = monotonic_ns() - started_monotonic_ns;
    Ok((Times { started_monotonic_ns, wall_ns, cpu_ns }, answer?))
}

/// Carries out one execution and writes its lines to `output`.
pub fn execute<B: Benchmark>(
    arguments: impl IntoIterator<Item = OsString>,
    output: impl Write,
) -> Result<(), Failure> {
    let started_monotonic_ns = monotonic_ns();
    let started_realtime_ns = realtime_ns();
    let options = Options::parse::<B>(arguments)?;
    let mut lines = Lines::new(output);
    lines.add(start(&Description::of::<B>(), &options, started_monotonic_ns, started_realtime_ns));
    let benchmark = B::load(&options)?;
    lines.write()?;

    let mut counted = Counted(vec![0; B::COUNTERS.len()]);
    let mut index = 0;
    loop {
        let (times, answer) = if options.count {
            iterate(&benchmark, &mut counted)?
        } else {
            iterate(&benchmark, &mut Uncounted)?
        };
        let measured = benchmark.measurements(&answer);
        lines.iteration(index, &times, benchmark.digest(&answer), &measured.metrics);
        for sample in &measured.samples {
            lines.sample(sample);
        }
        index += 1;

        let elapsed_s = (monotonic_ns() - started_monotonic_ns) as f64 / 1e9;
        if options.limit().is_some_and(|limit| index >= limit)
            || options.max_seconds.is_some_and(|seconds| elapsed_s >= seconds)
            || options.watches_standard_input() && standard_input_ended()
        {
            break;
        }
        lines.write_if_due()?;
    }
    if options.count {
        let counters = (B::COUNTERS.iter().zip(&counted.0))
            .fold(Object::new(), |all, (name, count)| all.json(name, count));
        lines.add(Object::event("operations").json("counters", counters.end()));
    }
    lines.add(Object::event("end").json("iterations", index));
    lines.write()?;
    Ok(())
}

/// The whole of a program's `main`.
pub fn main<B: Benchmark>() -> ExitCode {
    match execute::<B>(std::env::args_os().skip(1), io::stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::User(error)) => {
            eprintln!("{}: {error}", B::NAME);
            ExitCode::from(2)
        }
        Err(Failure::Output(error)) => {
            eprintln!("{}: standard output cannot be written: {error}", B::NAME);
            ExitCode::FAILURE
        }
    }
}
