//! The contract's pseudocode over vectors and hash maps: `langbench/log/contract.md`.

mod archive;
mod counters;
mod folder;
mod plan;
mod query;
mod tokens;

use std::process::ExitCode;

use runfair_harness::{fnv1a, read, Benchmark, Counter, Failure, Options, FNV1A};

use crate::archive::Archive;
use crate::counters::{LINES, MATCHES};
use crate::folder::{lines_of, log_files, read_queries};
use crate::plan::Plan;
use crate::query::{Query, HADOOP, SPARK};

struct Log {
    indexed: bool,
    queries: Vec<Query>,
    files: Vec<String>,
}

struct Answer {
    found: Vec<Vec<Vec<u8>>>,
    _archive: Archive,
}

impl Log {
    fn indexed<const COUNT: bool>(&self, counter: &mut Counter<COUNT>) -> Result<Answer, Failure> {
        let mut archive = Archive::default();
        for file in &self.files {
            archive.parse(&read(file)?, counter);
        }
        let mut plans = Vec::new();
        for query in &self.queries {
            plans.push(Plan::new(query, &archive, counter));
        }
        let mut found = Vec::new();
        for plan in &plans {
            let mut lines = Vec::new();
            for messages in &archive.files {
                plan.search(messages, &mut lines, counter);
            }
            found.push(lines);
        }
        Ok(Answer { found, _archive: archive })
    }

    fn regex<const COUNT: bool>(&self, counter: &mut Counter<COUNT>) -> Result<Answer, Failure> {
        let mut expressions = Vec::new();
        for query in &self.queries {
            expressions.push(query.expression()?);
        }
        let mut found = Vec::new();
        for expression in &expressions {
            let mut lines = Vec::new();
            for file in &self.files {
                for line in lines_of(&read(file)?) {
                    counter.tick(LINES);
                    if expression.is_match(line) {
                        counter.tick(MATCHES);
                        lines.push(line.to_vec());
                    }
                }
            }
            found.push(lines);
        }
        Ok(Answer { found, _archive: Archive::default() })
    }
}

impl Benchmark for Log {
    const NAME: &'static str = "log";
    const TIER: &'static str = "plain";
    const COUNTERS: &'static [&'static str] = &[
        "lines",
        "tokens",
        "numbers",
        "references",
        "log_types",
        "variables",
        "scanned",
        "candidates",
        "matches",
    ];

    type Work = ();
    type Answer = Answer;

    fn load(options: &Options) -> Result<Self, Failure> {
        let queries = match (options.text("queries")?, options.text("workload")?) {
            ("", "hadoop") => HADOOP.map(Query::new).into(),
            ("", _) => SPARK.map(Query::new).into(),
            (path, _) => read_queries(path)?,
        };
        let files = log_files(options.text("input")?)?;
        Ok(Log { indexed: options.text("form")? == "indexed", queries, files })
    }

    fn prepare(&self) {}

    fn run<const COUNT: bool>(
        &self,
        (): (),
        counter: &mut Counter<COUNT>,
    ) -> Result<Answer, Failure> {
        if self.indexed {
            self.indexed(counter)
        } else {
            self.regex(counter)
        }
    }

    fn digest(&self, answer: &Answer) -> u64 {
        let mut hash = FNV1A;
        for lines in &answer.found {
            hash = fnv1a(hash, format!("{}\n", lines.len()).as_bytes());
            for line in lines {
                hash = fnv1a(hash, line);
                hash = fnv1a(hash, b"\n");
            }
        }
        hash
    }
}

fn main() -> ExitCode {
    runfair_harness::main::<Log>()
}
