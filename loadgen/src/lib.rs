//! An open-loop load generator that avoids coordinated omission and needs little CPU time.
//!
//! Requests go on a schedule fixed beforehand, whatever the server does, and of
//! each is known when it was meant to go, when it went and when its answer was
//! complete.
//!
//! ```text
//! cli                                words into a plan
//!  └ run                             a plan into a result
//!     ├─→ engine ─→ recording        threads that send and read; what they leave
//!     │     ├──→ schedule, traffic   when requests go, and what they are
//!     │     ├──→ protocol            what answers are
//!     │     ├──→ http2               streams of one connection, by nghttp2
//!     │     └──→ transport          byte streams
//!     └─→ judgement, report          what the result is worth; how it is shown
//! ```
//!
//! System calls, records and what else the relay needs too are the crate [`runfair_measuring`].
//! Here, only `http2` has unsafe code.
//!
//! `schedule`, `traffic`, `protocol` and `judgement` are pure: no clock, no I/O
//! but the reading of a traffic file.

pub mod cli;
pub mod engine;
pub mod http2;
pub mod judgement;
pub mod protocol;
pub mod recording;
pub mod report;
pub mod run;
pub mod schedule;
pub mod traffic;
pub mod transport;
