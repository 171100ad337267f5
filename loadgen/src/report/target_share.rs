//! What one of several servers got and gave.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::judgement::counts::Failures;
use crate::judgement::figures::Figures;

/// One of several servers over the whole run, warm-up included. A request for which no
/// connection was free is none of theirs; one that an attempt to connect took with it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TargetShare {
    /// As given.
    pub url: String,
    /// Connections that go to it.
    pub connections: u64,
    /// Requests sent to it.
    pub sent: u64,
    /// Whole answers.
    pub completed: u64,
    /// Good answers.
    pub good: u64,
    /// Requests without a good answer.
    pub failed: u64,
    /// The same by kind.
    pub failures: Failures,
    /// Done − intended, of good answers.
    pub latency_ns: Figures,
}
