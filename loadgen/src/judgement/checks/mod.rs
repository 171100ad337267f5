//! The checks of a run, one in each file. Each check has a faulty run that it must catch
//! and an honest run that it must pass. The table is in [`crate::judgement`].

pub mod accounting;
pub mod arrivals;
pub mod checked_share;
pub mod clock_step;
pub mod closed_loop;
pub mod connections;
pub mod dependence;
pub mod disturbance;
pub mod failures;
pub mod generator_cpu;
pub mod interrupted;
pub mod lost_segments;
pub mod misses;
pub mod no_socket;
pub mod rate;
mod remedy;
pub mod resolution;
pub mod send_lag;
pub mod servers;
pub mod stationarity;
pub mod too_few_requests;
pub mod unanswered;
pub mod unstamped;
