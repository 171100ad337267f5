//! The finished binary between real clients and real servers.
//!
//! Counts, orders and wide ratios are asserted, never how long something took; only that
//! nothing was faster than the declared wire.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test says by panicking that something is wrong"
)]

mod process;
mod servers;

mod endings;
mod faults;
mod mistakes;
mod passing;
mod queries;
