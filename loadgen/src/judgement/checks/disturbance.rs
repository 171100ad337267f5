//! Checks whether other processes used the generator's processors.

use crate::judgement::evidence::Evidence;
use crate::judgement::finding::Finding;

/// The greatest share of the run for which a thread may wait for a processor. It is the
/// limit for run-queue delay of `docs/statistics.md`, "A noisy machine". There, 5% makes
/// wall time void; here it does not, because the effect of such waits on sends is measured
/// directly ([`super::send_lag`]).
pub const GREATEST_WAITING_SHARE: f64 = 0.01;

/// Examines the run-queue time of each thread.
pub fn check(evidence: &Evidence) -> Vec<Finding> {
    let mut findings = Vec::new();
    let waited: Vec<String> = evidence
        .threads
        .iter()
        .enumerate()
        .filter_map(|(number, thread)| Some((number, thread.run_queue_share?)))
        .filter(|(_, share)| *share > GREATEST_WAITING_SHARE)
        .map(|(number, share)| format!("thread {number} {:.1}% of the time", 100.0 * share))
        .collect();
    if !waited.is_empty() {
        findings.push(Finding::warning(
            "disturbance",
            format!(
                "threads of the generator waited for a processor that other processes used: {}",
                waited.join(", ")
            ),
            "keep other processes off the generator's processors (--cpus), or use fewer --threads",
        ));
    }
    if evidence
        .threads
        .iter()
        .any(|thread| thread.run_queue_share.is_none())
    {
        findings.push(Finding::limitation(
            "disturbance",
            "it is unknown whether other processes used the generator's processors, because the \
             kernel does not report run-queue times",
            "use a kernel with /proc/PID/schedstat (CONFIG_SCHED_INFO)",
        ));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::finding::Severity;
    use crate::judgement::fixture::honest;

    #[test]
    fn a_quiet_machine_passes() {
        assert_eq!(check(&honest()), []);
    }

    #[test]
    fn a_thread_that_waited_is_named() {
        let mut disturbed = honest();
        disturbed.threads[0].run_queue_share = Some(0.034);
        let findings = check(&disturbed);
        assert_eq!(findings[0].severity, Severity::Warning);
        assert!(
            findings[0].message.contains("thread 0 3.4%"),
            "{findings:?}"
        );
    }

    #[test]
    fn what_the_kernel_does_not_tell_does_not_pass() {
        let mut untold = honest();
        untold.threads[0].run_queue_share = None;
        let findings = check(&untold);
        assert_eq!(findings[0].severity, Severity::Limitation);
        assert!(findings[0].message.contains("it is unknown"));
    }
}
