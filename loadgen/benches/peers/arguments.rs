//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use crate::accounting::LaunchOptions;
use crate::cells::Part;
use crate::failure::Failure;
use crate::floor::FloorOptions;
use crate::server::serving::ServerOptions;
use crate::tools::generator;
use crate::tools::peers::PEERS;

/// Sets runfair-load beside its floor and those of its peers that are installed: generator on one
/// processor, a reference server that logs every arrival on another, tools interleaved, medians
/// over rounds.
#[derive(Debug, Parser)]
#[command(name = "peers", args_conflicts_with_subcommands = true)]
pub struct Arguments {
    /// How often each tool runs under each load.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..))]
    pub rounds: u64,
    /// How long each run sends; runs with a freeze always take 10 s.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=60))]
    pub seconds: u64,
    /// Only these parts.
    #[arg(long, value_enum, value_delimiter = ',')]
    pub only: Vec<Part>,
    /// Only these tools; the floors always run. [default: all that are installed]
    #[arg(long, value_delimiter = ',')]
    pub tools: Vec<String>,
    /// Where a tool is, if it is not on the search path.
    #[arg(long, value_name = "TOOL=PATH", value_parser = tool_path)]
    pub tool_path: Vec<(String, PathBuf)>,
    /// Let the generator's processor sleep when it is idle. Else it is kept awake, for every tool
    /// and floor alike, where the system allows it (root does).
    #[arg(long)]
    pub may_sleep: bool,
    /// Write every run and every goal to this file, after each load.
    #[arg(long)]
    pub json: Option<PathBuf>,
    /// Print Markdown tables.
    #[arg(long)]
    pub markdown: bool,
    /// Given by `cargo bench`.
    #[arg(long, hide = true)]
    pub bench: bool,
    /// What this process is, when the benchmark starts itself.
    #[command(subcommand)]
    pub role: Option<Role>,
}

/// The roles in which the benchmark starts itself.
#[derive(Debug, Subcommand)]
pub enum Role {
    /// The reference server.
    #[command(hide = true)]
    Server(ServerOptions),
    /// A floor.
    #[command(hide = true)]
    Floor(FloorOptions),
    /// The launcher of a tool.
    #[command(hide = true)]
    Launch(LaunchOptions),
}

impl Arguments {
    /// The parts asked for, in their usual order.
    pub fn parts(&self) -> Vec<Part> {
        let asked = |part: &&Part| self.only.is_empty() || self.only.contains(part);
        Part::value_variants()
            .iter()
            .filter(asked)
            .copied()
            .collect()
    }

    /// Where a tool was said to be.
    pub fn path_of(&self, name: &str) -> Option<&PathBuf> {
        let said = |(tool, _): &&(String, PathBuf)| tool == name;
        self.tool_path.iter().find(said).map(|(_, path)| path)
    }

    /// Whether a tool is to take part.
    pub fn wants(&self, name: &str) -> bool {
        self.tools.is_empty() || self.tools.iter().any(|tool| tool == name)
    }

    /// Checks the names of tools.
    ///
    /// # Errors
    /// One that is not known.
    pub fn check(&self) -> Result<(), Failure> {
        let mut known = vec![generator::NAME];
        known.extend(PEERS.iter().map(|tool| tool.choice()));
        known.dedup();
        let paths = self.tool_path.iter().map(|(name, _)| name);
        match self
            .tools
            .iter()
            .chain(paths)
            .find(|name| !known.contains(&name.as_str()))
        {
            None => Ok(()),
            Some(name) => Err(Failure::Unknown {
                kind: "tool",
                name: name.clone(),
                known: known.join(", "),
            }),
        }
    }
}

fn tool_path(text: &str) -> Result<(String, PathBuf), String> {
    text.split_once('=')
        .filter(|(name, path)| !name.is_empty() && !path.is_empty())
        .map(|(name, path)| (name.into(), path.into()))
        .ok_or_else(|| format!("{text:?} is not TOOL=PATH"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Arguments, clap::Error> {
        Arguments::try_parse_from(line.split_whitespace())
    }

    #[test]
    fn parts_are_chosen_and_cargos_flag_is_borne() {
        let arguments = parse("peers --bench --only freeze,economy").unwrap();
        assert_eq!(arguments.parts(), [Part::Economy, Part::Freeze]);
        assert_eq!(parse("peers").unwrap().parts().len(), 8);
        assert!(parse("peers --only nonsense").is_err());
        assert!(parse("peers --rounds 0").is_err());
    }

    #[test]
    fn an_unknown_tool_is_one_line() {
        let arguments = parse("peers --tools wrk,nonsense").unwrap();
        let line = arguments.check().unwrap_err().to_string();
        assert!(line.contains("\"nonsense\"") && line.contains("vegeta") && !line.contains('\n'));
        assert!(parse("peers --tool-path wrk2").is_err());
        let arguments = parse("peers --tool-path wrk2=/x/wrk").unwrap();
        assert!(arguments.check().is_ok());
        assert_eq!(arguments.path_of("wrk2"), Some(&PathBuf::from("/x/wrk")));
    }
}
