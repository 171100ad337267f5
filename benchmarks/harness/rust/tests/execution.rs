//! An execution of a small benchmark, from its arguments to its lines.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a panic is how a test fails

use std::ffi::OsString;
use std::io::{self, Write};
use std::os::unix::ffi::OsStringExt;

use runfair_harness::{
    execute, Benchmark, Counter, Failure, Lines, Measurements, Metric, Options, Sample, Series,
    UserError,
};

/// Adds up to `limit`, and has everything that a benchmark may have.
struct Sum {
    limit: u64,
}

impl Benchmark for Sum {
    const NAME: &'static str = "sum";
    const WORKLOADS: &'static [&'static str] = &["classic", "odd"];
    const PARAMETERS: &'static [(&'static str, &'static str)] = &[("limit", "4")];
    const COUNTERS: &'static [&'static str] = &["additions", "nothings"];
    const MAX_THREADS: u64 = 8;

    type Work = u64;
    type Answer = u64;

    fn load(options: &Options) -> Result<Self, UserError> {
        Ok(Self { limit: options.integer("limit", 1..=9)? })
    }

    fn prepare(&self) -> u64 {
        0
    }

    fn run<C: Counter>(&self, mut sum: u64, counter: &mut C) -> Result<u64, UserError> {
        if self.limit == 9 {
            return Err(UserError("nine is too many".to_owned()));
        }
        for term in 1..=self.limit {
            counter.tick(0);
            sum += term;
        }
        Ok(sum)
    }

    fn digest(&self, sum: &u64) -> u64 {
        *sum
    }

    fn measurements(&self, sum: &u64) -> Measurements {
        let sample = |series| Sample { name: "s".into(), unit: "ns".into(), series };
        Measurements {
            metrics: vec![Metric { name: "q\"".into(), value: *sum as f64, unit: "1/s".into() }],
            samples: vec![
                sample(Series::Values(vec![1.0, 2.5])),
                sample(Series::Hdr("SGVs".into())),
            ],
        }
    }
}

fn lines(arguments: &[&str]) -> Vec<String> {
    let mut output = Vec::new();
    execute::<Sum>(arguments.iter().map(OsString::from), &mut output).unwrap();
    String::from_utf8(output).unwrap().lines().map(str::to_owned).collect()
}

fn message(arguments: Vec<OsString>) -> String {
    let mut output = Vec::new();
    let failure = execute::<Sum>(arguments, &mut output).unwrap_err();
    assert!(output.is_empty(), "a refused command line leaves standard output empty");
    match failure {
        Failure::User(error) => error.to_string(),
        Failure::Output(error) => panic!("{error}"),
    }
}

fn events(lines: &[String]) -> Vec<&str> {
    lines.iter().map(|line| line.split('"').nth(3).unwrap()).collect()
}

fn count_of(lines: &[String], event: &str) -> usize {
    events(lines).iter().filter(|&&e| e == event).count()
}

#[test]
fn one_iteration_with_its_metrics_and_samples_is_the_default() {
    let lines = lines(&[]);
    assert_eq!(events(&lines), ["start", "iteration", "sample", "sample", "end"]);
    assert!(lines[0].contains(r#""workload":"classic","size":"unnamed","seed":1,"#));
    assert!(lines[1].contains(r#""digest":"000000000000000a""#));
    assert!(lines[1].ends_with(r#""metrics":{"q\"":{"value":10,"unit":"1/s"}}}"#));
    assert_eq!(lines[2], r#"{"event":"sample","name":"s","unit":"ns","values":[1,2.5]}"#);
    assert_eq!(lines[3], r#"{"event":"sample","name":"s","unit":"ns","hdr":"SGVs"}"#);
    assert_eq!(lines[4], r#"{"event":"end","iterations":1}"#);
}

#[test]
fn what_was_told_is_repeated() {
    let seed = u64::MAX.to_string();
    let lines = lines(&["--seed", &seed, "--size", "a\"\\\n€", "--threads", "9"]);
    assert!(lines[0].contains(r#""size":"a\"\\\u000a€","seed":18446744073709551615,"#));
    assert!(lines[0].contains(r#""threads":8,"#), "no more threads than the benchmark can use");
}

#[test]
fn counting_does_one_iteration_and_tells_every_counter() {
    let lines = lines(&["--count", "--iterations", "5", "--param", "limit=7"]);
    assert_eq!(count_of(&lines, "iteration"), 1);
    let operations = &lines[lines.len() - 2];
    assert_eq!(operations, r#"{"event":"operations","counters":{"additions":7,"nothings":0}}"#);
}

#[test]
fn iterations_and_seconds_stop_whichever_comes_first() {
    assert_eq!(count_of(&lines(&["--iterations", "3"]), "iteration"), 3);
    assert_eq!(count_of(&lines(&["--iterations", "3", "--max-seconds", "0"]), "iteration"), 1);
    assert_eq!(count_of(&lines(&["--iterations", "2", "--max-seconds", "900"]), "iteration"), 2);
    assert!(count_of(&lines(&["--max-seconds", "0.05"]), "iteration") > 1);
}

#[test]
fn mistakes_are_told_in_one_line_that_quotes_them() {
    for (arguments, expected) in [
        (&["--frob"] as &[&str], r#"unknown option "--frob""#),
        (&["--seed=5"], r#"unknown option "--seed=5""#),
        (&["x\ny"], r#"unknown option "x\ny""#),
        (&["--seed"], "--seed needs a value"),
        (&["--size", "--count"], "--size needs a value"),
        (&["--seed", "18446744073709551616"], "--seed takes an integer from 0"),
        (&["--seed", "-1"], "--seed takes"),
        (&["--seed", "+1"], "--seed takes"),
        (&["--seed", ""], "--seed takes"),
        (&["--threads", "0"], "--threads takes an integer from 1"),
        (&["--iterations", "1.5"], "--iterations takes"),
        (&["--max-seconds", "1e3"], "--max-seconds takes"),
        (&["--max-seconds", "inf"], "--max-seconds takes"),
        (&["--max-seconds", "9223372037"], "--max-seconds takes"),
        (&["--max-seconds", "-1"], "--max-seconds takes"),
        (&["--max-seconds", "1."], "--max-seconds takes"),
        (&["--workload", "even"], r#"unknown workload "even"; it is one of classic, odd"#),
        (&["--param", "limit"], "--param takes NAME=VALUE"),
        (&["--param", "size=4"], r#"unknown parameter "size"; it is one of limit"#),
        (&["--param", "limit=0"], "--param limit takes an integer from 1 to 9"),
        (&["--param", "limit=10"], "--param limit takes"),
        (&["--param", "limit=4x"], "--param limit takes"),
        (&["--input", "a", "--input", "b"], "takes 0 --input PATH, not 2"),
    ] {
        let message = message(arguments.iter().map(OsString::from).collect());
        assert!(message.starts_with(expected), "{arguments:?}: {message}");
        assert!(!message.contains('\n'), "{arguments:?}: {message}");
    }
    let size = vec![OsString::from("--size"), OsString::from_vec(vec![0xff])];
    assert!(message(size).starts_with("--size takes UTF-8"));
}

#[test]
fn a_task_that_finds_its_input_wrong_is_the_users_mistake() {
    let arguments = ["--param", "limit=9"].map(OsString::from);
    let failure = execute::<Sum>(arguments, io::sink()).unwrap_err();
    assert!(matches!(failure, Failure::User(error) if error.0 == "nine is too many"));
}

#[test]
fn a_service_says_that_it_is_ready_at_once() {
    let mut output = Vec::new();
    Lines::new(&mut output).ready("::1", 8080).unwrap();
    assert_eq!(output, b"{\"event\":\"ready\",\"host\":\"::1\",\"port\":8080}\n");
}

/// Counts the writes that reach it.
struct Writes(usize);

impl Write for &mut Writes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += 1;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn lines_of_many_short_iterations_are_written_seldom() {
    let mut writes = Writes(0);
    let arguments = ["--max-seconds", "0.35"].map(OsString::from);
    execute::<Sum>(arguments, &mut writes).unwrap();
    // One for the start, one a tenth of a second at most, one for the end.
    assert!((2..=5).contains(&writes.0), "{} writes", writes.0);
}
