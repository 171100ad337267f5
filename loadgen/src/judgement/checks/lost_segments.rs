//! Checks whether the network lost or reordered segments.

use crate::judgement::evidence::Evidence;
use crate::judgement::finding::Finding;

/// Flags a run with segments that were sent again or came after a gap, and states their
/// number. The latencies include the wait for missing segments, because an answer counts as
/// arrived when it could be read, not when its last segment came.
pub fn check(evidence: &Evidence) -> Vec<Finding> {
    let losses = evidence.counts.losses;
    if losses.retransmitted == 0 && losses.out_of_order == 0 && evidence.counts.overtaken == 0 {
        return Vec::new();
    }
    vec![Finding::warning(
        "lost_segments",
        format!(
            "the network lost or reordered segments: {} were sent again, and {} came after a gap; \
             {} answers waited for a missing segment, so their times are the times at which they \
             were read",
            losses.retransmitted, losses.out_of_order, evidence.counts.overtaken
        ),
        "find the part of the network that loses segments; the latencies contain these waits",
    )]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::finding::Severity;
    use crate::judgement::fixture::honest;

    #[test]
    fn a_network_that_loses_nothing_passes() {
        assert_eq!(check(&honest()), []);
    }

    #[test]
    fn each_kind_of_loss_flags_with_its_number() {
        let mut run = honest();
        run.counts.losses.retransmitted = 12;
        assert!(check(&run)[0].message.contains("12 were sent again"));
        let mut run = honest();
        run.counts.losses.out_of_order = 7;
        assert!(check(&run)[0].message.contains("7 came after a gap"));
        let mut run = honest();
        run.counts.overtaken = 3;
        let findings = check(&run);
        assert_eq!(findings[0].severity, Severity::Warning);
        assert!(findings[0].message.contains("3 answers"), "{findings:?}");
    }
}
