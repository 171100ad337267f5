//! The benchmark from beginning to end: what is there, every cell in rounds, tables, goals.

use std::process::ExitCode;

use clap::Parser;
use runfair_measuring::kernel::awake_processors::AwakeProcessors;

use crate::accounting;
use crate::arguments::{Arguments, Role};
use crate::cells::{self, Cell};
use crate::export::Export;
use crate::failure::{Doing, Failure};
use crate::floor;
use crate::goals::{self, State};
use crate::kernel;
use crate::measurement::{self, Installed, Laboratory};
use crate::placement::Placement;
use crate::report;
use crate::results::Results;
use crate::rounds;
use crate::server;
use crate::table::Table;
use crate::tools::{generator, Program, Tool};

/// Plays the role that the command line names, or compares.
pub fn start() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match &arguments.role {
        Some(Role::Server(options)) => server::serving::run(options)
            .doing(|| "serve".into())
            .map(|()| ExitCode::SUCCESS),
        Some(Role::Floor(options)) => floor::run(options)
            .doing(|| "run the floor".into())
            .map(|()| ExitCode::SUCCESS),
        Some(Role::Launch(options)) => accounting::launch(options)
            .doing(|| "launch".into())
            .map(|()| ExitCode::SUCCESS),
        None => benchmark(&arguments),
    };
    done.unwrap_or_else(|failure| {
        eprintln!("peers: {failure}");
        ExitCode::from(2)
    })
}

fn benchmark(arguments: &Arguments) -> Result<ExitCode, Failure> {
    arguments.check()?;
    kernel::raise_descriptor_limit().doing(|| "raise the limit of open files".into())?;
    let laboratory = Laboratory {
        placement: Placement::take()?,
        itself: std::env::current_exe().doing(|| "find this program".into())?,
    };
    let generators = [laboratory.placement.generator];
    let awake_processors = AwakeProcessors::of(if arguments.may_sleep {
        &[]
    } else {
        &generators
    });
    let awake = awake_processors.holds(laboratory.placement.generator);
    let parts = arguments.parts();
    let cells = cells::cells(&parts, arguments.seconds);
    let installed = installed(arguments, &cells, &laboratory);
    let mut export = Export::new(arguments, &installed, awake);
    let print = |table: &Table| {
        let text = if arguments.markdown {
            table.markdown()
        } else {
            table.text()
        };
        print!("{text}");
    };
    let mut results = Results::default();
    for cell in &cells {
        let tools: Vec<&Installed> = cell
            .tools
            .iter()
            .filter_map(|tool| installed.iter().find(|one| one.tool.name == tool.name))
            .filter(|one| one.tool.can(cell.pace))
            .collect();
        for round in 0..arguments.rounds {
            for index in rounds::order(round, tools.len()) {
                let tool = tools[index];
                eprintln!("{}, round {}: {}", cell.name, round + 1, tool.tool.name);
                let measurement = measurement::measure(&laboratory, cell, tool, round);
                if let Err(problem) = &measurement.outcome {
                    eprintln!("  {problem}");
                }
                results.0.push(measurement);
            }
        }
        let names: Vec<&str> = tools.iter().map(|tool| tool.tool.name).collect();
        print(&report::cell_table(&results, cell, &names));
        // After every load, so that an interruption loses nothing.
        export.write(&results, &[])?;
    }
    let goals = goals::judge(&results, &parts, arguments.seconds);
    print(&report::goal_table(&goals));
    export.write(&results, &goals)?;
    let met = goals.iter().all(|goal| goal.state == State::Met);
    Ok(if met {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Those tools of these cells that are wanted and there; what is missing is said.
fn installed(arguments: &Arguments, cells: &[Cell], laboratory: &Laboratory) -> Vec<Installed> {
    let mut tools: Vec<Tool> = Vec::new();
    for tool in cells.iter().flat_map(|cell| &cell.tools) {
        let known = tools.iter().any(|known| known.name == tool.name);
        let wanted = tool.program == Program::Floor || arguments.wants(tool.choice());
        if !known && wanted {
            tools.push(*tool);
        }
    }
    let mut missing: Vec<&str> = Vec::new();
    let mut installed = Vec::new();
    for tool in tools {
        let choice = tool.choice();
        let given = arguments.path_of(choice).map(std::path::PathBuf::as_path);
        let path = match tool.program {
            Program::Floor => Some(laboratory.itself.clone()),
            // Cargo has just built it for this benchmark.
            Program::Generator => option_env!("CARGO_BIN_EXE_runfair-load")
                .filter(|_| given.is_none())
                .map(Into::into)
                .or_else(|| measurement::find_program(generator::NAME, given)),
            Program::Peer(name) => measurement::find_program(name, given),
        };
        match path {
            Some(path) => installed.push(Installed { tool, path }),
            None if !missing.contains(&choice) => missing.push(choice),
            None => {}
        }
    }
    for name in missing {
        eprintln!("{name} is not installed: it does not take part");
    }
    installed
}
