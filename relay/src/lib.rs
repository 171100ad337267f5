//! A longer wire to a database, which times each query.
//!
//! Bytes are delayed by half the declared round trip in each direction, never
//! reordered and never changed. What passes is read on the way, so that of each
//! query is known when it came, went on, was answered, and was delivered.
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
