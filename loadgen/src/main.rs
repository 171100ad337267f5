//! The command `runfair-load`: reads the command line, runs, prints.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use runfair_load::cli::{list_records, Command, Plan};
use runfair_load::judgement::requirement::{Meets, Outcome};
use runfair_load::judgement::verdict::State;
use runfair_load::report::{self, Screen};
use runfair_load::run::session::carry_out;
use runfair_measuring::command_line::console::{self, print, unless_unread};
use terminal_size::terminal_size;

/// Measured, and void.
const VOID: u8 = 3;
/// Measured, and not as good as was demanded.
const GATE: u8 = 4;

fn main() -> ExitCode {
    let asked = Command::parse(std::env::args_os());
    console::run("runfair-load", asked, |command| match command {
        Command::Load(plan) => load(&plan),
        Command::Records(path) => records(&path),
        Command::Schema(choice) => print(&choice.text()).map(|()| ExitCode::SUCCESS),
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
            .context("standard output cannot be written")
            .or_else(unless_unread)?;
    } else {
        let table = report::table(result, &screen(io::stdout().is_terminal()));
        print(&format!("{}\n", table.trim_end()))?;
    }
    if let Some(error) = session.unwritten {
        return Err(error);
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
    list_records(file, &mut out)
        .map(drop)
        .or_else(unless_unread)?;
    Ok(ExitCode::SUCCESS)
}
