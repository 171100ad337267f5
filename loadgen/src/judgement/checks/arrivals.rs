//! Checks that requests arrived as in the requested process.

use super::remedy::punctuality;
use crate::judgement::anderson_darling::{Fit, SMALLEST_DISTANCE, SMALLEST_SAMPLE};
use crate::judgement::evidence::{Evidence, Loop, Process};
use crate::judgement::finding::Finding;
use crate::judgement::grid::GridError;
use crate::judgement::nanoseconds::Nanoseconds;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was measured of the arrivals of an open loop.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArrivalsTest {
    /// The distance of sends from their intended instants; `None` in a closed loop or where
    /// nothing was sent.
    pub grid: Option<GridError>,
    /// Poisson: the gaps of the schedule against the exponential distribution.
    pub intended: Option<Fit>,
    /// Poisson: the gaps as sent.
    pub sent: Option<Fit>,
}

/// Tests the arrivals of a run. All results are `None` in a closed loop.
pub fn test(evidence: &Evidence) -> ArrivalsTest {
    if evidence.loop_kind == Loop::Closed {
        return ArrivalsTest::default();
    }
    let fit = |gaps: &[f64]| match evidence.process {
        Process::Poisson if gaps.len() >= SMALLEST_SAMPLE => Fit::of_unit_gaps(gaps),
        Process::Poisson | Process::Constant | Process::Trace => None,
    };
    ArrivalsTest {
        grid: GridError::of(&evidence.quantities.send_lag.histogram, evidence.mode),
        intended: fit(&evidence.intended_unit_gaps),
        sent: fit(&evidence.sent_unit_gaps),
    }
}

/// Judges the arrivals. A wrong schedule is a fault. If the schedule is right but requests
/// were sent less precisely than the mode promises, this is a warning.
pub fn check(evidence: &Evidence, test: &ArrivalsTest) -> Vec<Finding> {
    if evidence.loop_kind == Loop::Closed {
        return Vec::new();
    }
    let mut findings: Vec<Finding> = off_grid(evidence, test).into_iter().collect();
    if evidence.process == Process::Poisson {
        findings.extend(not_poisson(evidence, test));
    }
    findings
}

fn off_grid(evidence: &Evidence, test: &ArrivalsTest) -> Option<Finding> {
    let error = test.grid.filter(|error| !error.keeps_promise())?;
    Some(Finding::warning(
        "arrivals",
        format!(
            "one request in 100 was sent {} or more after its intended instant (median {}, worst \
             {}); --mode {} promises {}",
            Nanoseconds(error.p99_ns),
            Nanoseconds(error.p50_ns),
            Nanoseconds(error.max_ns),
            evidence.mode.as_ref(),
            Nanoseconds(error.promised_ns)
        ),
        punctuality(evidence.mode),
    ))
}

fn not_poisson(evidence: &Evidence, test: &ArrivalsTest) -> Option<Finding> {
    let (Some(intended), Some(sent)) = (test.intended, test.sent) else {
        return Some(Finding::limitation(
            "arrivals",
            format!(
                "it is unknown whether the arrivals were Poisson, because there were fewer than \
                 {SMALLEST_SAMPLE} gaps between requests"
            ),
            "run longer",
        ));
    };
    if intended.is_refused(SMALLEST_DISTANCE) {
        return Some(Finding::fault(
            "arrivals",
            format!("the schedule was not Poisson: {}", told(&intended)),
            "this is a defect of the generator; please report it with the command line",
        ));
    }
    let blur = blur(evidence);
    if sent.is_refused(SMALLEST_DISTANCE + blur) {
        return Some(Finding::warning(
            "arrivals",
            format!(
                "requests were not sent as a Poisson process: {}",
                told(&sent)
            ),
            punctuality(evidence.mode),
        ));
    }
    // The mode's resolution explains it: known beforehand, hence no warning.
    sent.is_refused(SMALLEST_DISTANCE).then(|| {
        Finding::limitation(
            "arrivals",
            format!(
                "because of the resolution of --mode {}, the gaps between requests are not quite \
                 those of a Poisson process ({}); over longer times the arrivals follow this \
                 process",
                evidence.mode.as_ref(),
                told(&sent)
            ),
            punctuality(evidence.mode),
        )
    })
}

/// The Kolmogorov–Smirnov distance that the mode's resolution alone can cause.
///
/// Two sends that keep the promise r move a gap by at most r, and no stretch of length r holds a
/// larger share of exponential gaps than the first: 1 − exp(−r / mean gap). (One request in 100
/// may break the promise; that is within [`SMALLEST_DISTANCE`].) This holds for the gaps of a shard
/// too, because the hazard rate of a sum of exponentials is at most that of a single one.
fn blur(evidence: &Evidence) -> f64 {
    evidence.mean_gap_ns().map_or(0.0, |mean_gap_ns| {
        -(-(evidence.mode.resolution_ns() as f64) / mean_gap_ns).exp_m1()
    })
}

fn told(fit: &Fit) -> String {
    format!(
        "the distribution of {} gaps differs by up to {:.3} from the exponential distribution \
         (Anderson-Darling {:.1}, p {:.2e})",
        fit.samples, fit.ks_distance, fit.statistic, fit.p_value
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::evidence::Mode;
    use crate::judgement::finding::Severity;
    use crate::judgement::fixture::{evidence_of, honest, honest_poisson, honest_requests};

    fn judged(evidence: &Evidence) -> Vec<Finding> {
        check(evidence, &test(evidence))
    }

    fn severities(evidence: &Evidence) -> Vec<Severity> {
        judged(evidence)
            .iter()
            .map(|finding| finding.severity)
            .collect()
    }

    #[test]
    fn honest_arrivals_pass() {
        assert_eq!(judged(&honest()), []);
        assert_eq!(judged(&honest_poisson()), []);
        let poisson = test(&honest_poisson());
        assert!(poisson.intended.is_some() && poisson.sent.is_some() && poisson.grid.is_some());
        assert_eq!(test(&honest()).intended, None);
    }

    #[test]
    fn a_grid_in_the_guise_of_poisson_is_void() {
        let mut liar = honest_poisson();
        liar.intended_unit_gaps = vec![1.0; 4_096];
        liar.sent_unit_gaps = vec![1.0; 4_096];
        assert_eq!(severities(&liar), [Severity::Fault]);
        assert!(judged(&liar)[0].message.contains("4096 gaps"));
    }

    #[test]
    fn right_schedule_wrongly_sent_is_flagged() {
        // Pairs of requests go together: every other gap is nothing, the next twice as long.
        let mut liar = honest_poisson();
        for pair in liar.sent_unit_gaps.chunks_mut(2) {
            pair[1] += pair[0];
            pair[0] = 0.0;
        }
        assert_eq!(severities(&liar), [Severity::Warning]);
    }

    #[test]
    fn what_the_tick_explains_is_a_limitation_and_what_it_does_not_is_flagged() {
        // 2,000/s on a tick of 1 ms: two requests a tick.
        let mut coarse = honest_poisson();
        coarse.mode = Mode::Economy;
        let mut at = 0.0;
        let mut last = 0.0f64;
        coarse.sent_unit_gaps = coarse
            .intended_unit_gaps
            .iter()
            .map(|gap| {
                at += gap;
                let tick = (at / 2.0f64).ceil() * 2.0;
                let sent = tick - last;
                last = tick;
                sent
            })
            .collect();
        assert_eq!(severities(&coarse), [Severity::Limitation]);
        // The same clumps at 20/s are none of the tick's.
        coarse.offered_per_s = 20.0;
        assert_eq!(severities(&coarse), [Severity::Warning]);
    }

    #[test]
    fn too_few_gaps_never_pass_silently() {
        let mut short = honest_poisson();
        short.sent_unit_gaps.truncate(99);
        assert_eq!(severities(&short), [Severity::Limitation]);
        assert!(judged(&short)[0].message.contains("it is unknown whether"));
        short.intended_unit_gaps.clear();
        short.sent_unit_gaps.clear();
        assert_eq!(severities(&short), [Severity::Limitation]);
        let mut broken = honest_poisson();
        broken.sent_unit_gaps[0] = f64::NAN;
        assert_eq!(severities(&broken), [Severity::Limitation]);
    }

    #[test]
    fn sends_off_the_grid_are_flagged() {
        let mut requests = honest_requests(1);
        for request in requests.iter_mut().step_by(50) {
            request.send_lag_ns += 400_000;
        }
        let mut liar = evidence_of(&requests);
        assert_eq!(severities(&liar), [Severity::Warning]);
        assert!(judged(&liar)[0].message.contains("default promises 100 µs"));
        liar.process = Process::Trace;
        assert_eq!(severities(&liar), [Severity::Warning]);
        liar.mode = Mode::Economy;
        assert_eq!(severities(&liar), [], "a tick allows it");
    }

    #[test]
    fn a_closed_loop_has_no_arrivals() {
        let mut closed = honest_poisson();
        closed.loop_kind = Loop::Closed;
        closed.intended_unit_gaps = vec![1.0; 4_096];
        assert_eq!(test(&closed), ArrivalsTest::default());
        assert_eq!(judged(&closed), []);
    }
}
