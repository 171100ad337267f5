//! The generator as a user meets it: a command line, an exit status, and files.
//!
//! - [`command`]: starts the binary and waits for it
//! - [`measurement`]: what a run left, and what is true of every run
//! - [`records`], [`interval_log`]: two of its files, read by their own description

pub mod command;
pub mod interval_log;
pub mod measurement;
pub mod records;

pub use command::{Generator, Running};
pub use measurement::{first_that, typical, undisturbed, Measurement};
