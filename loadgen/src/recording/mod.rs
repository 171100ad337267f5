//! The records of a run: the figures of every interval and, if requested, every request.
//!
//! A worker owns a [`figures::Figures`] and fills it without locks; at the end of
//! each interval it hands it over and takes an emptied one. The [`collector`]
//! merges the workers' intervals, writes the logs as they come, and keeps the totals.

pub mod collector;
pub mod figures;
pub mod interval_log;
pub mod openings;
pub mod records;
pub mod stream_counts;
pub mod target;
