//! Checks whether the run ended before its schedule.

use crate::judgement::evidence::Evidence;
use crate::judgement::finding::Finding;
use crate::judgement::nanoseconds::Nanoseconds;

/// Flags a run that was ended early. Later requests are unknown, and so is the fate of the
/// requests that were given up, which tend to be the slowest.
pub fn check(evidence: &Evidence) -> Vec<Finding> {
    if !evidence.interrupted {
        return Vec::new();
    }
    vec![Finding::warning(
        "interrupted",
        format!(
            "the run ended early, after {}, with {} requests under way or overdue, whose \
             latencies are unknown",
            Nanoseconds(evidence.elapsed_ns),
            evidence.cut_off
        ),
        "let the run finish",
    )]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::finding::Severity;
    use crate::judgement::fixture::honest;

    #[test]
    fn only_a_run_ended_early_is_flagged() {
        let mut run = honest();
        assert_eq!(check(&run), []);
        run.interrupted = true;
        run.cut_off = 12;
        let findings = check(&run);
        assert_eq!(findings[0].severity, Severity::Warning);
        assert!(
            findings[0]
                .message
                .contains("after 10.0 s, with 12 requests"),
            "{findings:?}"
        );
    }
}
