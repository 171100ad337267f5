//! The file of results: every run and every goal, as JSON.

use std::path::PathBuf;

use serde::Serialize;

use crate::arguments::Arguments;
use crate::failure::{Doing, Failure};
use crate::goals::Goal;
use crate::measurement::{version_of, Installed, Measurement};
use crate::results::Results;

const FORMAT: &str = "runfair-load peers";
const VERSION: u32 = 1;

/// What is written, and where.
pub struct Export {
    path: Option<PathBuf>,
    machine: Machine,
    rounds: u64,
    seconds: u64,
    tools: Vec<Version>,
}

#[derive(Serialize)]
struct Machine {
    kernel: Option<String>,
    processor: Option<String>,
    /// Processes that wanted a processor in the last minute, before the first run.
    load_average: Option<f64>,
    /// Whether the generator's processor was kept from sleeping, for every tool and floor.
    generator_awake: bool,
}

#[derive(Serialize)]
struct Version {
    tool: &'static str,
    version: Option<String>,
}

#[derive(Serialize)]
struct Document<'a> {
    format: &'static str,
    version: u32,
    machine: &'a Machine,
    rounds: u64,
    seconds: u64,
    tools: &'a [Version],
    measurements: &'a [Measurement],
    goals: &'a [Goal],
}

impl Export {
    /// Describes machine and tools, and says both.
    pub fn new(arguments: &Arguments, installed: &[Installed], generator_awake: bool) -> Self {
        let machine = Machine::now(generator_awake);
        let known = |text: &Option<String>| text.clone().unwrap_or_else(|| "unknown".into());
        eprintln!(
            "kernel {}, {}, load average {}",
            known(&machine.kernel),
            known(&machine.processor),
            known(&machine.load_average.map(|load| load.to_string())),
        );
        eprintln!(
            "the generator's processor {}, for every tool and floor",
            if generator_awake {
                "is kept awake"
            } else {
                "sleeps when it is idle"
            }
        );
        let mut tools: Vec<Version> = Vec::new();
        for one in installed {
            let tool = one.tool.choice();
            if one.tool.version.is_empty() || tools.iter().any(|known| known.tool == tool) {
                continue;
            }
            let version = version_of(one);
            eprintln!("{tool}: {}", known(&version));
            tools.push(Version { tool, version });
        }
        Self {
            path: arguments.json.clone(),
            machine,
            rounds: arguments.rounds,
            seconds: arguments.seconds,
            tools,
        }
    }

    /// Writes all there is, if a file was asked for.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&mut self, results: &Results, goals: &[Goal]) -> Result<(), Failure> {
        let Some(path) = &self.path else {
            return Ok(());
        };
        let document = Document {
            format: FORMAT,
            version: VERSION,
            machine: &self.machine,
            rounds: self.rounds,
            seconds: self.seconds,
            tools: &self.tools,
            measurements: &results.0,
            goals,
        };
        let writing = || format!("write {}", path.display());
        let text = serde_json::to_string_pretty(&document)
            .map_err(std::io::Error::from)
            .doing(writing)?;
        std::fs::write(path, text + "\n").doing(writing)
    }
}

impl Machine {
    fn now(generator_awake: bool) -> Self {
        let first_word = |path: &str| {
            let text = std::fs::read_to_string(path).ok()?;
            text.split_whitespace().next().map(String::from)
        };
        let processor = std::fs::read_to_string("/proc/cpuinfo")
            .ok()
            .and_then(|text| {
                let line = text.lines().find(|line| line.starts_with("model name"))?;
                Some(line.split_once(':')?.1.trim().to_owned())
            });
        Self {
            kernel: first_word("/proc/sys/kernel/osrelease"),
            processor,
            load_average: first_word("/proc/loadavg").and_then(|word| word.parse().ok()),
            generator_awake,
        }
    }
}
