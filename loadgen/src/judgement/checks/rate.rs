//! Checks whether the generator offered the requested rate.

use super::generator_cpu::GREATEST_BUSY_SHARE;
use crate::judgement::evidence::{share, Evidence, Loop, SenderThread};
use crate::judgement::finding::{Finding, Severity};

/// The greatest share of the schedule that the generator may send after the schedule's end
/// by its own fault. Below 99.9% of the requested rate a run is void, as the README
/// promises.
pub const GREATEST_OWN_SHARE: f64 = 0.001;

/// The greatest share that may be sent late because the server kept every connection busy.
/// Below 99% of the requested rate the run is not at its operating point
/// (`docs/statistics.md`, fairness, peak against objective).
pub const GREATEST_SERVER_SHARE: f64 = 0.01;

/// Compares the number of requests that were sent within the schedule's time with the
/// number of scheduled requests. It is used only for open loops.
///
/// A busy generator hands a free connection over late. In a backlog this delay counts as the
/// server's ([`crate::engine::punctual_send`]), so it is then unknown who was late.
pub fn check(evidence: &Evidence) -> Vec<Finding> {
    if evidence.loop_kind == Loop::Closed {
        return Vec::new();
    }
    let scheduled = evidence.counts.scheduled;
    let (own, server) = (
        evidence.counts.late_by_generator,
        evidence.counts.kept_waiting(),
    );
    let achieved = scheduled.saturating_sub(own.saturating_add(server));
    let told = format!(
        "{achieved} of {scheduled} requests were sent by the schedule's end \
         (achieved/offered {:.4})",
        share(achieved, scheduled)
    );
    let mut findings = Vec::new();
    if share(own, scheduled) > GREATEST_OWN_SHARE {
        findings.push(Finding::fault(
            "rate",
            format!("{told}; {own} requests had a free connection and were late because of the generator"),
            "lower the rate, or add --threads or --mode economy, because the generator cannot \
             offer this rate on this machine",
        ));
    }
    if share(server, scheduled) > GREATEST_SERVER_SHARE {
        let was_busy = |thread: &SenderThread| thread.busy_share() > GREATEST_BUSY_SHARE;
        let (severity, reason, advice) = if evidence.threads.iter().any(was_busy) {
            (
                Severity::Fault,
                "but the generator was busy, so it is unknown whether the server or the \
                 generator did not keep up",
                "add --threads (one thread for each free processor), or lower the rate",
            )
        } else {
            (
                Severity::Warning,
                "because the server did not keep up",
                "lower the rate, or add --connections; latencies grow with the length of such a run",
            )
        };
        findings.push(Finding::of_run(
            "rate",
            severity,
            format!("{told}; {server} requests found no free connection, {reason}"),
            advice,
        ));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::fixture::honest;

    #[test]
    fn a_kept_rate_passes() {
        assert_eq!(check(&honest()), []);
        let mut nearly = honest();
        nearly.counts.late_by_generator = 20;
        nearly.counts.late_by_server = 200;
        assert_eq!(check(&nearly), [], "exactly 0.1% and 1% of 20,000");
    }

    #[test]
    fn a_generator_that_falls_behind_is_void() {
        let mut liar = honest();
        liar.counts.late_by_generator = 21;
        let findings = check(&liar);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Fault);
        assert!(
            findings[0].message.contains("19979 of 20000"),
            "{findings:?}"
        );
        assert!(
            findings[0]
                .message
                .contains("21 requests had a free connection"),
            "{findings:?}"
        );
    }

    #[test]
    fn a_server_that_falls_behind_is_flagged_not_void() {
        let mut slow = honest();
        slow.counts.late_by_server = 5_000;
        let findings = check(&slow);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Warning);
        assert!(findings[0].message.contains("0.7500"), "{findings:?}");
    }

    #[test]
    fn a_busy_generator_blames_nobody() {
        let mut liar = honest();
        liar.counts.late_by_server = 1_000;
        liar.threads[0].cpu_share = 0.95;
        let findings = check(&liar);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Fault);
        assert!(findings[0].message.contains("unknown"), "{findings:?}");
        liar.threads[0].spin_share = 0.2;
        assert_eq!(check(&liar)[0].severity, Severity::Warning, "it spun");
    }

    #[test]
    fn a_closed_loop_has_no_rate_to_keep() {
        let mut closed = honest();
        closed.loop_kind = Loop::Closed;
        closed.counts.late_by_generator = 20_000;
        assert_eq!(check(&closed), []);
    }
}
