//! Search of logs by the CLP algorithm or by regular expressions; see `langbench/log/contract.md`.

mod archive;
mod folder;
mod query;
mod tokens;

use std::ops::Range;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::thread;

use regex::bytes::Regex;
use runfair_harness::{read, Benchmark, Counter, Fnv1a, Options, UserError};

use crate::archive::{lines, merge, Archive, Messages, Parser};
use crate::folder::{default_queries, log_files, read_queries};
use crate::query::{Plan, Query};
use crate::tokens::{next_token, NUMBER_PLACEHOLDER};

const LINES: usize = 0;
const TOKENS: usize = 1;
const NUMBERS: usize = 2;
const REFERENCES: usize = 3;
const LOG_TYPES: usize = 4;
const VARIABLES: usize = 5;
const SCANNED: usize = 6;
const CANDIDATES: usize = 7;
const MATCHES: usize = 8;
const DECODED_LINES: usize = 9;

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
    archive: Option<(Archive, Vec<Vec<Messages>>)>,
}

struct Log {
    indexed: bool,
    queries: Vec<Query>,
    files: Vec<PathBuf>,
    workers: usize,
}

impl Log {
    fn indexed(&self) -> Result<Results, UserError> {
        let parsers = in_parallel((0..self.workers).map(|worker| {
            move || {
                let mut parser = Parser::default();
                for file in self.block(worker) {
                    parser.parse(&read(&self.files[file])?);
                }
                Ok(parser)
            }
        }))?;
        let (archive, blocks) = merge(parsers);
        let plans = self.plans(&archive);
        let matches = Mutex::new(self.no_matches());
        let blocks = in_parallel(blocks.into_iter().enumerate().map(|(worker, block)| {
            let (archive, plans, matches) = (&archive, &plans, &matches);
            move || {
                let files = block.renumbered(archive);
                let mut found = self.no_matches();
                for (plan, found) in plans.iter().zip(&mut found) {
                    for (file, messages) in self.block(worker).zip(&files) {
                        let lines = plan.search(archive, messages);
                        found.extend(lines.map(|line| Match { file, line }));
                    }
                }
                append(matches, found);
                Ok(files)
            }
        }))?;
        Ok(Results { matches: sorted(matches), archive: Some((archive, blocks)) })
    }

    fn regex(&self) -> Result<Results, UserError> {
        let expressions: Vec<Regex> = (self.queries.iter())
            .map(Query::expression)
            .collect::<Result<_, _>>()
            .map_err(|error| UserError(format!("a query cannot be searched for: {error}")))?;
        let matches = Mutex::new(self.no_matches());
        in_parallel((0..self.workers).map(|worker| {
            let (expressions, matches) = (&expressions, &matches);
            move || {
                let mut found = self.no_matches();
                for (expression, found) in expressions.iter().zip(&mut found) {
                    for file in self.block(worker) {
                        let content = read(&self.files[file])?;
                        for line in lines(&content).filter(|line| expression.is_match(line)) {
                            found.push(Match { file, line: line.to_vec() });
                        }
                    }
                }
                append(matches, found);
                Ok(())
            }
        }))?;
        Ok(Results { matches: sorted(matches), archive: None })
    }

    fn plans(&self, archive: &Archive) -> Vec<Plan<'_>> {
        self.queries.iter().map(|query| Plan::new(query, archive)).collect()
    }

    fn no_matches(&self) -> Found {
        self.queries.iter().map(|_| Vec::new()).collect()
    }

    /// The numbers of a worker's files.
    fn block(&self, worker: usize) -> Range<usize> {
        let first = |worker| self.files.len() * worker / self.workers;
        first(worker)..first(worker + 1)
    }

    /// Counts what an iteration made; every file is decoded and compared with what is read anew.
    fn count<C: Counter>(&self, results: &Results, counter: &mut C) -> Result<(), UserError> {
        let mut add = |which, amount| (0..amount).for_each(|_| counter.tick(which));
        add(MATCHES, results.matches.iter().map(Vec::len).sum());
        let Some((archive, blocks)) = &results.archive else {
            for file in &self.files {
                add(LINES, lines(&read(file)?).count() * self.queries.len());
            }
            return Ok(());
        };
        let plans = self.plans(archive);
        add(LOG_TYPES, archive.log_types.len());
        add(VARIABLES, archive.variables.texts().len());
        add(SCANNED, plans.iter().map(|plan| plan.scanned).sum());
        for (file, messages) in self.files.iter().zip(blocks.iter().flatten()) {
            let content = read(file)?;
            assert!(decoded(archive, messages) == content, "{file:?} does not come back");
            add(LINES, messages.types.len());
            add(DECODED_LINES, messages.types.len());
            for (_, log_type, _) in archive.messages(messages) {
                for &kind in &log_type.kinds {
                    add(if kind == NUMBER_PLACEHOLDER { NUMBERS } else { REFERENCES }, 1);
                }
            }
            let mut from = 0;
            while let Some(token) = next_token(&content, from) {
                add(TOKENS, 1);
                from = token.end;
            }
            for plan in &plans {
                add(CANDIDATES, plan.candidates(archive, messages).count());
            }
        }
        Ok(())
    }
}

fn decoded(archive: &Archive, messages: &Messages) -> Vec<u8> {
    let mut content = Vec::new();
    for (_, log_type, values) in archive.messages(messages) {
        archive.decode(&mut content, log_type, values);
        content.push(b'\n');
    }
    if !messages.ended {
        content.pop();
    }
    content
}

/// Has every worker work, in a thread of its own if there are several, and gives what each made.
fn in_parallel<T: Send>(
    works: impl ExactSizeIterator<Item = impl FnOnce() -> Result<T, UserError> + Send>,
) -> Result<Vec<T>, UserError> {
    if works.len() == 1 {
        return works.map(|work| work()).collect();
    }
    thread::scope(|scope| {
        let workers: Vec<_> = works.map(|work| scope.spawn(work)).collect();
        (workers.into_iter())
            .map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic)))
            .collect()
    })
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
    const WORKLOADS: &'static [&'static str] = &["hadoop", "spark"];
    const PARAMETERS: &'static [(&'static str, &'static str)] =
        &[("form", "indexed"), ("queries", "")];
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
        "decoded_lines",
    ];
    const INPUTS: usize = 1;
    const MAX_THREADS: u64 = 1024;

    type Work = ();
    type Answer = Results;

    fn load(options: &Options) -> Result<Self, UserError> {
        let form = options.text("form");
        if !["indexed", "regex"].contains(&form) {
            return Err(UserError(format!("unknown form {form:?}; it is one of indexed, regex")));
        }
        let queries = match options.text("queries") {
            "" => default_queries(&options.workload),
            path => read_queries(path)?,
        };
        Ok(Self {
            indexed: form == "indexed",
            queries,
            files: log_files(&options.inputs[0])?,
            workers: options.threads.min(Self::MAX_THREADS) as usize,
        })
    }

    fn prepare(&self) {}

    fn run<C: Counter>(&self, (): (), counter: &mut C) -> Result<Results, UserError> {
        let results = if self.indexed { self.indexed() } else { self.regex() }?;
        if C::COUNTS {
            self.count(&results, counter)?;
        }
        Ok(results)
    }

    fn digest(&self, results: &Results) -> u64 {
        let mut hash = Fnv1a::new();
        for found in &results.matches {
            hash.add(format!("{}\n", found.len()).as_bytes());
            for Match { line, .. } in found {
                hash.add(line);
                hash.add(b"\n");
            }
        }
        hash.value()
    }
}

fn main() -> ExitCode {
    runfair_harness::main::<Log>()
}
