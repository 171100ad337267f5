//! Checks whether this machine had enough resources for the connections.

use super::rate::GREATEST_OWN_SHARE;
use crate::judgement::counts::Failure;
use crate::judgement::evidence::{share, Evidence};
use crate::judgement::finding::{Finding, Severity};

/// Finds requests that failed because the generator's machine had no socket, port or
/// descriptor left. The server did not refuse them. If they are more than a generator may
/// lose by its own fault, the rate was not kept.
pub fn check(evidence: &Evidence) -> Vec<Finding> {
    let failed = evidence.counts.failures[Failure::NoSocket as usize];
    if failed == 0 {
        return Vec::new();
    }
    let scheduled = evidence.counts.scheduled;
    let severity = if share(failed, scheduled) > GREATEST_OWN_SHARE {
        Severity::Fault
    } else {
        Severity::Warning
    };
    vec![Finding::of_run(
        "no_socket",
        severity,
        format!(
            "{failed} of {scheduled} requests failed because the generator's machine had no \
             socket, port or descriptor left, and other requests may have waited for one"
        ),
        "raise the limit (ulimit -n) or the port range (net.ipv4.ip_local_port_range), or let the \
         server keep connections open",
    )]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::fixture::honest;

    #[test]
    fn a_machine_that_has_enough_passes() {
        assert_eq!(check(&honest()), []);
    }

    #[test]
    fn a_shortage_is_void_where_the_rate_falls_short_by_it() {
        let mut short = honest();
        short.counts.failures[Failure::NoSocket as usize] = 20;
        assert_eq!(check(&short)[0].severity, Severity::Warning, "0.1%");
        short.counts.failures[Failure::NoSocket as usize] = 21;
        let findings = check(&short);
        assert_eq!(findings[0].severity, Severity::Fault);
        assert!(
            findings[0].message.starts_with("21 of 20000 requests"),
            "{findings:?}"
        );
    }
}
