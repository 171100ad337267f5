//! What the load generator and the relay share.
//!
//! | Module | What it has |
//! |---|---|
//! | [`kernel`] | system calls: clocks, readiness, sockets with receive time stamps, threads |
//! | [`stamps`] | the kernel's receive time stamps on the monotonic clock |
//! | [`lead`] | how much earlier than its instant a timer is set |
//! | [`recording`] | files of records, files that replace others, histograms |
//! | [`statistics`] | percentiles and their intervals |
//! | [`command_line`] | values of options, and what a program prints |
//!
//! Only `kernel` has unsafe code. `lead` and `statistics` are pure: no clock, no I/O.

pub mod command_line;
pub mod kernel;
pub mod lead;
pub mod recording;
pub mod stamps;
pub mod statistics;
