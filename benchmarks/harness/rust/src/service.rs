//! A service: the lines `start`, `ready` and `end`, and where it listens.

use std::ffi::OsString;
use std::io::{self, Stdout};
use std::process::ExitCode;

use crate::clocks::{monotonic_ns, realtime_ns};
use crate::description::Description;
use crate::execution::start;
use crate::failure::{Failure, UserError};
use crate::json::Object;
use crate::lines::Lines;
use crate::options::{integer, Options};

const GREATEST_PORT: u64 = 65_535;

const KNOWN: &[&str] =
    &["--host", "--port", "--workload", "--size", "--seed", "--threads", "--input", "--param"];

/// Where to listen; port 0 lets the kernel choose.
#[derive(Debug)]
pub struct Address {
    pub host: String,
    pub port: u16,
}

impl Address {
    /// That nobody can listen there, and why.
    pub fn cannot_be_listened_on(&self, reason: &io::Error) -> UserError {
        let Self { host, port } = self;
        let reason = reason.to_string();
        UserError(format!("--host {host:?} --port {port} cannot be listened on: {reason:?}"))
    }
}

/// Says, once, that a service listens and that all it needs is there.
pub struct Ready<'a> {
    lines: &'a mut Lines<Stdout>,
    host: &'a str,
}

impl Ready<'_> {
    pub fn say(self, port: u16) -> io::Result<()> {
        self.lines.ready(self.host, port)
    }
}

/// The whole of a service's `main`. `run` returns once SIGTERM has come and the requests under way
/// are answered. Until told otherwise the workload is the first that is described.
pub fn serve(
    described: &Description,
    run: impl FnOnce(&Options, &Address, Ready) -> Result<(), Failure>,
) -> ExitCode {
    match execute(described, std::env::args_os().skip(1), run) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::User(error)) => {
            eprintln!("{}: {error}", described.name);
            ExitCode::from(2)
        }
        Err(Failure::Output(error)) => {
            eprintln!("{}: {error}", described.name);
            ExitCode::FAILURE
        }
    }
}

fn execute(
    described: &Description,
    arguments: impl IntoIterator<Item = OsString>,
    run: impl FnOnce(&Options, &Address, Ready) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let started_monotonic_ns = monotonic_ns();
    let started_realtime_ns = realtime_ns();
    let (address, others) = parse_address(described.workloads[0], arguments)?;
    let options = Options::parse_for(described, others)?;
    let mut lines = Lines::new(io::stdout());
    lines.add(start(described, &options, started_monotonic_ns, started_realtime_ns));
    run(&options, &address, Ready { lines: &mut lines, host: &address.host })?;
    lines.add(Object::event("end").json("iterations", 0));
    lines.write()?;
    Ok(())
}

/// Takes what only services are told, and leaves the other arguments.
fn parse_address(
    workload: &str,
    arguments: impl IntoIterator<Item = OsString>,
) -> Result<(Address, Vec<OsString>), UserError> {
    let mut address = Address { host: "127.0.0.1".to_owned(), port: 0 };
    let mut others = vec![OsString::from("--workload"), OsString::from(workload)];
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let Some(option) = argument.to_str().filter(|text| KNOWN.contains(text)) else {
            let known = KNOWN.join(", ");
            return Err(UserError(format!("unknown option {argument:?}; the options are {known}")));
        };
        let value = (arguments.next())
            .filter(|value| !value.to_string_lossy().starts_with("--"))
            .ok_or_else(|| UserError(format!("{option} needs a value after it")))?;
        match option {
            "--host" => address.host = text(option, value)?,
            "--port" => {
                // The range is that of the type.
                address.port = integer(option, &text(option, value)?, 0..=GREATEST_PORT)? as u16;
            }
            _ => others.extend([argument, value]),
        }
    }
    Ok((address, others))
}

fn text(option: &str, value: OsString) -> Result<String, UserError> {
    value
        .into_string()
        .map_err(|value| UserError(format!("{option} takes UTF-8 text, not {value:?}")))
}

#[cfg(test)]
#[allow(clippy::expect_used, clippy::unwrap_used)]
mod tests {
    use super::*;

    fn parsed(arguments: &[&str]) -> Result<(Address, Vec<OsString>), String> {
        parse_address("pay", arguments.iter().map(OsString::from)).map_err(|error| error.0)
    }

    #[test]
    fn the_address_is_taken_and_the_rest_is_left() {
        let (address, others) =
            parsed(&["--port", "80", "--seed", "3", "--host", "::1"]).map_err(UserError).unwrap();
        assert_eq!((address.host.as_str(), address.port), ("::1", 80));
        assert_eq!(others, ["--workload", "pay", "--seed", "3"]);
    }

    #[test]
    fn mistakes_are_named() {
        for (arguments, message) in [
            (&["--port", "65536"][..], "--port takes an integer from 0 to 65535, not \"65536\""),
            (&["--port", "--host"], "--port needs a value after it"),
            (&["--host"], "--host needs a value after it"),
            (&["--iterations", "1"], "unknown option \"--iterations\"; the options are --host"),
        ] {
            let said = parsed(arguments).expect_err("a mistake");
            assert!(said.starts_with(message), "{said}");
        }
    }
}
