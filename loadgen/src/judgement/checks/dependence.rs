//! Checks how strongly requests depend on each other.

use crate::judgement::dependence::{occupied_blocks, DesignEffect, LEAST_BLOCKS};
use crate::judgement::evidence::Evidence;
use crate::judgement::finding::Finding;
use runfair_measuring::statistics::order_statistics::least_count;
use runfair_measuring::statistics::percentile::{PerPercentile, Percentile};

/// Dependence is stated if it is certain and at least this strong. Intervals are then at
/// least 1.4 times (the root of 2) as wide as for independent requests.
pub const NOTABLE_REQUESTS_EACH: f64 = 2.0;

/// States the effective sample size of the run, or that it is unknown. This is only a
/// limitation, because the intervals include its effect.
pub fn check(evidence: &Evidence, latency: &PerPercentile<Option<DesignEffect>>) -> Vec<Finding> {
    let count = evidence.quantities.latency.histogram.len();
    if count == 0 {
        return Vec::new();
    }
    let occupied = occupied_blocks(&evidence.quantities.latency.timeline);
    if occupied < LEAST_BLOCKS {
        let failures = match evidence.counts.failed() {
            0 => "",
            _ => " and count all failed requests as one event",
        };
        return vec![Finding::limitation(
            "dependence",
            format!(
                "the run is too short to see pauses ({occupied} intervals with requests, \
                 {LEAST_BLOCKS} needed), so the confidence intervals allow only for dependence \
                 between neighbouring requests{failures}, and may be too narrow"
            ),
            "run longer",
        )];
    }
    let worth: Vec<(Percentile, f64)> = latency
        .iter()
        .filter(|(percentile, _)| count >= least_count(*percentile))
        .filter_map(|(percentile, effect)| Some((percentile, (*effect)?)))
        .filter(|(_, effect)| {
            effect.is_certain() && effect.requests_each() >= NOTABLE_REQUESTS_EACH
        })
        .map(|(percentile, effect)| (percentile, effect.requests_each()))
        .collect();
    if worth.is_empty() {
        return Vec::new();
    }
    let told: Vec<String> = worth
        .iter()
        .map(|(percentile, each)| format!("{} {:.0}", percentile.label(), count as f64 / each))
        .collect();
    let coefficient = evidence
        .lag1
        .coefficient()
        .map_or(String::new(), |coefficient| {
            format!(" (autocorrelation of neighbours {coefficient:.2})")
        });
    vec![Finding::limitation(
        "dependence",
        format!(
            "the latencies are autocorrelated{coefficient}, so {count} requests have a smaller \
             effective sample size: {}",
            told.join(", ")
        ),
        "the confidence intervals allow for this; for narrower intervals, run longer (a higher \
         rate does not help)",
    )
    .about(
        worth
            .iter()
            .map(|(percentile, _)| format!("latency_ns.{}", percentile.name())),
    )]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::dependence::design_effect;
    use crate::judgement::finding::Severity;
    use crate::judgement::fixture::{evidence_of, fail_at, honest, honest_requests};

    fn judged(evidence: &Evidence) -> Vec<Finding> {
        let timeline = &evidence.quantities.latency.timeline;
        check(
            evidence,
            &PerPercentile::from_fn(|each| design_effect(timeline, each)),
        )
    }

    #[test]
    fn independent_requests_pass() {
        assert_eq!(judged(&honest()), []);
        assert_eq!(judged(&evidence_of(&[])), []);
    }

    #[test]
    fn pauses_are_stated() {
        // 20 ms of every 500 ms are a pause.
        let mut requests = honest_requests(1);
        for request in &mut requests {
            let phase = request.intended_ns % 500_000_000;
            request.service_time_ns += 20_000_000u64.saturating_sub(phase);
        }
        let findings = judged(&evidence_of(&requests));
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Limitation);
        assert!(
            findings[0].figures.contains(&"latency_ns.p99".to_owned()),
            "{findings:?}"
        );
        assert!(
            findings[0].message.contains("autocorrelation"),
            "{findings:?}"
        );
    }

    #[test]
    fn half_a_second_tells_nothing_and_says_so() {
        let findings = judged(&evidence_of(&honest_requests(1)[..900]));
        assert!(
            findings[0].message.contains("the run is too short"),
            "{findings:?}"
        );
        assert!(findings[0].message.contains("5 intervals"), "{findings:?}");
        assert!(!findings[0].message.contains("failed"), "{findings:?}");
    }

    #[test]
    fn failures_in_half_a_second_are_one_event() {
        let mut evidence = evidence_of(&honest_requests(1)[..900]);
        fail_at(&mut evidence, (0..9).map(|number| number * 50_000_000));
        let findings = judged(&evidence);
        let said = "count all failed requests as one event";
        assert!(findings[0].message.contains(said), "{findings:?}");
    }

    #[test]
    fn a_block_of_failures_alone_is_a_block_of_requests() {
        let mut evidence = evidence_of(&honest_requests(1)[..1_300]);
        assert!(judged(&evidence)[0].message.contains("7 intervals"));
        fail_at(&mut evidence, std::iter::once(1_900_000_000));
        assert_eq!(judged(&evidence), []);
    }
}
