//! What was asked for: the command line, read, explained and refused where it makes no sense.

pub mod arguments;
pub mod command;
pub mod processors;

pub use command::{Command, Plan, Stop};
pub use processors::Processors;
