//! States the resolution of the schedule's clock.

use crate::judgement::evidence::{Evidence, Loop, Mode};
use crate::judgement::finding::Finding;
use crate::judgement::grid::ECONOMY_TICK_NS;
use crate::judgement::nanoseconds::Nanoseconds;

/// States the resolution of the economy mode. Requests wait for the next tick, and all
/// requests of one tick are sent together. Latency includes this wait, because it is
/// counted from the intended instant.
pub fn check(evidence: &Evidence) -> Vec<Finding> {
    match (evidence.loop_kind, evidence.mode) {
        (Loop::Open, Mode::Economy) => vec![Finding::limitation(
            "resolution",
            format!(
                "in the mode economy, requests are sent on a tick of {}; latencies are not more \
                 precise than this tick, and the requests of one tick arrive together",
                Nanoseconds(ECONOMY_TICK_NS)
            ),
            "to measure latencies of a few milliseconds or less, use --mode default",
        )],
        (Loop::Closed, _) | (Loop::Open, Mode::Default | Mode::Precise) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::finding::Severity;
    use crate::judgement::fixture::honest;

    #[test]
    fn economy_states_its_tick_and_the_others_have_none() {
        let mut run = honest();
        for (mode, stated) in [(Mode::Economy, 1), (Mode::Default, 0), (Mode::Precise, 0)] {
            run.mode = mode;
            let findings = check(&run);
            assert_eq!(findings.len(), stated, "{mode:?}");
            assert!(findings
                .iter()
                .all(|finding| finding.message.contains("1.00 ms")
                    && finding.severity == Severity::Limitation));
        }
        run.mode = Mode::Economy;
        run.loop_kind = Loop::Closed;
        assert_eq!(check(&run), []);
    }
}
