//! The in-language half of the program contract, version 1 (`benchmarks/contract.md`).
//!
//! A program implements [`Benchmark`] and calls [`main`]; options, clocks, output, the shared
//! primitives and the loop over iterations are here.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::{self, Write as _};
use std::fs;
use std::hint::black_box;
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;

const CONTRACT: u64 = 1;

/// The contract allows ten writes a second.
const WRITE_INTERVAL_NS: u64 = 100_000_000;

/// A benchmark as the harness sees it; the value itself is the state that `load` makes.
pub trait Benchmark: Sized {
    const NAME: &'static str;
    const TIER: &'static str = "standard";
    const WORKLOADS: &'static [&'static str];
    /// Names of the parameters, with their defaults.
    const PARAMETERS: &'static [(&'static str, &'static str)] = &[];
    /// Names of the counters, in the order of the indices given to [`Counter::tick`].
    const COUNTERS: &'static [&'static str];
    const MAX_INPUTS: usize = 0;
    const MAX_THREADS: u64 = 1;

    type Work;
    type Answer;

    /// Reads the input and builds what every iteration starts from; never timed.
    fn load(options: &Options) -> Result<Self, UserError>;
    /// A fresh copy of what one iteration will change; never timed.
    fn prepare(&self) -> Self::Work;
    /// The task, timed. What it drops is dropped inside the clocks: hand it out in the answer.
    fn run<C: Counter>(&self, work: Self::Work, counter: &mut C)
        -> Result<Self::Answer, UserError>;
    /// FNV-1a of the answer; never timed.
    fn digest(&self, answer: &Self::Answer) -> u64;
    /// The benchmark's own figures of one iteration; never timed.
    fn measurements(&self, _answer: &Self::Answer) -> Measurements {
        Measurements::default()
    }
}

/// Counts operations, or compiles to nothing.
pub trait Counter {
    fn tick(&mut self, counter: usize);
}

/// The counter of timed iterations.
pub struct Uncounted;

impl Counter for Uncounted {
    #[inline(always)]
    fn tick(&mut self, _counter: usize) {}
}

/// The counter of `--count`.
pub struct Counted(Vec<u64>);

impl Counter for Counted {
    fn tick(&mut self, counter: usize) {
        self.0[counter] += 1;
    }
}

/// What the user did wrong and how to put it right, in one line; exit status 2.
#[derive(Debug)]
pub struct UserError(pub String);

impl fmt::Display for UserError {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// A figure of the benchmark's own, beside its times.
pub struct Metric {
    pub name: String,
    pub value: f64,
    pub unit: String,
}

pub enum Series {
    Values(Vec<f64>),
    /// An HdrHistogram, V2 compressed, base 64.
    Hdr(String),
}

pub struct Sample {
    pub name: String,
    pub unit: String,
    pub series: Series,
}

#[derive(Default)]
pub struct Measurements {
    pub metrics: Vec<Metric>,
    pub samples: Vec<Sample>,
}

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
pub struct SplitMix64(u64);

impl SplitMix64 {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    #[allow(clippy::should_implement_trait)] // the contract's name; it never ends
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = self.0;
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A value below `n`, which is at least 1 and below 2³².
    pub fn bounded(&mut self, n: u64) -> u64 {
        (self.next() >> 32) % n
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.bounded(i as u64 + 1) as usize);
        }
    }
}

/// FNV-1a, 64 bits (Fowler, Noll, Vo; draft-eastlake-fnv).
pub struct Fnv1a(u64);

impl Fnv1a {
    #[allow(clippy::new_without_default)] // a hash begins somewhere: say so
    pub fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }

    pub fn value(&self) -> u64 {
        self.0
    }
}

/// The command line.
#[derive(Debug)]
pub struct Options {
    pub workload: String,
    pub size: String,
    pub seed: u64,
    pub threads: u64,
    pub inputs: Vec<PathBuf>,
    parameters: BTreeMap<String, String>,
    iterations: Option<u64>,
    max_seconds: Option<f64>,
    count: bool,
}

impl Options {
    /// Reads the arguments, without the program's own name.
    pub fn parse<B: Benchmark>(
        arguments: impl IntoIterator<Item = OsString>,
    ) -> Result<Self, UserError> {
        let mut options = Options {
            workload: "classic".to_owned(),
            size: "unnamed".to_owned(),
            seed: 1,
            threads: 1,
            inputs: Vec::new(),
            parameters: (B::PARAMETERS.iter())
                .map(|&(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            iterations: None,
            max_seconds: None,
            count: false,
        };
        let mut arguments = arguments.into_iter().peekable();
        while let Some(argument) = arguments.next() {
            let Some(option) = argument.to_str().filter(|text| KNOWN.contains(text)) else {
                return Err(UserError(format!(
                    "unknown option {argument:?}; the options are {}",
                    KNOWN.join(", ")
                )));
            };
            if option == "--count" {
                options.count = true;
                continue;
            }
            let value = arguments
                .next_if(|next| !next.to_string_lossy().starts_with("--"))
                .ok_or_else(|| UserError(format!("{option} needs a value after it")))?;
            if option == "--input" {
                options.inputs.push(PathBuf::from(value));
                continue;
            }
            let value = value
                .into_string()
                .map_err(|value| UserError(format!("{option} takes UTF-8 text, not {value:?}")))?;
            match option {
                "--workload" => options.workload = one_of(B::WORKLOADS, "workload", value)?,
                "--size" => options.size = value,
                "--seed" => options.seed = integer(option, &value, 0..=u64::MAX)?,
                "--threads" => options.threads = integer(option, &value, 1..=i32::MAX as u64)?,
                "--iterations" => {
                    options.iterations = Some(integer(option, &value, 0..=i64::MAX as u64)?);
                }
                "--max-seconds" => options.max_seconds = Some(seconds(option, &value)?),
                _ => {
                    let (name, value) = value.split_once('=').ok_or_else(|| {
                        UserError(format!("--param takes NAME=VALUE, not {value:?}"))
                    })?;
                    let known: Vec<&str> = B::PARAMETERS.iter().map(|&(name, _)| name).collect();
                    let name = one_of(&known, "parameter", name.to_owned())?;
                    options.parameters.insert(name, value.to_owned());
                }
            }
        }
        one_of(B::WORKLOADS, "workload", options.workload.clone())?;
        if options.inputs.len() > B::MAX_INPUTS {
            return Err(UserError(format!(
                "takes at most {} --input, not {}",
                B::MAX_INPUTS,
                options.inputs.len()
            )));
        }
        Ok(options)
    }

    /// The parameter `name`, a decimal integer within `range`.
    pub fn integer(&self, name: &str, range: RangeInclusive<u64>) -> Result<u64, UserError> {
        integer(&format!("--param {name}"), &self.parameters[name], range)
    }

    /// Iterations to do at most; none is until time or standard input ends.
    fn limit(&self) -> Option<u64> {
        match (self.count, self.iterations) {
            (true, _) => Some(1),
            (false, Some(0)) => None,
            (false, None) if self.max_seconds.is_none() => Some(1),
            (false, iterations) => iterations,
        }
    }

    fn watches_standard_input(&self) -> bool {
        !self.count && self.iterations == Some(0)
    }
}

const KNOWN: &[&str] = &[
    "--workload",
    "--size",
    "--seed",
    "--threads",
    "--input",
    "--param",
    "--iterations",
    "--max-seconds",
    "--count",
];

fn one_of(known: &[&str], what: &str, name: String) -> Result<String, UserError> {
    if known.contains(&name.as_str()) {
        return Ok(name);
    }
    Err(UserError(match known {
        [] => format!("has no {what}s; leave {name:?} out"),
        _ => format!("unknown {what} {name:?}; it is one of {}", known.join(", ")),
    }))
}

fn integer(what: &str, text: &str, range: RangeInclusive<u64>) -> Result<u64, UserError> {
    // `parse` alone would take a sign.
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    (text.parse().ok()).filter(|value| digits && range.contains(value)).ok_or_else(|| {
        let (low, high) = range.into_inner();
        UserError(format!("{what} takes an integer from {low} to {high}, not {text:?}"))
    })
}

fn seconds(what: &str, text: &str) -> Result<f64, UserError> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    (text.parse().ok())
        .filter(|value: &f64| digits(whole) && digits(fraction) && value.is_finite())
        .ok_or_else(|| {
            UserError(format!("{what} takes a decimal number such as 2.5, not {text:?}"))
        })
}

/// The bytes of an input file.
pub fn read(path: &Path) -> Result<Vec<u8>, UserError> {
    fs::read(path).map_err(|error| UserError(format!("{path:?} cannot be read: {error}")))
}

fn clock_ns(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place for the one value that is written.
    let status = unsafe { libc::clock_gettime(clock, &mut time) };
    assert_eq!(status, 0, "clock_gettime: {}", io::Error::last_os_error());
    nanoseconds(time.tv_sec, time.tv_nsec)
}

fn nanoseconds(seconds: i64, nanoseconds: i64) -> u64 {
    (seconds * 1_000_000_000 + nanoseconds) as u64
}

pub fn monotonic_ns() -> u64 {
    clock_ns(libc::CLOCK_MONOTONIC)
}

/// User and system time of all threads and of reaped children.
fn cpu_ns() -> u64 {
    // SAFETY: all-zero bytes are a valid `rusage`, which is plain integers.
    let mut children: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `children` is a valid place for the one value that is written.
    let status = unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &mut children) };
    assert_eq!(status, 0, "getrusage: {}", io::Error::last_os_error());
    let [user_ns, system_ns] = [children.ru_utime, children.ru_stime]
        .map(|time| nanoseconds(time.tv_sec, time.tv_usec * 1_000));
    clock_ns(libc::CLOCK_PROCESS_CPUTIME_ID) + user_ns + system_ns
}

fn cpu_clock_resolution_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place for the one value that is written.
    let status = unsafe { libc::clock_getres(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    assert_eq!(status, 0, "clock_getres: {}", io::Error::last_os_error());
    nanoseconds(time.tv_sec, time.tv_nsec)
}

/// Whether standard input has ended; takes what has come, and never waits.
fn standard_input_ended() -> bool {
    let mut input = libc::pollfd { fd: libc::STDIN_FILENO, events: libc::POLLIN, revents: 0 };
    // SAFETY: `input` is the one descriptor that the count speaks of.
    if unsafe { libc::poll(&mut input, 1, 0) } <= 0 {
        return false;
    }
    let mut taken = [0_u8; 4096];
    // SAFETY: `taken` is writable for the length given.
    let length = unsafe { libc::read(libc::STDIN_FILENO, taken.as_mut_ptr().cast(), taken.len()) };
    match length {
        0 => true,
        1.. => false,
        _ => !matches!(
            io::Error::last_os_error().kind(),
            io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock
        ),
    }
}

/// One flat JSON object under construction.
struct Object(String);

impl Object {
    fn new() -> Self {
        Self("{".to_owned())
    }

    fn event(name: &str) -> Self {
        Self::new().text("event", name)
    }

    fn json(mut self, name: &str, value: impl fmt::Display) -> Self {
        let comma = if self.0.len() > 1 { "," } else { "" };
        let name = quoted(name);
        // Writing to a string cannot fail.
        let _ = write!(self.0, "{comma}{name}:{value}");
        self
    }

    fn text(self, name: &str, value: &str) -> Self {
        self.json(name, quoted(value))
    }

    fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

fn quoted(text: &str) -> String {
    let mut json = "\"".to_owned();
    for character in text.chars() {
        match character {
            '"' | '\\' => json.extend(['\\', character]),
            // Writing to a string cannot fail.
            '\0'..='\x1f' => drop(write!(json, "\\u{:04x}", u32::from(character))),
            _ => json.push(character),
        }
    }
    json.push('"');
    json
}

/// A number of JSON, which has neither infinities nor NaN.
fn number(value: f64) -> f64 {
    assert!(value.is_finite(), "a metric or sample is {value}");
    value
}

/// Lines of output, kept until there is time to write them.
pub struct Lines<W> {
    output: W,
    kept: String,
    written_monotonic_ns: u64,
}

impl<W: Write> Lines<W> {
    pub fn new(output: W) -> Self {
        Self { output, kept: String::new(), written_monotonic_ns: 0 }
    }

    fn add(&mut self, line: Object) {
        self.kept.push_str(&line.end());
        self.kept.push('\n');
    }

    /// To be called between iterations.
    fn write_if_due(&mut self) -> io::Result<()> {
        if monotonic_ns() - self.written_monotonic_ns >= WRITE_INTERVAL_NS {
            self.write()?;
        }
        Ok(())
    }

    pub fn write(&mut self) -> io::Result<()> {
        self.output.write_all(self.kept.as_bytes())?;
        self.output.flush()?;
        self.kept.clear();
        self.written_monotonic_ns = monotonic_ns();
        Ok(())
    }

    fn iteration(&mut self, index: u64, times: &Times, digest: u64, metrics: &[Metric]) {
        let mut line = Object::event("iteration")
            .json("index", index)
            .json("started_monotonic_ns", times.started_monotonic_ns)
            .json("wall_ns", times.wall_ns)
            .json("cpu_ns", times.cpu_ns)
            .text("digest", &format!("{digest:016x}"));
        if !metrics.is_empty() {
            let all = metrics.iter().fold(Object::new(), |all, metric| {
                let one = Object::new().json("value", number(metric.value));
                all.json(&metric.name, one.text("unit", &metric.unit).end())
            });
            line = line.json("metrics", all.end());
        }
        self.add(line);
    }

    fn sample(&mut self, sample: &Sample) {
        let line = Object::event("sample").text("name", &sample.name).text("unit", &sample.unit);
        self.add(match &sample.series {
            Series::Hdr(histogram) => line.text("hdr", histogram),
            Series::Values(values) => {
                let values: Vec<String> = values.iter().map(|&v| number(v).to_string()).collect();
                line.json("values", format_args!("[{}]", values.join(",")))
            }
        });
    }

    /// A service is ready to be asked; written at once.
    pub fn ready(&mut self, host: &str, port: u16) -> io::Result<()> {
        self.add(Object::event("ready").text("host", host).json("port", port));
        self.write()
    }
}

fn start<B: Benchmark>(options: &Options, monotonic_ns: u64, realtime_ns: u64) -> Object {
    Object::event("start")
        .json("contract", CONTRACT)
        .text("benchmark", B::NAME)
        .text("language", "rust")
        .text("tier", B::TIER)
        .text("workload", &options.workload)
        .text("size", &options.size)
        .json("seed", options.seed)
        .text("runtime", env!("RUNFAIR_RUSTC"))
        .json("threads", options.threads.min(B::MAX_THREADS))
        .json("processors", thread::available_parallelism().map_or(1, usize::from))
        .json("monotonic_ns", monotonic_ns)
        .json("realtime_ns", realtime_ns)
        .json("cpu_clock_resolution_ns", cpu_clock_resolution_ns())
        .json("effective", effective().end())
}

fn effective() -> Object {
    let flags = env!("RUNFAIR_RUSTFLAGS");
    let instruction_set = if cfg!(target_feature = "avx512bw") {
        "x86-64-v4"
    } else if cfg!(target_feature = "avx2") {
        "x86-64-v3"
    } else if cfg!(target_feature = "sse4.2") {
        "x86-64-v2"
    } else if cfg!(target_arch = "x86_64") {
        "x86-64"
    } else {
        std::env::consts::ARCH
    };
    let effective = Object::new()
        .text("execution", "ahead-of-time")
        .text("optimisation", env!("RUNFAIR_OPT_LEVEL"))
        .text("build_profile", env!("RUNFAIR_PROFILE"))
        .text("debug_information", env!("RUNFAIR_DEBUG_INFORMATION"))
        .json("assertions", cfg!(debug_assertions))
        .json("pgo", flags.contains("profile-use"))
        .json("native", flags.contains("target-cpu=native"))
        .text("panic", if cfg!(panic = "unwind") { "unwind" } else { "abort" })
        .text("instruction_set", instruction_set)
        .text("target", env!("RUNFAIR_TARGET"));
    match flags {
        "" => effective,
        _ => effective.text("build_flags", flags),
    }
}

struct Times {
    started_monotonic_ns: u64,
    wall_ns: u64,
    cpu_ns: u64,
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

/// Why a program ends early.
#[derive(Debug)]
pub enum Failure {
    User(UserError),
    Output(io::Error),
}

impl From<UserError> for Failure {
    fn from(error: UserError) -> Self {
        Self::User(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// Carries out one execution and writes its lines to `output`.
pub fn execute<B: Benchmark>(
    arguments: impl IntoIterator<Item = OsString>,
    output: impl Write,
) -> Result<(), Failure> {
    let started_monotonic_ns = monotonic_ns();
    let started_realtime_ns = clock_ns(libc::CLOCK_REALTIME);
    let options = Options::parse::<B>(arguments)?;
    let mut lines = Lines::new(output);
    lines.add(start::<B>(&options, started_monotonic_ns, started_realtime_ns));
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
