//! Checks whether the bodies of answers were compared, and what a sample of them shows.

use crate::judgement::evidence::Evidence;
use crate::judgement::finding::{Finding, Severity};

/// The greatest expected share of unseen wrong answers for which a run is not void. A wrong
/// answer may be a fast one. The lab has the same limit (`VOID_SHARE` of its check `errors`).
const VOID_SHARE: f64 = 0.01;

/// States that no body was checked. Without this check, a server with fast but wrong
/// answers looks fast. If only a sample was checked, its wrong bodies stand for those that
/// nobody checked, and the run is flagged or void.
pub fn check(evidence: &Evidence) -> Vec<Finding> {
    let counts = &evidence.counts;
    // A key without a value has no body.
    let by_status = counts.good.saturating_sub(counts.misses);
    if by_status == 0 {
        return Vec::new();
    }
    if counts.checked == 0 {
        return vec![Finding::limitation(
            "checked_share",
            format!(
                "the bodies of the answers were not checked, so {by_status} answers count as good \
                 by their status alone"
            ),
            "say what a body must be, with --expect-body-sha256, --expect-body-contains or \
             --expect-json",
        )];
    }
    let unseen = evidence.unseen_wrong();
    if unseen <= 0.0 {
        return Vec::new();
    }
    let is_void = unseen > VOID_SHARE * (counts.good + counts.failed()) as f64;
    vec![Finding::of_run(
        "checked_share",
        if is_void {
            Severity::Fault
        } else {
            Severity::Warning
        },
        format!(
            "{} of {} checked bodies were wrong, so about {unseen:.0} of the {} good answers have \
             a wrong body that nobody checked",
            counts.wrong_of_checked, counts.checked, counts.good
        ),
        "correct the answers, or check every body (--check-share 1)",
    )]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::counts::Failure;
    use crate::judgement::finding::Severity;
    use crate::judgement::fixture::honest;

    #[test]
    fn wrong_bodies_of_a_sample_stand_for_those_that_nobody_checked() {
        let mut run = honest();
        run.counts.checked = 100;
        assert_eq!(check(&run), []);
        for (wrong, severity) in [(100, Severity::Fault), (1, Severity::Warning)] {
            run.counts.wrong_of_checked = wrong;
            run.counts.failures[Failure::WrongBody as usize] = wrong;
            run.counts.good = 20_000 - wrong;
            let findings = check(&run);
            let told: Vec<_> = findings.iter().map(|finding| finding.severity).collect();
            assert_eq!(told, [severity], "{findings:?}");
            let unseen = format!("about {} ", 199 * wrong);
            assert!(findings[0].message.contains(&unseen), "{findings:?}");
            assert!(findings[0].concerns("latency_ns.p50"));
        }
        run.counts.checkable = 100;
        assert_eq!(check(&run), [], "every body was checked");
    }

    #[test]
    fn what_is_wrong_whatever_the_body_stands_for_itself_alone() {
        // The keys of 300 requests have no value. Of the 19,700 bodies, 100 were checked.
        let mut run = honest();
        run.counts.failures[Failure::WrongBody as usize] = 300;
        run.counts.good = 19_700;
        run.counts.checkable = 19_700;
        run.counts.checked = 100;
        assert_eq!(check(&run), []);
        run.counts.wrong_of_checked = 1;
        run.counts.failures[Failure::WrongBody as usize] = 301;
        run.counts.good = 19_699;
        let findings = check(&run);
        assert!(findings[0].message.contains("about 196 "), "{findings:?}");
        assert_eq!(findings[0].severity, Severity::Warning);
    }

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
        run.counts.misses = 5_000;
        assert!(check(&run)[0].message.contains("so 15000 answers"));
        run.counts.misses = 20_000;
        assert_eq!(check(&run), [], "a key without a value has no body");
        (run.counts.good, run.counts.misses) = (0, 0);
        assert_eq!(check(&run), [], "what failed is another check's matter");
    }
}
