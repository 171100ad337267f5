//! The finished binary against real servers, honest and otherwise.
//!
//! One test crate, so that the servers and the reading of results are compiled
//! and linked once. What every run must satisfy is asserted of every run
//! ([`generator::Measurement`]); a test adds what its own server makes of it.
//! Counts, orders and wide ratios are asserted, never how long something took.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test says by panicking that something is wrong"
)]

mod generator;
mod half_failing;
mod servers;

mod addresses;
mod awake_processors;
mod conversations;
mod coordination;
mod failures;
mod feeds;
mod files;
mod http2;
mod http2_rogues;
mod interruption;
mod lateness;
mod mistakes;
mod pool;
mod rate;
mod rogue_answers;
mod rogue_connections;
mod schedule_sent;
mod several_servers;
mod shards;
mod stores;
mod tls;
