//! The help teaches: headings, examples that work, a word for every option.

use clap::CommandFactory;

use super::arguments::{Arguments, SchemaChoice};
use super::Command;
use runfair_measuring::command_line::Stop;

fn help(option: &str) -> String {
    match Command::parse(["runfair-load", option]) {
        Err(Stop::Told(text)) => text,
        Err(Stop::Mistaken(line)) => panic!("{line}"),
        Ok(_) => panic!("{option} starts a run"),
    }
}

/// The commands of the help's examples, split as a shell does.
fn examples() -> Vec<Vec<String>> {
    let text = super::help::EXAMPLES.replace("\\\n", " ");
    text.lines()
        .filter(|line| line.trim_start().starts_with("runfair-load "))
        .map(|line| {
            let mut words = Vec::new();
            for (number, part) in line.trim().split('\'').enumerate() {
                if number % 2 == 1 {
                    words.push(part.to_owned());
                } else {
                    words.extend(part.split_whitespace().map(str::to_owned));
                }
            }
            words
        })
        .collect()
}

#[test]
fn the_parser_is_sound() {
    Arguments::command().debug_assert();
}

#[test]
fn help_has_the_idea_the_headings_and_the_examples() {
    let text = help("--help");
    for part in [
        "at an instant fixed beforehand, whatever the server does",
        "Load:",
        "Pacing:",
        "Protocol:",
        "Traffic:",
        "Checks:",
        "Output:",
        "Machine:",
        "Examples:",
        "Exit status:",
        "economy",
        "precise",
    ] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
}

#[test]
fn every_option_is_explained_under_a_heading() {
    let command = Arguments::command();
    for option in command
        .get_arguments()
        .filter(|option| !option.is_positional())
    {
        let name = option.get_id();
        assert!(option.get_help().is_some(), "{name} has no help");
        if !["help", "version"].contains(&name.as_str()) {
            assert!(option.get_help_heading().is_some(), "{name} has no heading");
        }
    }
}

#[test]
fn every_option_of_the_interface_is_there() {
    let command = Arguments::command();
    let known: Vec<&str> = command
        .get_arguments()
        .filter_map(|option| option.get_long())
        .collect();
    for name in [
        "rate",
        "duration",
        "requests",
        "connections",
        "threads",
        "mode",
        "arrivals",
        "seed",
        "speed",
        "closed",
        "pipeline",
        "http2",
        "grpc",
        "streams",
        "warmup",
        "timeout",
        "connect-timeout",
        "protocol",
        "unix-socket",
        "cpus",
        "method",
        "header",
        "body",
        "body-file",
        "ca",
        "insecure",
        "server-name",
        "keys",
        "value-bytes",
        "operations",
        "preload",
        "traffic",
        "order",
        "expect-status",
        "expect-body-sha256",
        "expect-body-contains",
        "expect-json",
        "check-share",
        "json",
        "hlog",
        "hgrm",
        "records",
        "interval",
        "progress",
        "fail-on",
        "schema",
    ] {
        assert!(known.contains(&name), "--{name}");
    }
}

#[test]
fn the_eight_examples_make_plans() {
    let examples = examples();
    assert_eq!(examples.len(), 8);
    for words in examples {
        if let Err(stop) = Command::parse(&words) {
            panic!("{words:?}: {stop:?}");
        }
    }
}

#[test]
fn the_version_is_the_crate_s() {
    assert_eq!(
        help("--version"),
        format!("runfair-load {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn the_committed_schemas_are_those_that_are_printed() {
    for (choice, name) in [
        (SchemaChoice::Result, "result"),
        (SchemaChoice::Traffic, "traffic"),
    ] {
        let path = format!("{}/schemas/{name}.schema.json", env!("CARGO_MANIFEST_DIR"));
        let committed = std::fs::read_to_string(&path).unwrap();
        assert!(
            committed == choice.text(),
            "schemas/{name}.schema.json is stale: \
             runfair-load --schema {name} > schemas/{name}.schema.json"
        );
    }
}
