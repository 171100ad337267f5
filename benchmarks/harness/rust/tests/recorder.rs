//! Recorders, their files, and the samples in an iteration's line.

#![allow(clippy::unwrap_used)] // a panic is how a test fails

use std::collections::BTreeMap;
use std::env::temp_dir;
use std::fs;
use std::path::PathBuf;
use std::process;
use std::thread;

use runfair_harness::{cell, execute, Benchmark, Counter, Failure, Options, Recorder, UserError};

/// A folder that goes when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path = temp_dir().join(format!("runfair-{test}-{}", process::id()));
        fs::create_dir(&path).unwrap();
        Self(path)
    }
    fn options(&self) -> Options {
        let samples = format!("samples={}", self.0.display());
        let others = ["threads=1", "iterations=2", "limit=3"].map(str::to_owned);
        Options("late", [samples].into_iter().chain(others).collect())
    }
    /// The index in the file, and the counts of the cells that hold samples.
    fn read(&self) -> (u64, BTreeMap<usize, u64>) {
        let content = fs::read(self.0.join("lateness.counts")).unwrap();
        assert_eq!(content.len(), 311_304);
        let numbers = content.chunks(8).map(|eight| u64::from_le_bytes(eight.try_into().unwrap()));
        let mut numbers = numbers.collect::<Vec<_>>().into_iter();
        let index = numbers.next().unwrap();
        (index, numbers.enumerate().filter(|&(_, count)| count > 0).collect())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

#[test]
fn each_cell_begins_where_the_one_before_ends() {
    for number in 1..38_912 {
        let shift = (number / 1024usize).saturating_sub(1);
        let first = ((number - shift * 1024) as i64) << shift;
        assert_eq!([cell(first - 1), cell(first)], [number - 1, number]);
    }
}

#[test]
fn values_out_of_range_are_in_the_outermost_cells() {
    assert_eq!([-1, i64::MIN, 1 << 47, i64::MAX].map(cell), [0, 0, 38_911, 38_911]);
}

#[test]
fn no_sample_of_several_threads_is_lost() {
    let folder = Folder::new("threads");
    let recorder = folder.options().recorder("lateness").unwrap();
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| (0..50_000).for_each(|value| recorder.record(value % 2)));
        }
    });
    assert_eq!(folder.read(), (0, BTreeMap::from([(0, 200_000), (1, 200_000)])));
}

#[test]
fn a_recorder_without_a_folder_is_the_users_mistake() {
    let failure = Options("late", Vec::new()).recorder("lateness").err().unwrap();
    assert!(failure.is::<UserError>());
    assert!(failure.to_string().starts_with("option samples=VALUE is missing; "));
}

/// Records the numbers below `limit`, and the first of them twice.
struct Late {
    limit: i64,
    lateness: Recorder,
}

impl Benchmark for Late {
    const NAME: &'static str = "late";
    const COUNTERS: &'static [&'static str] = &[];
    type Work = ();
    type Answer = ();

    fn load(options: &Options) -> Result<Self, Failure> {
        Ok(Self { limit: options.number("limit")? as i64, lateness: options.recorder("lateness")? })
    }

    fn prepare(&self) {}

    fn run<const COUNT: bool>(&self, (): (), _: &mut Counter<COUNT>) -> Result<(), Failure> {
        (0..self.limit).chain([0]).for_each(|value| self.lateness.record(value));
        Ok(())
    }

    fn digest(&self, (): &()) -> u64 {
        0
    }
}

#[test]
fn each_iteration_has_its_own_samples() {
    let folder = Folder::new("iterations");
    let mut output = Vec::new();
    execute::<Late>(&folder.options(), &mut output).unwrap();
    let lines = String::from_utf8(output).unwrap();
    let lines: Vec<&str> = lines.lines().filter(|line| line.contains("iteration\"")).collect();
    assert_eq!(lines.len(), 2);
    for line in lines {
        assert!(line.ends_with(r#","samples":{"lateness": [0, 2, 1, 1, 2, 1]}}"#), "{line}");
    }
    assert_eq!(folder.read(), (1, BTreeMap::from([(0, 2), (1, 1), (2, 1)])));
}
