//! Tests of the finished binary between real clients and real servers.
//!
//! The tests assert counts, orders and wide ratios. They never assert how long an action took,
//! except that nothing was faster than the declared round trip.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by a panic"
)]

mod process;
mod servers;

mod endings;
mod faults;
mod mistakes;
mod passing;
mod queries;
