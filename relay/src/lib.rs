//! A relay that adds a network delay to a database's connections, and times each query.
//!
//! The relay delays bytes by half the declared round trip in each direction. It never
//! reorders or changes them. It reads the bytes on the way, and so knows the instants at
//! which each query came, was forwarded, was answered, and was delivered.
//!
//! ```text
//! cli                      words into a plan
//!  ├─→ calibration         what the relay itself adds, and costs
//!  └─→ wire                sockets, delay, one thread
//!       ├─→ dialogue        which bytes are a query, and which its answer
//!       └─→ account        records, histograms, the report
//! ```
//!
//! `dialogue` is pure: no clock, no I/O. Clocks, readiness and sockets are the
//! load generator's `kernel` room.

pub mod accounting;
pub mod calibration;
pub mod cli;
pub mod dialogue;
pub mod wire;
