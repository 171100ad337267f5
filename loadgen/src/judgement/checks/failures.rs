//! Reports failed requests, and the percentiles that they leave unknown.

use crate::judgement::counts::Failures;
use crate::judgement::evidence::{share, Evidence};
use crate::judgement::figures::Figures;
use crate::judgement::finding::Finding;
use runfair_measuring::statistics::percentile::Percentile;

/// States the failures by kind, and the percentiles that have no upper limit because of
/// them. A failed request has no latency, and its user may have waited for ever.
pub fn check(evidence: &Evidence, latency: &Figures, service_time: &Figures) -> Vec<Finding> {
    let counts = &evidence.counts;
    if counts.good == 0 {
        return vec![Finding::fault(
            "failures",
            format!("no request was answered as expected{}", by_kind(evidence)),
            "check the address, the server's log, and the options that state the expected answer",
        )];
    }
    let failed = counts.failed();
    if failed == 0 {
        return Vec::new();
    }
    let all = counts.good.saturating_add(failed);
    let mut findings = vec![Finding::limitation(
        "failures",
        format!(
            "{failed} of {all} requests failed ({:.4}%){}; the greatest latency is unknown",
            100.0 * share(failed, all),
            by_kind(evidence)
        ),
        "percentiles include failures; the mean and the minimum are computed from good answers only",
    )];
    let quantities = [("latency_ns", latency), ("service_time_ns", service_time)];
    let is_open = |figures: &Figures, each: Percentile| {
        figures.brackets.contains_key(each.name()) || is_unbounded(evidence, each)
    };
    let open: Vec<Percentile> = Percentile::ALL
        .into_iter()
        .filter(|each| {
            quantities
                .iter()
                .any(|(_, figures)| is_open(figures, *each))
        })
        .collect();
    if !open.is_empty() {
        let labels: Vec<&str> = open.iter().map(|each| each.label()).collect();
        findings.push(
            Finding::warning(
                "failures",
                format!(
                    "{} may be the latency of a failed request, so both limits are shown: the \
                     lower limit counts failed requests as the fastest, and the upper limit \
                     counts them as never answered",
                    labels.join(", ")
                ),
                "correct the cause of the failures, or lower the rate until no request fails",
            )
            .about(quantities.iter().flat_map(|(quantity, figures)| {
                let open = open.iter().filter(|each| is_open(figures, **each));
                open.map(move |each| format!("{quantity}.{}", each.name()))
            })),
        );
    }
    findings
}

/// Whether as many requests failed as lie above the percentile, so that it has no upper
/// limit. The comparison uses whole numbers, because 1 - 0.99 in floating point is greater
/// than 0.01.
fn is_unbounded(evidence: &Evidence, percentile: Percentile) -> bool {
    let failed = u128::from(evidence.counts.failed());
    let all = u128::from(evidence.counts.good) + failed;
    u128::from(10_000 - percentile.per_ten_thousand()) * all <= 10_000 * failed
}

fn by_kind(evidence: &Evidence) -> String {
    let kinds = Failures::from(&evidence.counts).by_kind().into_iter();
    let mut kinds: Vec<String> = kinds
        .filter(|(_, count)| *count > 0)
        .map(|(kind, count)| format!("{kind} {count}"))
        .collect();
    kinds.sort();
    if kinds.is_empty() {
        String::new()
    } else {
        format!(": {}", kinds.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::finding::Severity;
    use crate::judgement::fixture::{evidence_of, fail, honest};
    use crate::judgement::judge::judge;

    fn found(evidence: &Evidence) -> Vec<Finding> {
        let judgement = judge(evidence);
        check(
            evidence,
            &judgement.latency.figures,
            &judgement.service_time.figures,
        )
    }

    fn found_with(failed: u64) -> Vec<Finding> {
        let mut evidence = honest();
        fail(&mut evidence, failed);
        found(&evidence)
    }

    #[test]
    fn no_failure_no_finding() {
        assert_eq!(found(&honest()), []);
        assert_eq!(found_with(0), [], "a kind that did not happen");
    }

    #[test]
    fn one_failure_hides_the_greatest_and_leaves_p99() {
        let findings = found_with(1);
        assert_eq!(findings[0].severity, Severity::Limitation);
        assert!(findings[0].message.contains("reset 1"), "{findings:?}");
        assert!(findings[0].message.contains("greatest latency"));
        let mut of_p99 = findings[1..]
            .iter()
            .map(|one| one.concerns("latency_ns.p99"));
        assert!(of_p99.all(|concerned| !concerned), "{findings:?}");
    }

    #[test]
    fn one_in_a_hundred_opens_p99_and_leaves_the_median() {
        let findings = found_with(200);
        assert_eq!(findings[1].severity, Severity::Warning);
        assert!(findings[1].concerns("latency_ns.p99"), "{findings:?}");
        assert!(findings[1].concerns("service_time_ns.p99"));
        assert!(!findings[1].concerns("latency_ns.p50"));
        assert!(
            !findings[1].concerns("latency_ns.max"),
            "the limitation says it"
        );
    }

    #[test]
    fn nothing_but_failures_is_void() {
        let mut evidence = evidence_of(&[]);
        assert_eq!(found(&evidence)[0].severity, Severity::Fault);
        fail(&mut evidence, 500);
        let findings = found(&evidence);
        assert_eq!(findings[0].severity, Severity::Fault);
        assert!(findings[0].message.contains("reset 500"));
    }
}
