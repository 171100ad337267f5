//! Converts the words of a command line to a command.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Parser as _;
use runfair_measuring::command_line::processors::Processors;
use runfair_measuring::command_line::Stop;

use super::arguments::Arguments;
use crate::dialogue::Protocol;
use crate::wire::{Length, Place};

/// The longest round trip that can be declared. A message to the Moon and back takes 3 s.
const DELAY_MOST_NS: u64 = 10_000_000_000;

/// The command that the user gave.
#[derive(Debug)]
pub enum Command {
    /// Relay connections.
    Relay(Plan),
    /// Measure the relay itself.
    Calibrate(Length, Option<Processors>),
    /// Print the report's schema.
    Schema,
}

/// The relay that the user requested.
#[derive(Debug)]
pub struct Plan {
    /// The address at which clients connect.
    pub listen: Place,
    /// The address to which clients are connected.
    pub to: Place,
    /// The declared round trip.
    pub length: Length,
    /// The protocol by which queries are recognised.
    pub protocol: Protocol,
    /// The path of the report.
    pub report: PathBuf,
    /// The path of the records of queries.
    pub records: Option<PathBuf>,
    /// The processors on which the relay may run.
    pub processors: Option<Processors>,
    /// Whether the relay ends when standard input ends.
    pub watch_stdin: bool,
}

impl Command {
    /// Parses a command line, whose first word is the program's name.
    ///
    /// # Errors
    /// [`Stop`]. If the user requested help, it is not an error.
    pub fn parse(
        words: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    ) -> Result<Self, Stop> {
        let arguments = Arguments::try_parse_from(words)?;
        if arguments.schema {
            return Ok(Self::Schema);
        }
        if arguments.delay > DELAY_MOST_NS {
            return Err(Stop::Mistaken(
                "--delay is too long; 10s is the maximum".to_owned(),
            ));
        }
        let length = Length {
            delay_ns: arguments.delay,
        };
        // Without --calibrate, the parser accepts only command lines with these three options.
        match (arguments.listen, arguments.to, arguments.report) {
            (Some(listen), Some(to), Some(report)) if !arguments.calibrate => {
                if arguments.records.as_ref() == Some(&report) {
                    return Err(Stop::Mistaken(
                        "--report and --records name the same file; name two files".to_owned(),
                    ));
                }
                Ok(Self::Relay(Plan {
                    listen,
                    to,
                    length,
                    protocol: arguments.protocol,
                    report,
                    records: arguments.records,
                    processors: arguments.cpus,
                    watch_stdin: arguments.watch_stdin,
                }))
            }
            _ => Ok(Self::Calibrate(length, arguments.cpus)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &str) -> Result<Command, Stop> {
        let words = words.split_whitespace().map(str::to_owned);
        Command::parse(std::iter::once("runfair-relay".to_owned()).chain(words))
    }

    #[test]
    fn a_relay_has_two_ends_and_a_report() {
        let Ok(Command::Relay(plan)) =
            parse("--listen 127.0.0.1:0 --to unix:/db --report r.json --protocol postgresql")
        else {
            panic!("a whole command line");
        };
        assert_eq!(
            (plan.length.delay_ns, plan.protocol),
            (1_000_000, Protocol::PostgreSql)
        );
        assert!(matches!(
            parse("--calibrate --delay 2ms"),
            Ok(Command::Calibrate(..))
        ));
        assert!(matches!(parse("--schema"), Ok(Command::Schema)));
        assert!(matches!(parse("--help"), Err(Stop::Told(_))));
    }

    #[test]
    fn every_mistake_is_one_line() {
        let whole = "--listen 127.0.0.1:0 --to 127.0.0.1:1 --report r.json";
        for (words, says) in [
            ("--to 127.0.0.1:1 --report r.json".to_owned(), "--listen"),
            (
                "--listen 5432 --to 127.0.0.1:1 --report r".to_owned(),
                "HOST:PORT",
            ),
            (format!("{whole} --delay 11s"), "10s is the maximum"),
            (format!("{whole} --delay 1"), "unit"),
            (format!("{whole} --records r.json"), "name two"),
            (format!("{whole} --protocol mysql"), "mysql"),
            (format!("{whole} --cpus x"), "processors such as"),
            (format!("{whole} --calibrate"), "cannot be used with"),
        ] {
            let Err(Stop::Mistaken(line)) = parse(&words) else {
                panic!("{words} was taken");
            };
            assert!(
                line.contains(says) && !line.contains('\n'),
                "{words}: {line}"
            );
        }
    }
}
