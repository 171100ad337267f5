//! Checks whether latency is counted from an instant that depends on the server.

use crate::judgement::evidence::{Evidence, Loop};
use crate::judgement::figures::latency_paths;
use crate::judgement::finding::Finding;

/// Flags the latencies of every closed loop. In a simulation of 8,000 requests a second
/// with a stall of 100 ms every 10 s, a closed loop reported a p99.9 of 1.4 ms while users
/// waited 93 ms (`docs/statistics.md`, latency).
pub fn check(evidence: &Evidence) -> Vec<Finding> {
    if evidence.loop_kind == Loop::Open {
        return Vec::new();
    }
    let finding = Finding::warning(
        "closed_loop",
        format!(
            "the load was a closed loop: {} connections each wait for an answer before they send \
             again; a stalled server therefore gets fewer requests, and the percentiles hardly \
             show the stall",
            evidence.connections
        ),
        "use this run for throughput at saturation only; to measure latency, give a --rate",
    );
    vec![finding.about(latency_paths())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::finding::Severity;
    use crate::judgement::fixture::honest;

    #[test]
    fn an_open_loop_passes_and_a_closed_one_never_does() {
        let mut run = honest();
        assert_eq!(check(&run), []);
        run.loop_kind = Loop::Closed;
        let findings = check(&run);
        assert_eq!(findings[0].severity, Severity::Warning);
        assert_eq!(findings[0].figures.len(), 6);
        assert!(findings[0].concerns("latency_ns.p50") && findings[0].concerns("latency_ns.max"));
        assert!(!findings[0].concerns("send_lag_ns.p50"));
        assert!(findings[0]
            .message
            .starts_with("the load was a closed loop: 50 connections"));
    }
}
