//! Checks whether the run was ended because no request was answered.

use crate::judgement::evidence::Evidence;
use crate::judgement::finding::Finding;
use crate::judgement::nanoseconds::Nanoseconds;

/// Voids a closed loop that ended before all its requests were sent because the server no
/// longer answered. The requested load was not measured.
pub fn check(evidence: &Evidence) -> Vec<Finding> {
    if !evidence.given_up {
        return Vec::new();
    }
    vec![Finding::fault(
        "unanswered",
        format!(
            "the run ended early, after {} and {} requests ({} good), because the server no longer \
             answered",
            Nanoseconds(evidence.elapsed_ns),
            evidence.counts.scheduled,
            evidence.counts.good
        ),
        "look at the server's log, because the server stopped answering in the middle of the run",
    )]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::finding::Severity;
    use crate::judgement::fixture::honest;

    #[test]
    fn only_a_run_given_up_is_void() {
        let mut run = honest();
        assert_eq!(check(&run), []);
        run.given_up = true;
        let findings = check(&run);
        assert_eq!(findings[0].severity, Severity::Fault);
        assert!(
            findings[0]
                .message
                .contains("after 10.0 s and 20000 requests"),
            "{findings:?}"
        );
    }
}
