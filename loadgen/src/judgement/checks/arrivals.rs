//! Checks that requests were sent at their intended instants, to the mode's resolution.
//!
//! That the instants themselves are the requested process is a property of the schedule, which its
//! own tests show (`schedule/tests_schedule.rs`).

use super::remedy::punctuality;
use crate::judgement::evidence::{Evidence, Loop};
use crate::judgement::finding::Finding;
use crate::judgement::grid::GridError;
use crate::judgement::nanoseconds::Nanoseconds;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was measured of the arrivals of an open loop.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArrivalsTest {
    /// The distance of sends from their intended instants; `None` in a closed loop or where
    /// nothing was sent.
    pub grid: Option<GridError>,
}

/// Tests the arrivals of a run. The result is `None` in a closed loop.
pub fn test(evidence: &Evidence) -> ArrivalsTest {
    ArrivalsTest {
        grid: match evidence.loop_kind {
            Loop::Open => GridError::of(&evidence.quantities.send_lag.histogram, evidence.mode),
            Loop::Closed => None,
        },
    }
}

/// Warns if requests were sent less precisely than the mode promises.
pub fn check(evidence: &Evidence, test: &ArrivalsTest) -> Vec<Finding> {
    let off_grid = test.grid.filter(|error| !error.keeps_promise());
    let told = |error: GridError| {
        Finding::warning(
            "arrivals",
            format!(
                "one request in 100 was sent {} or more after its intended instant (median {}, \
                 worst {}); --mode {} promises {}",
                Nanoseconds(error.p99_ns),
                Nanoseconds(error.p50_ns),
                Nanoseconds(error.max_ns),
                evidence.mode.name(),
                Nanoseconds(error.promised_ns)
            ),
            punctuality(evidence.mode),
        )
    };
    off_grid.map(told).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::evidence::Mode;
    use crate::judgement::finding::Severity;
    use crate::judgement::fixture::{evidence_of, honest, honest_requests};

    fn judged(evidence: &Evidence) -> Vec<Finding> {
        check(evidence, &test(evidence))
    }

    #[test]
    fn honest_arrivals_pass() {
        assert!(test(&honest()).grid.is_some());
        assert_eq!(judged(&honest()), []);
    }

    #[test]
    fn sends_off_the_grid_are_flagged() {
        let mut requests = honest_requests(1);
        for request in requests.iter_mut().step_by(50) {
            request.send_lag_ns += 400_000;
        }
        let mut liar = evidence_of(&requests);
        let [finding] = &judged(&liar)[..] else {
            panic!("{:?}", judged(&liar));
        };
        assert_eq!(finding.severity, Severity::Warning);
        assert!(finding.message.contains("default promises 100 µs"));
        liar.mode = Mode::Economy;
        assert_eq!(judged(&liar), [], "a tick allows it");
    }

    #[test]
    fn a_closed_loop_has_no_arrivals() {
        let mut closed = honest();
        closed.loop_kind = Loop::Closed;
        closed.mode = Mode::Precise;
        assert_eq!(test(&closed), ArrivalsTest::default());
        assert_eq!(judged(&closed), []);
    }
}
