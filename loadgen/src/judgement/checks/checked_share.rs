//! Checks whether the bodies of answers were compared.

use crate::judgement::evidence::Evidence;
use crate::judgement::finding::Finding;

/// States that no body was checked. Without this check, a server with fast but wrong
/// answers looks fast.
pub fn check(evidence: &Evidence) -> Vec<Finding> {
    if evidence.counts.checked > 0 || evidence.counts.good == 0 {
        return Vec::new();
    }
    vec![Finding::limitation(
        "checked_share",
        format!(
            "the bodies of the answers were not checked, so {} answers count as good by their \
             status alone",
            evidence.counts.good
        ),
        "say what a body must be, with --expect-body-sha256, --expect-body-contains or \
         --expect-json",
    )]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::finding::Severity;
    use crate::judgement::fixture::honest;

    #[test]
    fn unchecked_answers_are_stated() {
        let mut run = honest();
        assert_eq!(check(&run), []);
        run.counts.checked = 1;
        assert_eq!(check(&run), []);
        run.counts.checked = 0;
        assert_eq!(check(&run)[0].severity, Severity::Limitation);
        assert!(check(&run)[0]
            .message
            .contains("20000 answers count as good by their status alone"));
        run.counts.good = 0;
        assert_eq!(check(&run), [], "what failed is another check's matter");
    }
}
