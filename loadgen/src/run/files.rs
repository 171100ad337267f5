//! The files of a run: created before the load starts, so that a path that cannot be
//! written costs no run, and beside those they replace, so that a server that cannot be
//! reached costs none of an earlier one.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{bail, Context};
use hdrhistogram::Histogram;

use crate::cli::arguments::OutputArguments;
use crate::engine::crew::Start;
use crate::judgement::censored::Failed;
use crate::judgement::evidence::share;
use crate::recording::collector::Outputs;
use crate::recording::interval_log::IntervalLog;
use crate::recording::records::Header;
use crate::report::{write_percentiles, RunResult};
use runfair_measuring::recording::output::Output;
use runfair_measuring::recording::replacement::Replacement;

/// Says which file cannot be written.
fn at<T>(path: &Path, outcome: io::Result<T>) -> anyhow::Result<T> {
    outcome.with_context(|| format!("{path:?} cannot be written"))
}

/// A file that is written whole at the end of a run.
type Late = Option<(PathBuf, Replacement)>;

/// The files of a run, open and empty.
pub struct Files {
    log: Option<Output>,
    records: Option<Output>,
    percentiles: Late,
    result: Late,
}

impl Files {
    /// Creates what was asked for; what was there before stays for now.
    ///
    /// # Errors
    /// The first that cannot be.
    pub fn create(paths: &OutputArguments) -> anyhow::Result<Self> {
        let output = |path: &Option<PathBuf>| {
            path.as_deref()
                .map(|path| at(path, Output::create(path)))
                .transpose()
        };
        let late = |path: Option<&Path>| {
            path.map(|path| {
                let replacement = at(path, Replacement::begin(path));
                replacement.map(|replacement| (path.to_owned(), replacement))
            })
            .transpose()
        };
        Ok(Self {
            log: output(&paths.hlog)?,
            records: output(&paths.records)?,
            percentiles: late(paths.hgrm.as_deref())?,
            result: late(paths.json_file())?,
        })
    }

    /// Hands the streaming files to the collector, each with its heading and in its
    /// place: the connections stand.
    pub fn begin(&mut self, start: Start, discipline: &str, comments: &[String]) -> Outputs {
        let log = self.log.take().map(|mut output| {
            output.take_place();
            IntervalLog::new(output, start.realtime_ns, comments)
        });
        let mut records = self.records.take();
        if let Some(output) = &mut records {
            output.take_place();
            let header = Header::new(discipline, start.monotonic_ns, start.realtime_ns);
            // Writing to an Output goes to memory until it is committed.
            let written = header.write(output);
            debug_assert!(written.is_ok());
            output.commit();
        }
        Outputs { log, records }
    }

    /// Writes the latency's percentile distribution, if it was asked for, with the failed requests
    /// at the least that they may have taken if they were never answered. Comments before it name
    /// a closed loop, and the percentiles that are lower limits because of the failed requests.
    ///
    /// # Errors
    /// What the file system refuses.
    pub fn write_percentiles(
        &mut self,
        good: &Histogram<u64>,
        failed: &Failed,
        discipline: &str,
    ) -> anyhow::Result<()> {
        finish(&mut self.percentiles, |out| {
            if discipline == "closed" {
                writeln!(
                    out,
                    "#[closed loop: stalls are under-represented in the latencies]"
                )?;
            }
            let all = failed.among(good, failed.timeout_ns);
            if failed.count() > 0 {
                writeln!(
                    out,
                    "#[{} of {} requests failed: percentiles above {:.4}% are lower limits]",
                    failed.count(),
                    all.len(),
                    100.0 * share(failed.good_below(good), all.len())
                )?;
            }
            write_percentiles(&all, out)
        })
    }

    /// Writes the result, if it was asked for and not for standard output.
    ///
    /// # Errors
    /// What the file system refuses.
    pub fn write_result(&mut self, result: &RunResult) -> anyhow::Result<()> {
        finish(&mut self.result, |out| result.write_to(out))
    }
}

fn finish(
    late: &mut Late,
    fill: impl FnOnce(&mut BufWriter<&mut File>) -> io::Result<()>,
) -> anyhow::Result<()> {
    let Some((path, replacement)) = late.take() else {
        return Ok(());
    };
    at(&path, replacement.finish(fill))
}

/// Why a streamed file ends before the run does, if one does.
///
/// # Errors
/// The first such file.
pub fn complete(outputs: &Outputs) -> anyhow::Result<()> {
    let streams = [
        outputs.log.as_ref().map(IntervalLog::output),
        outputs.records.as_ref(),
    ];
    for output in streams.into_iter().flatten() {
        if let Some(error) = output.failure() {
            bail!(
                "{:?} cannot be written: {error}; the file contains the run up to that moment",
                output.path()
            );
        }
    }
    Ok(())
}
