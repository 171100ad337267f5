//! The command line: it is parsed and checked, and mistakes are explained.

pub mod arguments;
pub mod command;

pub use command::{Command, Plan};
