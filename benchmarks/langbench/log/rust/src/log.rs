//! Search of logs by the CLP algorithm or by regular expressions; see `langbench/log/contract.md`.

mod archive;
mod counters;
#[cfg_attr(feature = "shared", path = "shared_dictionaries.rs")]
#[cfg_attr(not(feature = "shared"), path = "own_dictionaries.rs")]
mod dictionaries;
mod folder;
mod query;
mod tokens;
mod workers;

use std::ops::Range;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use regex::bytes::Regex;
use runfair_harness::{fnv1a, read, Benchmark, Counter, Failure, Options, UserError, FNV1A};

use crate::archive::{lines, Archive, Messages, Parser};
use crate::counters::{LINES, MATCHES};
use crate::dictionaries::{merge, parsers, Block, TIER};
use crate::folder::{default_queries, log_files, read_queries};
use crate::query::{Plan, Query};
use crate::workers::in_parallel;

/// A matching line, and the number of its file.
struct Match {
    file: usize,
    line: Vec<u8>,
}

/// The matches of every query.
type Found = Vec<Vec<Match>>;

/// What workers found, and what they made, so that freeing it is not timed.
struct Results {
    matches: Found,
    _made: Option<(Archive, Vec<Vec<Messages>>)>,
}

struct Log {
    indexed: bool,
    queries: Vec<Query>,
    files: Vec<String>,
    workers: usize,
}

impl Log {
    fn indexed<const COUNT: bool>(&self, counter: &mut Counter<COUNT>) -> Result<Results, Failure> {
        let parse = |(worker, mut parser): (usize, Parser)| {
            move |counter: &mut Counter<COUNT>| {
                for file in self.block(worker) {
                    parser.parse(&read(&self.files[file])?, counter);
                }
                Ok(parser)
            }
        };
        let parsers =
            in_parallel(counter, parsers(self.workers).into_iter().enumerate().map(parse))?;
        let (archive, blocks) = merge(parsers, counter);
        let plans: Vec<Plan> =
            self.queries.iter().map(|query| Plan::new(query, &archive, counter)).collect();
        let matches = Mutex::new(self.no_matches());
        let search = |(worker, block): (usize, Block)| {
            let (archive, plans, matches) = (&archive, &plans, &matches);
            move |counter: &mut Counter<COUNT>| {
                let files = block.renumbered(archive);
                let mut found = self.no_matches();
                for (plan, found) in plans.iter().zip(&mut found) {
                    for (file, messages) in self.block(worker).zip(&files) {
                        let lines = plan.search(archive, messages, counter);
                        found.extend(lines.map(|line| Match { file, line }));
                    }
                }
                append(matches, found);
                Ok(files)
            }
        };
        let blocks = in_parallel(counter, blocks.into_iter().enumerate().map(search))?;
        Ok(Results { matches: sorted(matches), _made: Some((archive, blocks)) })
    }

    fn regex<const COUNT: bool>(&self, counter: &mut Counter<COUNT>) -> Result<Results, Failure> {
        let expressions: Vec<Regex> = (self.queries.iter())
            .map(Query::expression)
            .collect::<Result<_, _>>()
            .map_err(|error| UserError(format!("a query cannot be searched for: {error}")))?;
        let matches = Mutex::new(self.no_matches());
        let search = |worker| {
            let (expressions, matches) = (&expressions, &matches);
            move |counter: &mut Counter<COUNT>| {
                let mut found = self.no_matches();
                for (expression, found) in expressions.iter().zip(&mut found) {
                    for file in self.block(worker) {
                        let content = read(&self.files[file])?;
                        for line in lines(&content) {
                            counter.tick(LINES);
                            if expression.is_match(line) {
                                counter.tick(MATCHES);
                                found.push(Match { file, line: line.to_vec() });
                            }
                        }
                    }
                }
                append(matches, found);
                Ok(())
            }
        };
        in_parallel(counter, (0..self.workers).map(search))?;
        Ok(Results { matches: sorted(matches), _made: None })
    }

    fn no_matches(&self) -> Found {
        self.queries.iter().map(|_| Vec::new()).collect()
    }

    /// The numbers of a worker's files, which are neighbours.
    fn block(&self, worker: usize) -> Range<usize> {
        let first = |worker| self.files.len() * worker / self.workers;
        first(worker)..first(worker + 1)
    }
}

fn append(matches: &Mutex<Found>, found: Found) {
    // A worker that panicked ends the process.
    let mut matches = matches.lock().unwrap_or_else(PoisonError::into_inner);
    for (matches, found) in matches.iter_mut().zip(found) {
        matches.extend(found);
    }
}

fn sorted(matches: Mutex<Found>) -> Found {
    let mut matches = matches.into_inner().unwrap_or_else(PoisonError::into_inner);
    for found in &mut matches {
        found.sort_by_key(|found| found.file);
    }
    matches
}

impl Benchmark for Log {
    const NAME: &'static str = "log";
    const TIER: &'static str = TIER;
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
    const MOST_THREADS: u64 = 1024;

    type Work = ();
    type Answer = Results;

    fn load(options: &Options) -> Result<Self, Failure> {
        let queries = match options.text("queries")? {
            "" => default_queries(options.text("workload")?),
            path => read_queries(path)?,
        };
        Ok(Self {
            indexed: options.text("form")? == "indexed",
            queries,
            files: log_files(options.text("input")?)?,
            workers: options.number("threads")?.min(Self::MOST_THREADS) as usize,
        })
    }

    fn prepare(&self) {}

    fn run<const COUNT: bool>(
        &self,
        (): (),
        counter: &mut Counter<COUNT>,
    ) -> Result<Results, Failure> {
        if self.indexed {
            self.indexed(counter)
        } else {
            self.regex(counter)
        }
    }

    fn digest(&self, results: &Results) -> u64 {
        let mut hash = FNV1A;
        for found in &results.matches {
            hash = fnv1a(hash, format!("{}\n", found.len()).as_bytes());
            for Match { line, .. } in found {
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
