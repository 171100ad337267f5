//! A relay that adds a network delay to a database's connections, and times each query.
//!
//! The relay delays bytes by half the declared round trip in each direction. It never reorders
//! or changes them. It parses the bytes, and records when each query arrived, was forwarded,
//! was answered and was delivered.
//!
//! ```text
//! cli                      the command line
//!  ├─→ calibration         the delay and the CPU time of the relay itself
//!  └─→ wire                sockets and delay, on one thread
//!       ├─→ dialogue        which bytes are a query, and which are its answer
//!       └─→ accounting      records, histograms, the report
//! ```
//!
//! `dialogue` is pure: it has no clock and no I/O. Clocks, epoll, sockets and files of records
//! come from the crate [`runfair_measuring`], which the load generator uses too.

pub mod accounting;
pub mod calibration;
pub mod cli;
pub mod dialogue;
pub mod wire;
