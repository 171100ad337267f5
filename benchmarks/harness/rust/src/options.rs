//! The command line.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use crate::benchmark::Benchmark;
use crate::description::Description;
use crate::failure::UserError;

/// The command line.
#[derive(Debug)]
pub struct Options {
    pub workload: String,
    pub size: String,
    pub seed: u64,
    pub threads: u64,
    pub inputs: Vec<PathBuf>,
    parameters: BTreeMap<String, String>,
    pub(crate) max_seconds: Option<f64>,
    pub(crate) count: bool,
    iterations: Option<u64>,
}

impl Options {
    /// Reads the arguments, without the program's own name.
    pub fn parse<B: Benchmark>(
        arguments: impl IntoIterator<Item = OsString>,
    ) -> Result<Self, UserError> {
        Self::parse_for(&Description::of::<B>(), arguments)
    }

    pub(crate) fn parse_for(
        described: &Description,
        arguments: impl IntoIterator<Item = OsString>,
    ) -> Result<Self, UserError> {
        let mut options = Options {
            workload: "classic".to_owned(),
            size: "unnamed".to_owned(),
            seed: 1,
            threads: 1,
            inputs: Vec::new(),
            parameters: (described.parameters.iter())
                .map(|&(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            iterations: None,
            max_seconds: None,
            count: false,
        };
        let mut arguments = arguments.into_iter().peekable();
        while let Some(argument) = arguments.next() {
            let Some(option) = argument.to_str().filter(|text| KNOWN.contains(text)) else {
                return Err(UserError(format!(
                    "unknown option {argument:?}; the options are {}",
                    KNOWN.join(", ")
                )));
            };
            if option == "--count" {
                options.count = true;
                continue;
            }
            let value = arguments
                .next_if(|next| !next.to_string_lossy().starts_with("--"))
                .ok_or_else(|| UserError(format!("{option} needs a value after it")))?;
            if option == "--input" {
                options.inputs.push(PathBuf::from(value));
                continue;
            }
            let value = value
                .into_string()
                .map_err(|value| UserError(format!("{option} takes UTF-8 text, not {value:?}")))?;
            match option {
                "--workload" => options.workload = one_of(described.workloads, "workload", value)?,
                "--size" => options.size = value,
                "--seed" => options.seed = integer(option, &value, 0..=u64::MAX)?,
                "--threads" => options.threads = integer(option, &value, 1..=i32::MAX as u64)?,
                "--iterations" => {
                    options.iterations = Some(integer(option, &value, 0..=i64::MAX as u64)?);
                }
                "--max-seconds" => options.max_seconds = Some(seconds(option, &value)?),
                _ => {
                    let (name, value) = value.split_once('=').ok_or_else(|| {
                        UserError(format!("--param takes NAME=VALUE, not {value:?}"))
                    })?;
                    let known: Vec<&str> =
                        described.parameters.iter().map(|&(name, _)| name).collect();
                    let name = one_of(&known, "parameter", name.to_owned())?;
                    options.parameters.insert(name, value.to_owned());
                }
            }
        }
        one_of(described.workloads, "workload", options.workload.clone())?;
        if options.inputs.len() != described.inputs {
            return Err(UserError(format!(
                "takes {} --input PATH, not {}",
                described.inputs,
                options.inputs.len()
            )));
        }
        Ok(options)
    }

    /// The parameter `name`, a decimal integer within `range`.
    pub fn integer(&self, name: &str, range: RangeInclusive<u64>) -> Result<u64, UserError> {
        integer(&format!("--param {name}"), &self.parameters[name], range)
    }

    /// The parameter `name` as it was given.
    pub fn text(&self, name: &str) -> &str {
        &self.parameters[name]
    }

    /// Iterations to do at most; none is until time or standard input ends.
    pub(crate) fn limit(&self) -> Option<u64> {
        match (self.count, self.iterations) {
            (true, _) => Some(1),
            (false, Some(0)) => None,
            (false, None) if self.max_seconds.is_none() => Some(1),
            (false, iterations) => iterations,
        }
    }

    pub(crate) fn watches_standard_input(&self) -> bool {
        !self.count && self.iterations == Some(0)
    }
}

const GREATEST_SECONDS: f64 = (1_u64 << 63) as f64 / 1e9;

const KNOWN: &[&str] = &[
    "--workload",
    "--size",
    "--seed",
    "--threads",
    "--input",
    "--param",
    "--iterations",
    "--max-seconds",
    "--count",
];

fn one_of(known: &[&str], what: &str, name: String) -> Result<String, UserError> {
    if known.contains(&name.as_str()) {
        return Ok(name);
    }
    Err(UserError(match known {
        [] => format!("has no {what}s; leave {name:?} out"),
        _ => format!("unknown {what} {name:?}; it is one of {}", known.join(", ")),
    }))
}

pub(crate) fn integer(
    what: &str,
    text: &str,
    range: RangeInclusive<u64>,
) -> Result<u64, UserError> {
    // `parse` alone would take a sign.
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    (text.parse().ok()).filter(|value| digits && range.contains(value)).ok_or_else(|| {
        let (low, high) = range.into_inner();
        UserError(format!("{what} takes an integer from {low} to {high}, not {text:?}"))
    })
}

/// A decimal number of seconds, whose nanoseconds stay below 2⁶³.
fn seconds(what: &str, text: &str) -> Result<f64, UserError> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    (text.parse().ok())
        .filter(|value: &f64| digits(whole) && digits(fraction) && *value < GREATEST_SECONDS)
        .ok_or_else(|| {
            UserError(format!("{what} takes a decimal number such as 2.5, not {text:?}"))
        })
}
