//! What do failed requests hide?

use crate::judgement::evidence::{share, Evidence};
use crate::judgement::figures::{Withheld, MAX};
use crate::judgement::finding::{Finding, Severity};
use crate::judgement::percentile::Percentile;

/// The figures of good answers that failed requests make unknowable, with the reason.
///
/// A failed request has no latency, and the user who met it waited, in effect, for ever. With a
/// failed share f, any percentile whose tail is no greater than f may lie among the failures;
/// and so may the greatest value with one failure alone. (A percentile further in is that of the
/// good answers; the true one lies at most f higher among all.)
pub fn withheld(evidence: &Evidence) -> Withheld {
    let failed = evidence.counts.failed();
    if failed == 0 {
        return Withheld::new();
    }
    let reason = format!(
        "{failed} of {} requests failed: this may be the latency of one of them",
        evidence.counts.good.saturating_add(failed)
    );
    unknowable(evidence)
        .into_iter()
        .map(Percentile::name)
        .chain([MAX])
        .map(|name| (name.to_owned(), reason.clone()))
        .collect()
}

/// The percentiles whose tail is no greater than the failed share. In whole numbers: 1 - 0.99 in
/// floating point is greater than 0.01.
fn unknowable(evidence: &Evidence) -> Vec<Percentile> {
    let failed = u128::from(evidence.counts.failed());
    let all = u128::from(evidence.counts.good) + failed;
    Percentile::ALL
        .into_iter()
        .filter(|each| {
            let tail = u128::from(10_000 - each.per_ten_thousand());
            failed > 0 && tail * all <= 10_000 * failed
        })
        .collect()
}

/// States the failures by kind, and which percentiles cannot be known for them.
pub fn check(evidence: &Evidence) -> Vec<Finding> {
    let counts = &evidence.counts;
    if counts.good == 0 {
        return vec![Finding::of_run(
            "failures",
            Severity::Fault,
            format!("no request was answered as expected{}", by_kind(evidence)),
            "look at the address, the server's log, and what the answer is expected to be",
        )];
    }
    let failed = counts.failed();
    if failed == 0 {
        return Vec::new();
    }
    let all = counts.good.saturating_add(failed);
    let mut findings = vec![Finding::of_run(
        "failures",
        Severity::Limitation,
        format!(
            "{failed} of {all} requests failed ({:.4}%){}; the greatest latency is unknown",
            100.0 * share(failed, all),
            by_kind(evidence)
        ),
        "latencies are those of good answers alone: read them with the failures beside them",
    )];
    let hidden = unknowable(evidence);
    if !hidden.is_empty() {
        let labels: Vec<&str> = hidden.iter().map(|each| each.label()).collect();
        findings.push(
            Finding::of_run(
                "failures",
                Severity::Warning,
                format!(
                    "{} cannot be known: as many requests failed as are slower than that",
                    labels.join(", ")
                ),
                "mend what makes requests fail, or lower the rate until none does",
            )
            .about(hidden.iter().flat_map(|each| {
                ["latency_ns", "service_time_ns"].map(|figure| format!("{figure}.{}", each.name()))
            })),
        );
    }
    findings
}

fn by_kind(evidence: &Evidence) -> String {
    let kinds: Vec<String> = evidence
        .counts
        .failures
        .iter()
        .filter(|(_, count)| **count > 0)
        .map(|(kind, count)| format!("{kind} {count}"))
        .collect();
    if kinds.is_empty() {
        String::new()
    } else {
        format!(": {}", kinds.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::fixture::{evidence_of, honest};

    fn failing(good: u64, failed: u64) -> Evidence {
        let mut evidence = honest();
        evidence.counts.good = good;
        evidence
            .counts
            .failures
            .insert("timed_out".to_owned(), failed);
        evidence
    }

    #[test]
    fn no_failure_no_finding() {
        assert_eq!(check(&honest()), []);
        assert_eq!(check(&failing(100, 0)), [], "a kind that did not happen");
        assert!(withheld(&failing(100, 0)).is_empty());
    }

    #[test]
    fn one_failure_in_a_million_hides_the_greatest_only() {
        let run = failing(999_999, 1);
        assert_eq!(withheld(&run).into_keys().collect::<Vec<_>>(), ["max"]);
        let findings = check(&run);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Limitation);
        assert!(findings[0].message.contains("timed_out 1"), "{findings:?}");
    }

    #[test]
    fn one_in_a_hundred_hides_p99_and_beyond() {
        let run = failing(9_900, 100);
        let hidden: Vec<String> = withheld(&run).into_keys().collect();
        assert_eq!(hidden, ["max", "p99", "p99_9", "p99_99"]);
        let findings = check(&run);
        assert_eq!(findings[1].severity, Severity::Warning);
        assert!(findings[1].concerns("latency_ns.p99"));
        assert!(findings[1].concerns("service_time_ns.p99"));
        assert!(!findings[1].concerns("latency_ns.p90"));
        // One failure less, and p99 is known again.
        let hidden: Vec<String> = withheld(&failing(9_901, 99)).into_keys().collect();
        assert_eq!(hidden, ["max", "p99_9", "p99_99"]);
    }

    #[test]
    fn nothing_but_failures_is_void() {
        let findings = check(&failing(0, 500));
        assert_eq!(findings[0].severity, Severity::Fault);
        assert!(findings[0].message.contains("timed_out 500"));
        assert_eq!(check(&evidence_of(&[]))[0].severity, Severity::Fault);
    }
}
