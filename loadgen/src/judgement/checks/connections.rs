//! Checks whether connections stayed open.

use crate::judgement::evidence::Evidence;
use crate::judgement::finding::Finding;

/// States that connections were opened again after the server or a failure closed them.
/// Requests that waited for such a connection also waited for its handshake.
pub fn check(evidence: &Evidence) -> Vec<Finding> {
    let again = evidence
        .counts
        .opened_otherwise()
        .saturating_sub(evidence.connections);
    if again == 0 {
        return Vec::new();
    }
    vec![Finding::limitation(
        "connections",
        format!(
            "{again} connections were opened again after they had closed (--connections {}); if a \
             request waited for such a connection, its queue wait includes the handshake",
            evidence.connections
        ),
        "see whether the server closes connections (keep-alive limits) or fails",
    )]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::finding::Severity;
    use crate::judgement::fixture::honest;

    #[test]
    fn lasting_connections_pass_and_others_are_counted() {
        let mut run = honest();
        assert_eq!(check(&run), []);
        run.counts.connections_opened = 73;
        let findings = check(&run);
        assert_eq!(findings[0].severity, Severity::Limitation);
        assert!(
            findings[0].message.starts_with("23 connections"),
            "{findings:?}"
        );
    }
}
