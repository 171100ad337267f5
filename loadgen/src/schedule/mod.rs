//! The schedule: the intended instant of each request.
//!
//! A schedule is a pure function of its specification: arrival `k` is intended at the same
//! nanosecond in every run, on any number of threads, whatever the server does. A constant
//! process puts arrival `k` where the expected number of arrivals Λ(t) reaches `k`; a
//! Poisson process where it reaches the sum of `k + 1` unit exponentials drawn from the
//! seed (the time-rescaling theorem); a trace contains time stamps. Several processes can share
//! a schedule ([`shard`]).

pub mod arrival;
pub mod rate;
#[allow(
    clippy::module_inception,
    reason = "the room is named after the thing it makes"
)]
pub mod schedule;
pub mod seed;
pub mod shard;
mod stage;
pub mod trace;

pub use arrival::{Arrival, Arrivals, Process};
pub use rate::RateProfile;
pub use schedule::{End, Schedule, ScheduleError, ScheduleSpec, Source};
pub use seed::{Draws, Stream};
pub use shard::Shard;
pub use trace::{Trace, TraceError};
