//! What was asked for: the command line, read, explained and refused where it
//! contradicts itself.
//!
//! ```text
//! command      words → what is to be done, or one line that says why not
//!  ├ arguments   the options as written, with values and help for their text
//!  ├ plan        all of them together, checked before anything is sent
//!  │  ├ timing     when requests go
//!  │  ├ contents   what they are
//!  │  └ outputs    what is written where
//!  └ listing     a records file as CSV
//! ```

pub mod arguments;
pub mod command;
mod contents;
mod help;
pub mod listing;
pub mod outputs;
pub mod plan;
mod refusal;
#[cfg(test)]
mod tests_help;
#[cfg(test)]
mod tests_plan;
mod timing;
pub mod values;

pub use command::Command;
pub use listing::list_records;
pub use plan::Plan;
