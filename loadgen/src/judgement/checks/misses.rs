//! Checks whether the keys that were read had values.

use crate::judgement::evidence::{share, Evidence};
use crate::judgement::finding::Finding;

/// States that keys had no value. Without this check, a store that keeps nothing looks fast.
pub fn check(evidence: &Evidence) -> Vec<Finding> {
    let (misses, good) = (evidence.counts.misses, evidence.counts.good);
    if misses == 0 {
        return Vec::new();
    }
    vec![Finding::limitation(
        "misses",
        format!(
            "{misses} of {good} good answers ({:.1}%) said that the key has no value, which is less \
             work than to send a value",
            100.0 * share(misses, good)
        ),
        "set every key before the run (--preload), and leave out the operation del",
    )]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::finding::Severity;
    use crate::judgement::fixture::honest;

    #[test]
    fn misses_are_stated() {
        let mut run = honest();
        assert_eq!(check(&run), []);
        run.counts.misses = 5_000;
        let findings = check(&run);
        assert_eq!(findings[0].severity, Severity::Limitation);
        assert!(
            findings[0]
                .message
                .starts_with("5000 of 20000 good answers (25.0%)"),
            "{findings:?}"
        );
    }
}
