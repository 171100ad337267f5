//! Checks whether latencies changed during the run.

use crate::judgement::finding::Finding;
use crate::judgement::stationarity::Trend;

/// States a notable trend. It is only a limitation, because a server that warms up is not
/// stationary, and a user may want to measure the warm-up.
pub fn check(trend: Option<&Trend>) -> Vec<Finding> {
    let Some(trend) = trend.filter(|trend| trend.is_notable()) else {
        return Vec::new();
    };
    let change = 100.0 * trend.relative_change;
    let (direction, advice) = if change < 0.0 {
        (
            "fell",
            "the server was warming up; mark this part of the run with --warmup, or run longer",
        )
    } else {
        (
            "rose",
            "the server became slower or fell behind; run longer, or lower the rate",
        )
    };
    vec![Finding::limitation(
        "stationarity",
        format!(
            "the median latency {direction} by {:.0}% from the first quarter of the run to the \
             last (Mann-Kendall, {} blocks, p {:.1e})",
            change.abs(),
            trend.blocks,
            trend.p_value
        ),
        advice,
    )]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::finding::Severity;
    use crate::judgement::fixture::{evidence_of, honest, honest_requests};

    #[test]
    fn a_steady_server_passes() {
        let trend = Trend::of(&honest().quantities.latency.timeline);
        assert!(trend.is_some());
        assert_eq!(check(trend.as_ref()), []);
        assert_eq!(check(None), []);
    }

    #[test]
    fn a_warming_server_is_stated_and_no_worse() {
        let mut requests = honest_requests(1);
        for (index, request) in requests.iter_mut().enumerate() {
            request.service_time_ns += 1_000_000 - 50 * index as u64;
        }
        let run = evidence_of(&requests);
        let findings = check(Trend::of(&run.quantities.latency.timeline).as_ref());
        assert_eq!(findings[0].severity, Severity::Limitation);
        assert!(findings[0].message.contains("fell by"), "{findings:?}");
        assert!(findings[0].advice.contains("--warmup"));
    }
}
