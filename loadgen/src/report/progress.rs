//! What is said while a run lasts: a line rewritten in place, or JSON Lines.

use std::io::{self, Write};

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lines::clipped;
use super::screen::Screen;
use super::units;
use crate::judgement::evidence::Loop;

/// Moves to the line's start and clears it (ECMA-48 §8.3.41, EL 0).
const REWRITE: &str = "\r\x1b[K";

/// A run at one moment. Counts are since its start; the percentiles are of the
/// interval that just ended, and absent where it had no good answer.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    /// Who decides when requests go.
    #[serde(rename = "loop")]
    pub loop_kind: Loop,
    /// Since the run's start.
    pub elapsed_ns: u64,
    /// When the schedule ends; absent for a closed loop that ends by its requests.
    pub horizon_ns: Option<u64>,
    /// Requests that were due by now.
    pub scheduled: u64,
    /// Requests sent.
    pub sent: u64,
    /// Requests whose answer is complete, good or not.
    pub completed: u64,
    /// Requests that failed, of any kind.
    pub failed: u64,
    /// Requests due, not yet sent.
    pub overdue: u64,
    /// Median latency of the interval.
    pub p50_ns: Option<u64>,
    /// 99th percentile of the interval's latency.
    pub p99_ns: Option<u64>,
    /// Greatest latency of the interval.
    pub max_ns: Option<u64>,
    /// Answers completed a second in the interval.
    pub achieved_per_s: f64,
}

/// How progress is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProgressStyle {
    /// A line if standard error is a terminal, otherwise nothing
    Auto,
    /// A line rewritten in place
    Line,
    /// A JSON object on each line
    Json,
    /// Nothing
    None,
}

/// Tells progress on one stream (standard error, as a rule).
#[derive(Debug)]
pub struct ProgressReporter<W> {
    style: ProgressStyle,
    screen: Screen,
    out: W,
    line_is_open: bool,
}

#[derive(Serialize)]
struct Event<'a> {
    event: &'static str,
    #[serde(flatten)]
    progress: &'a Progress,
}

impl<W: Write> ProgressReporter<W> {
    /// A reporter that writes to `out`, which shows what `screen` says.
    pub fn new(style: ProgressStyle, screen: Screen, out: W) -> Self {
        Self {
            style,
            screen,
            out,
            line_is_open: false,
        }
    }

    /// Tells how the run stands.
    ///
    /// # Errors
    /// Whatever the stream fails with; a run should go on without its progress.
    pub fn tell(&mut self, progress: &Progress) -> io::Result<()> {
        match self.style {
            ProgressStyle::Auto | ProgressStyle::None => Ok(()),
            ProgressStyle::Json => {
                let event = Event {
                    event: "progress",
                    progress,
                };
                let line = serde_json::to_string(&event).map_err(io::Error::from)?;
                writeln!(self.out, "{line}")?;
                self.out.flush()
            }
            ProgressStyle::Line => {
                self.line_is_open = true;
                // A full last column would wrap, and the line could not be rewritten.
                let line = clipped(&line(progress, &self.screen), self.screen.columns - 1);
                write!(self.out, "{REWRITE}{line}")?;
                self.out.flush()
            }
        }
    }

    /// Clears the line, so that what follows starts at the margin.
    ///
    /// # Errors
    /// Whatever the stream fails with.
    pub fn end(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.line_is_open) {
            self.out.write_all(REWRITE.as_bytes())?;
            self.out.flush()?;
        }
        Ok(())
    }
}

/// The most important parts come first: a narrow screen cuts the end.
fn line(progress: &Progress, screen: &Screen) -> String {
    let time = |ns: u64| screen.time(ns);
    let seconds = |ns: u64| format!("{:.1}", ns as f64 / 1e9);
    let mut parts = vec![match progress.horizon_ns {
        Some(horizon_ns) => format!("{}/{} s", seconds(progress.elapsed_ns), seconds(horizon_ns)),
        None => format!("{} s", seconds(progress.elapsed_ns)),
    }];
    parts.push(units::rate(progress.achieved_per_s));
    match (progress.p50_ns, progress.p99_ns, progress.max_ns) {
        (Some(p50), Some(p99), Some(max)) => parts.push(format!(
            "p50 {} p99 {} max {}",
            time(p50),
            time(p99),
            time(max)
        )),
        _ => parts.push("no good answer".to_owned()),
    }
    parts.push(format!("failed {}", units::count(progress.failed)));
    if progress.overdue > 0 {
        parts.push(format!("overdue {}", units::count(progress.overdue)));
    }
    parts.push(format!(
        "sent {} of {}",
        units::count(progress.sent),
        units::count(progress.scheduled)
    ));
    parts.join(screen.separator())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIDWAY: Progress = Progress {
        loop_kind: Loop::Open,
        elapsed_ns: 3_200_000_000,
        horizon_ns: Some(10_000_000_000),
        scheduled: 32_000,
        sent: 31_990,
        completed: 31_980,
        failed: 2,
        overdue: 10,
        p50_ns: Some(41_000),
        p99_ns: Some(120_000),
        max_ns: Some(1_200_000),
        achieved_per_s: 9_998.4,
    };

    fn told(style: ProgressStyle, screen: Screen, progress: &Progress) -> String {
        let mut out = Vec::new();
        let mut reporter = ProgressReporter::new(style, screen, &mut out);
        reporter.tell(progress).unwrap();
        reporter.end().unwrap();
        reporter.end().unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_line_is_rewritten_in_place_and_cleared_once() {
        let screen = Screen {
            columns: 120,
            ..Screen::plain()
        };
        assert_eq!(
            told(ProgressStyle::Line, screen, &MIDWAY),
            "\r\x1b[K3.2/10.0 s | 9,998/s | p50 41.0 us p99 120 us max 1.20 ms | \
             failed 2 | overdue 10 | sent 31,990 of 32,000\r\x1b[K"
        );
    }

    #[test]
    fn a_line_never_reaches_the_last_column() {
        let screen = Screen {
            columns: 40,
            ..Screen::plain()
        };
        let text = told(ProgressStyle::Line, screen, &MIDWAY);
        let line = text.trim_start_matches(REWRITE).trim_end_matches(REWRITE);
        assert_eq!(line.chars().count(), 39);
        assert!(line.ends_with("..."));
    }

    #[test]
    fn json_lines_hold_the_whole_state_and_nothing_else_is_written() {
        let text = told(ProgressStyle::Json, Screen::plain(), &MIDWAY);
        let mut value: serde_json::Value = serde_json::from_str(text.trim_end()).unwrap();
        assert_eq!(text.matches('\n').count(), 1);
        assert_eq!(
            value.as_object_mut().unwrap().remove("event"),
            Some("progress".into())
        );
        assert_eq!(serde_json::from_value::<Progress>(value).unwrap(), MIDWAY);
    }

    #[test]
    fn none_says_nothing() {
        assert_eq!(told(ProgressStyle::None, Screen::plain(), &MIDWAY), "");
    }

    #[test]
    fn an_interval_without_an_answer_has_no_number() {
        let silent = Progress {
            p50_ns: None,
            p99_ns: None,
            max_ns: None,
            horizon_ns: None,
            achieved_per_s: 0.0,
            ..MIDWAY
        };
        let text = told(ProgressStyle::Line, Screen::plain(), &silent);
        assert!(
            text.contains("3.2 s | 0/s | no good answer | failed 2"),
            "{text}"
        );
    }
}
