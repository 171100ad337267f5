//! Percentiles, and the ranks that enclose them.

pub mod order_statistics;
pub mod percentile;
