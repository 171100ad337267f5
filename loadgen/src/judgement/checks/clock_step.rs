//! Checks that the clock of the kernel's time stamps was not set during the run.

use crate::judgement::evidence::Evidence;
use crate::judgement::finding::Finding;

/// Flags a run during which the realtime clock was set. The kernel's receive time stamps
/// are read from this clock, and stamps near the step are converted with a wrong
/// difference.
pub fn check(evidence: &Evidence) -> Vec<Finding> {
    if evidence.counts.clock_steps == 0 {
        return Vec::new();
    }
    vec![Finding::warning(
        "clock_step",
        format!(
            "the realtime clock was stepped {} times during the run, so latencies at these \
             instants may be wrong by the size of the step",
            evidence.counts.clock_steps
        ),
        "let the time daemon slew the clock instead of stepping it (chrony: no makestep)",
    )]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::finding::Severity;
    use crate::judgement::fixture::honest;

    #[test]
    fn a_step_is_flagged_and_no_step_is_not() {
        let mut run = honest();
        assert_eq!(check(&run), []);
        run.counts.clock_steps = 1;
        let findings = check(&run);
        assert_eq!(findings[0].severity, Severity::Warning);
        assert!(
            findings[0].message.contains("stepped 1 times"),
            "{findings:?}"
        );
    }
}
