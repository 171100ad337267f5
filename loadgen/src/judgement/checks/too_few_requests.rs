//! Reports percentiles for which there are too few requests.

use crate::judgement::dependence::has_few_blocks;
use crate::judgement::evidence::Evidence;
use crate::judgement::figures::Figures;
use crate::judgement::finding::Finding;
use runfair_measuring::statistics::order_statistics::least_count;
use runfair_measuring::statistics::percentile::Percentile;

/// Names the percentiles of latency that have no two-sided 95% interval. If there are too
/// few requests, the percentile is withheld. If the slow requests came in few pauses, or the
/// run is too short to tell, the interval has no upper end.
pub fn check(evidence: &Evidence, latency: &Figures) -> Vec<Finding> {
    let mut findings = Vec::new();
    let missing: Vec<Percentile> = Percentile::ALL
        .into_iter()
        .filter(|each| latency.count < least_count(*each))
        .collect();
    if let Some(nearest) = missing.first() {
        let needs: Vec<String> = missing
            .iter()
            .map(|each| format!("{} needs {}", each.label(), least_count(*each)))
            .collect();
        findings.push(of_latency(
            &missing,
            format!(
                "there are too few requests: the run has {} good answers, but {}",
                latency.count,
                needs.join(", ")
            ),
            longer(evidence, *nearest),
        ));
    }
    let open: Vec<Percentile> = Percentile::ALL
        .into_iter()
        .filter(|each| {
            // With enough independent requests, failed requests have taken the upper limit away.
            let interval = latency.intervals.get(each.name());
            let effective = latency.effective_count.get(each.name());
            interval.is_some_and(|interval| interval.high_ns.is_none())
                && effective.is_some_and(|count| *count < least_count(*each) as f64)
        })
        .collect();
    if !open.is_empty() {
        let worth: Vec<String> = open
            .iter()
            .map(|each| {
                let effective = latency.effective_count.get(each.name());
                format!(
                    "{} (effective sample size {:.0}, {} needed)",
                    each.label(),
                    effective.copied().unwrap_or(0.0),
                    least_count(*each)
                )
            })
            .collect();
        let (reason, advice) = if has_few_blocks(&evidence.quantities.latency.timeline) {
            (
                "the run is too short to show that slow or failed requests were independent",
                "run longer",
            )
        } else {
            (
                "the slow requests came together in a few pauses",
                "run longer, until more pauses have been seen",
            )
        };
        findings.push(of_latency(
            &open,
            format!(
                "{reason}, so the interval has no upper limit for {}",
                worth.join(", ")
            ),
            advice.to_owned(),
        ));
    }
    findings
}

fn of_latency(percentiles: &[Percentile], message: String, advice: String) -> Finding {
    Finding::limitation("too_few_requests", message, advice).about(
        percentiles
            .iter()
            .map(|each| format!("latency_ns.{}", each.name())),
    )
}

fn longer(evidence: &Evidence, percentile: Percentile) -> String {
    let label = percentile.label();
    let least = least_count(percentile);
    if evidence.offered_per_s > 0.0 {
        let seconds = (least as f64 / evidence.offered_per_s).ceil();
        format!("for {label} run at least {seconds:.0} s at this rate (--duration)")
    } else {
        format!("for {label} send at least {least} requests (--requests)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::finding::Severity;
    use crate::judgement::fixture::{evidence_of, fail_at, honest, honest_requests};
    use crate::judgement::judge::judge;

    fn judged(evidence: &Evidence) -> Vec<Finding> {
        check(evidence, &judge(evidence).latency.figures)
    }

    #[test]
    fn enough_requests_pass() {
        let mut requests = honest_requests(1);
        for (index, request) in honest_requests(2).into_iter().enumerate() {
            let intended_ns = (20_000 + index as u64) * 500_000;
            requests.push(crate::judgement::fixture::Request {
                intended_ns,
                ..request
            });
        }
        let findings = judged(&evidence_of(&requests));
        assert!(
            findings
                .iter()
                .all(|finding| !finding.message.contains("too few")),
            "{findings:?}"
        );
    }

    #[test]
    fn twenty_thousand_do_not_bear_p99_99() {
        let findings = judged(&honest());
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].severity, Severity::Limitation);
        assert_eq!(findings[0].figures, ["latency_ns.p99_99"]);
        assert!(findings[0].message.contains("p99.99 needs 36887"));
        assert!(findings[0].advice.contains("19 s"), "{findings:?}");
    }

    #[test]
    fn failures_all_along_the_run_are_no_pauses() {
        // One request in fifty fails, so the upper rank of p99 falls on a failed request.
        let mut evidence = honest();
        fail_at(&mut evidence, (0..400).map(|number| number * 25_000_000));
        let figures = judge(&evidence).latency.figures;
        assert_eq!(figures.intervals["p99"].high_ns, None);
        let findings = check(&evidence, &figures);
        assert!(
            findings
                .iter()
                .all(|finding| !finding.message.contains("pauses")),
            "{findings:?}"
        );
    }

    #[test]
    fn a_run_too_short_to_see_pauses_is_not_said_to_have_had_some() {
        // Nine failures, spread over 450 ms, count as one event, as nothing shows otherwise.
        let mut evidence = evidence_of(&honest_requests(1)[..900]);
        fail_at(&mut evidence, (0..9).map(|number| number * 50_000_000));
        let findings = judged(&evidence);
        let open = findings
            .iter()
            .find(|finding| finding.message.contains("no upper limit"))
            .unwrap();
        assert!(open.message.starts_with("the run is too short"), "{open:?}");
        assert!(!open.message.contains("pauses"), "{open:?}");
    }

    #[test]
    fn one_pause_bounds_nothing_from_above() {
        // The server stands still from 5.0 to 5.2 s: 400 requests, one event.
        let mut requests = honest_requests(1);
        for request in &mut requests {
            let until = 5_200_000_000u64.saturating_sub(request.intended_ns);
            if until <= 200_000_000 {
                request.service_time_ns += until;
            }
        }
        let findings = judged(&evidence_of(&requests));
        let open = findings
            .iter()
            .find(|f| f.message.contains("no upper limit"))
            .unwrap();
        assert!(
            open.figures.contains(&"latency_ns.p99".to_owned()),
            "{open:?}"
        );
        assert!(
            !open.figures.contains(&"latency_ns.p50".to_owned()),
            "{open:?}"
        );
    }
}
