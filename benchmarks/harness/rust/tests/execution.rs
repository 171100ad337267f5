//! An execution of a small benchmark, from its options to its lines.

#![allow(clippy::unwrap_used)] // a panic is how a test fails

use std::io::{self, Write};

use runfair_harness::{execute, Benchmark, Counter, Failure, Options, UserError};

/// Adds up to `limit`.
struct Sum {
    limit: usize,
}

impl Benchmark for Sum {
    const NAME: &'static str = "sum";
    const COUNTERS: &'static [&'static str] = &["additions", "nothings"];
    type Work = usize;
    type Answer = usize;

    fn load(options: &Options) -> Result<Self, Failure> {
        Ok(Self { limit: options.number("limit")? as usize })
    }

    fn prepare(&self) -> usize {
        0
    }

    fn run<const COUNT: bool>(
        &self,
        mut sum: usize,
        counter: &mut Counter<COUNT>,
    ) -> Result<usize, Failure> {
        for term in 1..=self.limit {
            counter.tick(0);
            sum += term;
        }
        Ok(sum)
    }

    fn digest(&self, sum: &usize) -> u64 {
        *sum as u64
    }
}

fn executed(options: &str, output: impl Write) -> Result<(), Failure> {
    let options = options.split(' ').map(str::to_owned).collect();
    execute::<Sum>(&Options("sum", options), output)
}

fn lines(options: &str) -> Vec<String> {
    let mut output = Vec::new();
    executed(&format!("threads=3 limit=7 {options}"), &mut output).unwrap();
    String::from_utf8(output).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn every_iteration_counts_for_itself() {
    let lines = lines("iterations=2 count=1");
    assert_eq!(lines.len(), 6);
    let operations = r#"{"event":"operations","counters":{"additions":7,"nothings":0}}"#;
    assert!(lines[1].contains(r#""index":0,"digest":"000000000000001c","#));
    assert_eq!([&lines[2], &lines[4]], [operations; 2]);
    assert_eq!(lines[5], r#"{"event":"end","iterations":2}"#);
}

#[test]
fn seconds_end_an_execution() {
    assert_eq!(lines("iterations=3 seconds=0").len(), 3);
    assert_eq!(lines("iterations=3 seconds=900").len(), 5);
}

#[test]
fn a_missing_option_is_the_users_mistake() {
    let mut output = Vec::new();
    let failure = executed("threads=1 iterations=1", &mut output).unwrap_err();
    assert!(failure.is::<UserError>() && output.is_empty());
    assert!(failure.to_string().starts_with("option limit=VALUE is missing; ./runfair exec sum "));
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
    executed("threads=1 limit=1 iterations=999999999 seconds=0.35", &mut writes).unwrap();
    // One for the start, one a tenth of a second at most, and the pieces of the last.
    assert!((2..=9).contains(&writes.0), "{} writes", writes.0);
}
