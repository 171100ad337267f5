//! Checks whether the generator itself was the bottleneck.

use crate::judgement::evidence::{Evidence, Loop};
use crate::judgement::finding::Finding;

/// The greatest share of time for which a thread may be busy. By queueing theory a thread
/// 80% busy lets a request wait four times its own cost on average (M/M/1: u / (1 − u)),
/// which at 5 µs a request is 20 µs: about the delay of one timer, which is the greatest
/// lateness that the default mode accepts.
pub const GREATEST_BUSY_SHARE: f64 = 0.8;

/// Examines the CPU time of each thread, without the time that it spent spinning on
/// purpose.
///
/// A busy thread is never a fault: if a generator is saturated, it sends late, and other
/// checks measure this lateness ([`super::rate`], [`super::send_lag`]); if it is saturated
/// only briefly, it may still be punctual. If requests were late because no connection was
/// free, [`super::rate`] makes the run void. The warning is needed because a generator cannot
/// measure how late it *reads* answers without a kernel time stamp.
pub fn check(evidence: &Evidence) -> Vec<Finding> {
    let busy: Vec<String> = evidence
        .threads
        .iter()
        .enumerate()
        .map(|(number, thread)| (number, thread.busy_share()))
        .filter(|(_, share)| *share > GREATEST_BUSY_SHARE)
        .map(|(number, share)| format!("thread {number} {:.0}%", 100.0 * share))
        .collect();
    if busy.is_empty() {
        return Vec::new();
    }
    let consequence = match evidence.loop_kind {
        Loop::Open => "answers may have been read late, and requests may have been sent late",
        Loop::Closed => "the throughput may be the limit of the generator and not of the server",
    };
    vec![Finding::warning(
        "generator_cpu",
        format!(
            "the generator was busy ({} of a processor), so {consequence}",
            busy.join(", ")
        ),
        "add --threads (one thread for each free processor), or lower the rate",
    )]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::finding::Severity;
    use crate::judgement::fixture::honest;

    #[test]
    fn an_idle_generator_passes() {
        assert_eq!(check(&honest()), []);
    }

    #[test]
    fn one_busy_thread_of_many_is_named() {
        let mut liar = honest();
        liar.threads = vec![liar.threads[0]; 3];
        liar.threads[1].cpu_share = 0.97;
        let findings = check(&liar);
        assert_eq!(findings[0].severity, Severity::Warning);
        assert!(findings[0].message.contains("thread 1 97%"), "{findings:?}");
        assert!(!findings[0].message.contains("thread 0"), "{findings:?}");
        assert!(findings[0].advice.contains("--threads"));
        liar.loop_kind = Loop::Closed;
        assert!(check(&liar)[0].message.contains("throughput"));
    }

    #[test]
    fn spinning_on_purpose_is_not_work() {
        let mut precise = honest();
        precise.threads[0].cpu_share = 0.99;
        precise.threads[0].spin_share = 0.7;
        assert_eq!(check(&precise), []);
        precise.threads[0].spin_share = 0.1;
        assert_eq!(check(&precise).len(), 1);
    }
}
