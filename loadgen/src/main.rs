//! The command `runfair-load`: reads the command line, runs, prints.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use runfair_load::cli::{list_records, Command, ListingError, Plan, Stop};
use runfair_load::judgement::requirement::{Meets, Outcome};
use runfair_load::judgement::verdict::State;
use runfair_load::report::printable::printable;
use runfair_load::report::{self, Screen};
use runfair_load::run::session::carry_out;
use terminal_size::terminal_size;

/// The user's mistake, or a system that refuses what is needed.
const MISTAKE: u8 = 2;
/// Measured, and void.
const VOID: u8 = 3;
/// Measured, and not as good as was demanded.
const GATE: u8 = 4;

fn main() -> ExitCode {
    let outcome = match Command::parse(std::env::args_os()) {
        Ok(Command::Load(plan)) => load(&plan),
        Ok(Command::Records(path)) => records(&path),
        Ok(Command::Schema(choice)) => print(&choice.text()),
        Err(Stop::Told(text)) => print(&text),
        Err(Stop::Mistaken(line)) => Err(anyhow::Error::msg(line)),
    };
    outcome.unwrap_or_else(|error| {
        // A closed standard error leaves the exit status to speak.
        let _ = writeln!(
            io::stderr(),
            "runfair-load: {}",
            printable(&format!("{error:#}"))
        );
        ExitCode::from(MISTAKE)
    })
}

fn load(plan: &Plan) -> anyhow::Result<ExitCode> {
    let columns = terminal_size().map(|(width, _)| usize::from(width.0));
    let screen = |terminal| Screen::of(terminal, columns, |name| std::env::var(name).ok());
    let outputs = &plan.outputs;
    let session = carry_out(plan, screen(io::stderr().is_terminal()))?;
    let result = &session.result;
    if outputs.json.is_some() && outputs.json_file().is_none() {
        let mut out = io::stdout().lock();
        result
            .write_to(&mut out)
            .or_else(unless_unread)
            .context("standard output cannot be written")?;
    } else {
        let table = report::table(result, &screen(io::stdout().is_terminal()));
        print(&format!("{}\n", table.trim_end()))?;
    }
    if let Some(error) = session.unwritten {
        return Err(error.into());
    }
    let unmet = |outcome: &Outcome| outcome.meets != Meets::Yes;
    Ok(match result.verdict.state {
        State::Void => ExitCode::from(VOID),
        _ if result.requirements.iter().any(unmet) => ExitCode::from(GATE),
        State::Flagged if outputs.fail_on.is_some() => ExitCode::from(GATE),
        State::Flagged | State::Fair => ExitCode::SUCCESS,
    })
}

fn records(path: &Path) -> anyhow::Result<ExitCode> {
    let file = File::open(path).with_context(|| format!("{path:?} cannot be read"))?;
    let mut out = BufWriter::new(io::stdout().lock());
    match list_records(file, &mut out) {
        Ok(_) => out.flush().or_else(unless_unread)?,
        Err(ListingError::Write(error)) => unless_unread(error)?,
        Err(error) => return Err(error.into()),
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints; a reader that has left is no error.
fn print(text: &str) -> anyhow::Result<ExitCode> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .or_else(unless_unread)
        .context("standard output cannot be written")?;
    Ok(ExitCode::SUCCESS)
}

fn unless_unread(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Ok(());
    }
    Err(error)
}
