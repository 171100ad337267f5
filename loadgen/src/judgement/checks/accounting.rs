//! Checks that every request is accounted for.
//!
//! A generator hides a stall if it does not send, or forgets, the requests that would have
//! met the stall. Therefore each scheduled request must have ended in exactly one way, and
//! each good answer must be in the histogram.

use crate::judgement::evidence::Evidence;
use crate::judgement::finding::Finding;

/// Compares the counts with one another. An interrupted run has requests under way at its
/// end, so only contradictions that these cannot explain are faults.
pub fn check(evidence: &Evidence) -> Vec<Finding> {
    let counts = &evidence.counts;
    let (scheduled, good, failed) = (counts.scheduled, counts.good, counts.failed());
    let ended = good.saturating_add(failed);
    let recorded = evidence.quantities.latency.histogram.len();
    let mut wrong = Vec::new();
    if ended < scheduled && !evidence.interrupted {
        let lost = scheduled - ended;
        wrong.push(format!(
            "{lost} of {scheduled} scheduled requests have no outcome"
        ));
    }
    if ended > scheduled {
        wrong.push(format!(
            "{ended} requests ended, but {scheduled} were scheduled"
        ));
    }
    if counts.sent > scheduled {
        wrong.push(format!(
            "{} requests were sent, but {scheduled} were scheduled",
            counts.sent
        ));
    }
    if recorded != good {
        wrong.push(format!(
            "{good} answers were good, but {recorded} latencies were recorded"
        ));
    }
    if wrong.is_empty() {
        return Vec::new();
    }
    vec![Finding::fault(
        "accounting",
        wrong.join("; "),
        "this is a defect of the generator; please report it with the command line",
    )]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::counts::Failure;
    use crate::judgement::finding::Severity;
    use crate::judgement::fixture::honest;

    fn fault(liar: &Evidence, words: &str) {
        let findings = check(liar);
        assert_eq!(findings.len(), 1, "{words}");
        assert_eq!(findings[0].severity, Severity::Fault);
        assert!(findings[0].message.contains(words), "{findings:?}");
    }

    #[test]
    fn every_request_accounted_for_passes() {
        assert_eq!(check(&honest()), []);
        let mut failing = honest();
        failing.counts.scheduled += 7;
        failing.counts.failures[Failure::TimedOut as usize] = 7;
        assert_eq!(check(&failing), []);
    }

    #[test]
    fn coordinated_omission_is_a_fault() {
        let mut liar = honest();
        liar.counts.scheduled += 400;
        fault(&liar, "400 of 20400 scheduled requests have no outcome");
        liar.interrupted = true;
        assert_eq!(check(&liar), [], "requests under way when interrupted");
    }

    #[test]
    fn a_latency_left_out_or_added_is_a_fault() {
        let mut liar = honest();
        liar.counts.good -= 1;
        liar.counts.failures[Failure::Reset as usize] = 1;
        fault(
            &liar,
            "19999 answers were good, but 20000 latencies were recorded",
        );
    }

    #[test]
    fn more_than_was_scheduled_is_a_fault() {
        let mut liar = honest();
        liar.counts.sent += 1;
        fault(&liar, "20001 requests were sent");
        let mut liar = honest();
        liar.counts.failures[Failure::Reset as usize] = 1;
        fault(&liar, "20001 requests ended");
    }
}
