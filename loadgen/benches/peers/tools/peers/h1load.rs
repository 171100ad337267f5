//! h1load, of the makers of HAProxy.

use crate::tools::{arguments, Pace, Program, Reading, Tool, PLAIN};

/// h1load.
pub const H1LOAD: Tool = Tool {
    name: "h1load",
    program: Program::Peer("h1load"),
    arguments: |load| {
        let mut command = arguments!["-t", 1, "-c", load.connections, "-d", load.seconds];
        match load.pace {
            Pace::Closed { depth: 1 } => {}
            Pace::Closed { .. } => return None,
            Pace::Constant { rate_per_s } => command.extend(arguments!["-R", rate_per_s]),
        }
        command.push(load.url());
        Some(command)
    },
    // Without -P, a separate report, it prints no percentile: only cost and lateness are compared.
    read: |_, _| Ok(Reading::default()),
    ..PLAIN
};
