//! One run: a fresh server, one tool, one load; what it cost and what was true.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::accounting::{self, Account, Launched};
use crate::cells::Cell;
use crate::failure::{Doing, Failure};
use crate::freeze::{Freeze, PlannedFreeze};
use crate::placement::Placement;
use crate::ports;
use crate::server::ReferenceServer;
use crate::tools::{generator, Load, Pace, Program, Reading, Tool};
use crate::truth::{self, Schedule, Truth};

/// What a tool may take beyond the time it was asked to send, before it is killed: starting,
/// waiting for answers (k6 and vegeta up to 30 s), writing.
const ALLOWANCE_S: u64 = 60;

/// A tool that is installed, and where.
#[derive(Clone)]
pub struct Installed {
    /// The tool.
    pub tool: Tool,
    /// Its program.
    pub path: PathBuf,
}

/// What never changes between runs.
pub struct Laboratory {
    /// This program, for its roles.
    pub itself: PathBuf,
    /// Who runs where.
    pub placement: Placement,
}

/// One run of one tool.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Measurement {
    /// The cell it belongs to.
    pub cell: String,
    /// The tool.
    pub tool: String,
    /// The round, from 0.
    pub round: u64,
    /// What was found, or why nothing was.
    pub outcome: Result<Found, String>,
}

/// What one run found.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Found {
    /// Requests that the server answered.
    pub requests: u64,
    /// Requests answered a second of the time asked for.
    pub requests_per_s: f64,
    /// Processor time of the whole process over `requests`, microseconds.
    pub cpu_us_per_request: f64,
    /// Processor time as a share of one processor over the time asked for.
    pub cpu_share: f64,
    /// The most connections the server held at once.
    pub most_connections: u64,
    /// What it cost.
    pub account: Account,
    /// What the tool says.
    pub reading: Reading,
    /// What was true, at a constant rate.
    pub truth: Option<Truth>,
    /// When the server was frozen.
    pub freeze: Option<Freeze>,
}

/// Measures once. What goes wrong with the tool is the outcome; it does not end the benchmark.
pub fn measure(laboratory: &Laboratory, cell: &Cell, tool: &Installed, round: u64) -> Measurement {
    Measurement {
        cell: cell.name.clone(),
        tool: tool.tool.name.into(),
        round,
        outcome: run(laboratory, cell, tool).map_err(|failure| failure.to_string()),
    }
}

fn run(laboratory: &Laboratory, cell: &Cell, installed: &Installed) -> Result<Found, Failure> {
    let tool = &installed.tool;
    ports::await_free(cell.connections)?;
    let folder = tempfile::tempdir().doing(|| "make a folder for a run".into())?;
    let server = ReferenceServer::start(
        &laboratory.itself,
        laboratory.placement.server,
        cell.log_capacity(tool.lead_s),
        folder.path(),
    )?;
    let load = Load {
        port: server.port(),
        connections: cell.connections,
        pace: cell.pace,
        seconds: cell.seconds + tool.lead_s,
        every_request: cell.freeze,
        scratch: folder.path(),
    };
    let unreadable = |what| Failure::Unreadable {
        tool: tool.name.into(),
        what,
    };
    let arguments =
        (tool.arguments)(&load).ok_or_else(|| unreadable("it cannot produce this load".into()))?;
    for (name, content) in (tool.files)(&load) {
        let path = folder.path().join(name);
        std::fs::write(&path, content).doing(|| format!("write {}", path.display()))?;
    }
    let planned = cell.freeze.then(|| {
        let middle_s = tool.lead_s * 1_000 + cell.seconds * 500;
        PlannedFreeze::plan(server.process(), middle_s * 1_000_000)
    });
    let mut command = vec![installed.path.display().to_string()];
    command.extend(arguments);
    let launched = accounting::run_launched(
        &laboratory.itself,
        laboratory.placement.generator,
        Duration::from_secs(load.seconds + ALLOWANCE_S),
        &command,
        folder.path(),
    );
    // Before anything else can fail: the server must go on, and not be waited for until it does.
    let freeze = planned.map(PlannedFreeze::outcome).transpose()?;
    let launched = launched?;
    let (served, mut arrivals) = server.finish()?;
    let output = outcome(installed, &load, &launched)?;
    let reading = (tool.read)(&load, &output).map_err(unreadable)?;

    // Those before the measured time are no part of the schedule.
    arrivals.drain(..((tool.warmup_requests)(&load) as usize).min(arrivals.len()));
    if let Some(first) = arrivals.first().copied() {
        let lead_end_ns = first.arrival_ns + tool.lead_s * 1_000_000_000;
        arrivals.retain(|arrival| arrival.arrival_ns >= lead_end_ns);
    }
    let truth = match cell.pace {
        Pace::Constant { rate_per_s } if cell.truth => {
            let schedule = match (&reading.intended_ns, reading.begin_ns) {
                (Some(intended_ns), _) => Schedule::Recorded(intended_ns),
                (None, Some(begin_ns)) => Schedule::Began(begin_ns),
                (None, None) => Schedule::Unknown,
            };
            truth::establish(&arrivals, rate_per_s, cell.seconds, &schedule, freeze)
        }
        _ => None,
    };
    let cpu_us = launched.account.cpu_us() as f64;
    Ok(Found {
        requests: served.requests,
        requests_per_s: served.requests as f64 / load.seconds as f64,
        cpu_us_per_request: cpu_us / served.requests as f64,
        cpu_share: cpu_us / (load.seconds as f64 * 1e6),
        most_connections: served.most_connections,
        account: launched.account,
        reading,
        truth,
        freeze,
    })
}

/// The text to read: the tool's own output, or that of its report.
fn outcome(installed: &Installed, load: &Load, launched: &Launched) -> Result<String, Failure> {
    let tool = &installed.tool;
    let failed = |what: String| Failure::Tool {
        tool: tool.name.into(),
        what,
        last_words: launched.last_words.clone(),
    };
    match launched.account.status {
        _ if launched.account.timed_out => {
            return Err(failed(format!(
                "did not end within {ALLOWANCE_S} s of its time"
            )));
        }
        None => return Err(failed("was ended by a signal".into())),
        Some(0) => {}
        // The generator's exit status tells its verdict; its result file tells the rest.
        Some(_) if tool.program == Program::Generator && generator::left_result(load) => {}
        Some(status) => return Err(failed(format!("ended with status {status}"))),
    }
    let Some(report) = tool.report else {
        return Ok(launched.output.clone());
    };
    let output = Command::new(&installed.path)
        .args(report(load))
        .output()
        .doing(|| format!("run the report of {}", tool.name))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Finds a program: `given` if there is one, otherwise on the search path.
pub fn find_program(name: &str, given: Option<&Path>) -> Option<PathBuf> {
    let runnable = |path: &Path| path.is_file();
    if let Some(path) = given {
        return runnable(path).then(|| path.to_owned());
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders)
        .map(|folder| folder.join(name))
        .find(|path| runnable(path))
}

/// The first line of what a program prints as its version; none when it prints none.
pub fn version_of(installed: &Installed) -> Option<String> {
    if installed.tool.version.is_empty() {
        return None;
    }
    let output = Command::new(&installed.path)
        .args(installed.tool.version)
        .output()
        .ok()?;
    [output.stdout, output.stderr].iter().find_map(|text| {
        let text = String::from_utf8_lossy(text);
        let line = text.lines().find(|line| !line.trim().is_empty())?;
        // A program built without its version prints the label alone.
        line.contains(|c: char| c.is_ascii_digit())
            .then(|| line.trim().to_owned())
    })
}
