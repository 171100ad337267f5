//! What was asked for, in the words in which it was asked: for the record only.

use crate::judgement::requirement::Requirement;
use crate::report::result::{ArrivalPlan, Files, TrafficSummary};

/// How a run was asked for, besides what its [`crate::engine::load::Load`] says.
#[derive(Clone, Debug)]
pub struct Description {
    /// The URLs, or what stands for them.
    pub targets: Vec<String>,
    /// The schedule; nothing of a closed loop.
    pub arrivals: Option<ArrivalPlan>,
    /// What is sent.
    pub traffic: TrafficSummary,
    /// What it is to show.
    pub requirements: Vec<Requirement>,
    /// Where the rest is written.
    pub files: Files,
}
