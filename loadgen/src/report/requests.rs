//! What became of the requests, counted.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::judgement::counts::Failures;

/// The fate of every request of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Requests {
    /// Requests the schedule held until the run ended.
    pub scheduled: u64,
    /// Requests of which at least one byte was sent.
    pub sent: u64,
    /// Requests whose answer was complete, good or not.
    pub completed: u64,
    /// Complete answers that passed every check made of them.
    pub good: u64,
    /// Requests that failed, of any kind: the sum of `failures`.
    pub failed: u64,
    /// Good answers that said the key has no value (Redis); they are part of `good`.
    pub misses: u64,
    /// Answers that are good if their body is: the status is as expected, and the traffic says
    /// what the body must be. 0 if no body was to be checked.
    #[serde(default)]
    pub checkable: u64,
    /// Those whose body was checked: a sample of `check_share` of them.
    pub checked: u64,
    /// Those whose body was checked, and was wrong.
    #[serde(default)]
    pub wrong_of_checked: u64,
    /// Times bytes came that nobody had asked for, after an answer or out of nothing.
    pub unasked: u64,
    /// Failed requests by kind.
    pub failures: Failures,
    /// What was wrong with the first answer or connection that was not good, in words.
    pub complaint: Option<String>,
    /// Complete answers by HTTP status, or by kind of reply (Redis).
    pub statuses: BTreeMap<String, u64>,
}
