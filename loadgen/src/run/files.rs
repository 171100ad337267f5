//! The files of a run: created before the load starts, so that a path that cannot be
//! written costs no run.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use hdrhistogram::Histogram;
use thiserror::Error;

use crate::cli::Outputs as Paths;
use crate::engine::crew::Start;
use crate::recording::collector::Outputs;
use crate::recording::interval_log::IntervalLog;
use crate::recording::output::Output;
use crate::recording::records::Header;
use crate::report::write_percentiles;

/// A file that cannot be written.
#[derive(Debug, Error)]
#[error("{path:?} cannot be written: {source}")]
pub struct FileError {
    path: PathBuf,
    source: io::Error,
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> FileError + '_ {
    move |source| FileError {
        path: path.to_owned(),
        source,
    }
}

/// The files of a run, open and empty.
pub struct Files {
    log: Option<Output>,
    records: Option<Output>,
    percentiles: Option<(PathBuf, File)>,
}

impl Files {
    /// Creates what was asked for.
    ///
    /// # Errors
    /// The first that cannot be.
    pub fn create(paths: &Paths) -> Result<Self, FileError> {
        let output = |path: &Option<PathBuf>| {
            path.as_deref()
                .map(|path| Output::create(path).map_err(failed(path)))
                .transpose()
        };
        Ok(Self {
            log: output(&paths.hlog)?,
            records: output(&paths.records)?,
            percentiles: paths
                .hgrm
                .as_deref()
                .map(|path| {
                    let file = File::create(path).map_err(failed(path))?;
                    Ok((path.to_owned(), file))
                })
                .transpose()?,
        })
    }

    /// Hands the streaming files to the collector, each with its heading.
    pub fn begin(&mut self, start: Start, discipline: &str, comments: &[String]) -> Outputs {
        let log = self
            .log
            .take()
            .map(|output| IntervalLog::new(output, start.realtime_ns, comments));
        let mut records = self.records.take();
        if let Some(output) = &mut records {
            let header = Header::new(discipline, start.monotonic_ns, start.realtime_ns);
            // Writing to an Output goes to memory until it is committed.
            let written = header.write(output);
            debug_assert!(written.is_ok());
            output.commit();
        }
        Outputs { log, records }
    }

    /// Writes the latency's percentile distribution, if it was asked for; that of a
    /// closed loop says so in a comment before it.
    ///
    /// # Errors
    /// What the file system refuses.
    pub fn write_percentiles(
        self,
        latency: &Histogram<u64>,
        discipline: &str,
    ) -> Result<(), FileError> {
        let Some((path, file)) = self.percentiles else {
            return Ok(());
        };
        let mut out = BufWriter::new(file);
        let comment = match discipline {
            "closed" => "#[closed loop: the latencies leave stalls out]\n",
            _ => "",
        };
        out.write_all(comment.as_bytes())
            .and_then(|()| write_percentiles(latency, &mut out))
            .and_then(|()| out.flush())
            .map_err(failed(&path))
    }
}

/// Why a streamed file ends before the run does, if one does.
///
/// # Errors
/// The first such file.
pub fn complete(outputs: &Outputs) -> Result<(), FileError> {
    let streams = [
        outputs.log.as_ref().map(IntervalLog::output),
        outputs.records.as_ref(),
    ];
    for output in streams.into_iter().flatten() {
        if let Some(error) = output.failure() {
            return Err(FileError {
                path: output.path().to_owned(),
                source: io::Error::new(
                    error.kind(),
                    format!("{error}; it holds the run up to that moment"),
                ),
            });
        }
    }
    Ok(())
}
