//! The judgement of a run from its evidence.

use super::censored::Failed;
use super::checks::{
    accounting, arrivals, checked_share, clock_step, closed_loop, connections, dependence,
    disturbance, failures, generator_cpu, interrupted, lost_segments, misses, no_socket, rate,
    resolution, send_lag, servers, stationarity, too_few_requests, unanswered, unstamped,
};
use super::dependence::{design_effect, design_effect_of_failures, has_few_blocks, DesignEffect};
use super::evidence::{Evidence, Quantity};
use super::figures::{figures, Figures, Withheld};
use super::stationarity::Trend;
use super::verdict::Verdict;
use hdrhistogram::Histogram;
use runfair_measuring::statistics::percentile::PerPercentile;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One quantity as judged.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedQuantity {
    /// Its figures over the whole run.
    pub figures: Figures,
    requests_each: PerPercentile<f64>,
    withheld: Withheld,
}

impl JudgedQuantity {
    /// The figures of a part of the run (its warm-up, say) and of the requests that `failed` in
    /// it: the dependence between requests and the reasons to withhold are those of the whole run.
    pub fn figures_of(&self, part: &Histogram<u64>, failed: Option<&Failed>) -> Figures {
        figures(part, failed, &self.requests_each, &self.withheld)
    }
}

/// The statistics behind the verdict, for the record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tests {
    /// Of the arrivals.
    pub arrivals: arrivals::ArrivalsTest,
    /// Autocorrelation of the latencies of neighbouring answers, -1 to 1; `None` where they are
    /// too few or all alike.
    pub lag1_autocorrelation: Option<f64>,
    /// How latencies depend on one another, for each percentile by name, where it can be told.
    pub design_effect: BTreeMap<String, DesignEffect>,
    /// What the latencies did over the run; `None` for a run too short to tell.
    pub stationarity: Option<Trend>,
    /// How many requests are worth one independent request for the share of failures, 1 at least.
    #[serde(default = "independent")]
    pub failures_each: f64,
}

fn independent() -> f64 {
    1.0
}

/// What a run is worth, and its figures.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// Fair, flagged or void, with the findings.
    pub verdict: Verdict,
    /// Done − intended.
    pub latency: JudgedQuantity,
    /// Intended → a connection is free.
    pub queue_wait: JudgedQuantity,
    /// Sent − the later of intended and free.
    pub send_lag: JudgedQuantity,
    /// Done − sent.
    pub service_time: JudgedQuantity,
    /// The statistics behind it.
    pub tests: Tests,
}

/// Judges a run. Pure: the same evidence gives the same judgement.
pub fn judge(evidence: &Evidence) -> Judgement {
    let quantities = &evidence.quantities;
    let effects = design_effects(&quantities.latency);
    let latency = judged(
        evidence,
        &quantities.latency,
        &effects,
        send_lag::withheld(evidence),
    );
    let with_own_effects = |quantity: &Quantity| {
        judged(
            evidence,
            quantity,
            &design_effects(quantity),
            Withheld::new(),
        )
    };
    let service_time = with_own_effects(&quantities.service_time);
    let tests = Tests {
        arrivals: arrivals::test(evidence),
        lag1_autocorrelation: evidence.lag1.coefficient(),
        design_effect: effects
            .iter()
            .filter_map(|(percentile, effect)| Some((percentile.name().to_owned(), (*effect)?)))
            .collect(),
        stationarity: Trend::of(&quantities.latency.timeline),
        failures_each: design_effect_of_failures(&quantities.latency.timeline)
            .map_or(as_one_event(&quantities.latency), |effect| {
                effect.requests_each()
            }),
    };
    let findings = [
        accounting::check(evidence),
        rate::check(evidence),
        send_lag::check(evidence),
        arrivals::check(evidence, &tests.arrivals),
        closed_loop::check(evidence),
        failures::check(evidence, &latency.figures, &service_time.figures),
        generator_cpu::check(evidence),
        disturbance::check(evidence),
        interrupted::check(evidence),
        unanswered::check(evidence),
        no_socket::check(evidence),
        clock_step::check(evidence),
        too_few_requests::check(evidence, &latency.figures),
        dependence::check(evidence, &effects),
        stationarity::check(tests.stationarity.as_ref()),
        resolution::check(evidence),
        unstamped::check(evidence),
        lost_segments::check(evidence),
        connections::check(evidence),
        servers::check(evidence),
        checked_share::check(evidence),
        misses::check(evidence),
    ];
    Judgement {
        verdict: Verdict::of(findings.into_iter().flatten().collect()),
        latency,
        queue_wait: with_own_effects(&quantities.queue_wait),
        send_lag: with_own_effects(&quantities.send_lag),
        service_time,
        tests,
    }
}

fn design_effects(quantity: &Quantity) -> PerPercentile<Option<DesignEffect>> {
    PerPercentile::from_fn(|percentile| design_effect(&quantity.timeline, percentile))
}

/// How many requests are worth one independent request if all failures are a single event. With
/// few blocks nothing shows that they are more than one.
fn as_one_event(quantity: &Quantity) -> f64 {
    let failed = quantity.failed.as_ref().map_or(0, Failed::count);
    if has_few_blocks(&quantity.timeline) {
        failed.max(1) as f64
    } else {
        1.0
    }
}

/// The figures of a quantity. Where the blocks of time say nothing (a run too short, or values
/// all alike), neighbouring latencies do; where they do not either, the requests count as
/// independent, and the check of dependence says so of a short run. Failed requests have no
/// neighbours.
fn judged(
    evidence: &Evidence,
    quantity: &Quantity,
    effects: &PerPercentile<Option<DesignEffect>>,
    withheld: Withheld,
) -> JudgedQuantity {
    let neighbours = evidence.lag1.requests_each().unwrap_or(1.0);
    let neighbours = neighbours.max(as_one_event(quantity));
    let requests_each = PerPercentile::from_fn(|percentile| {
        effects[percentile].map_or(neighbours, |effect| effect.requests_each())
    });
    JudgedQuantity {
        figures: figures(
            &quantity.histogram,
            quantity.failed.as_ref(),
            &requests_each,
            &withheld,
        ),
        requests_each,
        withheld,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::counts::Failure;
    use crate::judgement::evidence::{Loop, Mode};
    use crate::judgement::finding::Severity;
    use crate::judgement::fixture::{evidence_of, fail, honest, honest_requests};
    use crate::judgement::verdict::State;
    use runfair_measuring::statistics::percentile::Percentile;

    #[test]
    fn an_honest_run_is_fair() {
        let judgement = judge(&honest());
        assert_eq!(
            judgement.verdict.state,
            State::Fair,
            "{:?}",
            judgement.verdict
        );
        // 20,000 requests bear no p99.99; nothing else is found.
        let checks: Vec<&str> = judgement
            .verdict
            .findings
            .iter()
            .map(|finding| &*finding.check)
            .collect();
        assert_eq!(checks, ["too_few_requests"]);
        assert!(judgement.latency.figures.p99.is_some());
        assert_eq!(judgement.latency.figures.p99_99, None);
        assert!(judgement.tests.stationarity.is_some());
        assert_eq!(judgement.tests.design_effect.len(), 5);
    }

    #[test]
    fn the_same_evidence_gives_the_same_judgement() {
        let evidence = honest();
        assert_eq!(judge(&evidence), judge(&evidence.clone()));
    }

    /// Every defect, planted alone in an honest run, with the check that must catch it.
    #[test]
    fn every_check_is_asked_and_weighs_as_it_should() {
        type Defect = fn(&mut Evidence);
        let defects: [(&str, Severity, Defect); 20] = [
            ("rate", Severity::Fault, |run| {
                run.counts.late_by_generator = 100
            }),
            ("rate", Severity::Warning, |run| {
                run.counts.late_by_server = 1_000
            }),
            ("accounting", Severity::Fault, |run| {
                run.counts.scheduled += 1
            }),
            ("send_lag", Severity::Warning, |run| {
                run.punctual.clear();
                run.punctual.record_n(10_000, 20_000).unwrap();
            }),
            ("arrivals", Severity::Warning, |run| {
                run.mode = Mode::Precise
            }),
            ("closed_loop", Severity::Warning, |run| {
                run.loop_kind = Loop::Closed
            }),
            ("failures", Severity::Limitation, |run| {
                run.counts.scheduled += 1;
                fail(run, 1);
            }),
            ("generator_cpu", Severity::Warning, |run| {
                run.threads[0].cpu_share = 0.9
            }),
            ("disturbance", Severity::Warning, |run| {
                run.threads[0].run_queue_share = Some(0.2);
            }),
            ("interrupted", Severity::Warning, |run| {
                run.interrupted = true
            }),
            ("unanswered", Severity::Fault, |run| run.given_up = true),
            ("no_socket", Severity::Fault, |run| {
                run.counts.scheduled += 100;
                run.counts.failures[Failure::NoSocket as usize] = 100;
            }),
            ("clock_step", Severity::Warning, |run| {
                run.counts.clock_steps = 1
            }),
            ("resolution", Severity::Limitation, |run| {
                run.mode = Mode::Economy
            }),
            ("unstamped", Severity::Limitation, |run| {
                run.counts.unstamped = 1
            }),
            ("lost_segments", Severity::Warning, |run| {
                run.counts.overtaken = 1
            }),
            ("connections", Severity::Limitation, |run| {
                run.counts.connections_opened += 1
            }),
            ("checked_share", Severity::Limitation, |run| {
                run.counts.checked = 0
            }),
            ("checked_share", Severity::Fault, |run| {
                run.counts.checked = 20;
                run.counts.scheduled += 1;
                run.counts.failures[Failure::WrongBody as usize] = 1;
                run.counts.wrong_of_checked = 1;
            }),
            ("misses", Severity::Limitation, |run| run.counts.misses = 1),
        ];
        for (check, severity, plant) in defects {
            let mut liar = honest();
            plant(&mut liar);
            let verdict = judge(&liar).verdict;
            let found = verdict
                .findings
                .iter()
                .find(|finding| finding.check == check);
            assert_eq!(
                found.map(|finding| finding.severity),
                Some(severity),
                "{check}"
            );
            assert_eq!(verdict.state, State::from(severity), "{check}: {verdict:?}");
        }
    }

    #[test]
    fn a_frozen_server_is_fair_and_its_tail_is_shown() {
        // 200 ms of standstill in ten seconds: the tail is the freeze, counted from the schedule.
        let mut requests = honest_requests(1);
        for request in &mut requests {
            let left = 5_200_000_000u64.saturating_sub(request.intended_ns);
            if left <= 200_000_000 {
                request.queue_wait_ns += left;
            }
        }
        let judgement = judge(&evidence_of(&requests));
        assert_eq!(
            judgement.verdict.state,
            State::Fair,
            "{:?}",
            judgement.verdict
        );
        let figures = &judgement.latency.figures;
        // 200 of the 400 requests are beyond p99: 100 ms, and the longest waited 200.
        let p99 = figures.p99.unwrap();
        assert!((99_000_000..104_000_000).contains(&p99), "{p99}");
        assert!(figures.max.unwrap() > 199_000_000);
        // One event bounds no percentile of the tail from above.
        assert_eq!(figures.intervals["p99"].high_ns, None);
        assert!(figures.effective_count["p99"] < 1_000.0);
        assert!(figures.intervals["p50"].high_ns.is_some());
        // The generator's own lateness knows nothing of it.
        assert!(judgement.send_lag.figures.intervals["p99"]
            .high_ns
            .is_some());
    }

    #[test]
    fn a_late_generator_withholds_what_it_spoilt_and_no_more() {
        let mut requests = honest_requests(1);
        for request in requests.iter_mut().step_by(300) {
            request.send_lag_ns += 30_000_000;
        }
        let mut evidence = evidence_of(&requests);
        evidence.mode = Mode::Economy;
        let judgement = judge(&evidence);
        let figures = &judgement.latency.figures;
        assert_eq!((figures.p99_9, figures.max), (None, None));
        assert!(figures.p50.is_some() && figures.p99.is_some());
        assert!(figures.withheld["p99_9"].contains("generator's own lateness"));
        assert_eq!(
            judgement.verdict.of_figure("latency_ns.p99_9"),
            State::Flagged
        );
        assert_eq!(judgement.verdict.of_figure("latency_ns.p50"), State::Fair);
        assert!(
            judgement.send_lag.figures.max.is_some(),
            "the lag itself is known"
        );
        // A part of the run is withheld for the same reasons.
        let part = judgement
            .latency
            .figures_of(&evidence.quantities.latency.histogram, None);
        assert_eq!(&part, figures);
    }

    #[test]
    fn what_the_generator_spoilt_is_withheld_though_requests_failed() {
        let mut requests = honest_requests(1);
        requests
            .iter_mut()
            .for_each(|request| request.send_lag_ns += 30_000_000);
        let mut evidence = evidence_of(&requests);
        fail(&mut evidence, 5_000);
        let judgement = judge(&evidence);
        let latency = &judgement.latency.figures;
        assert!(latency.withheld["max"].contains("lateness"), "{latency:?}");
        assert!(latency.brackets.is_empty(), "{latency:?}");
        let service = &judgement.service_time.figures;
        assert_eq!((service.max, service.p50), (None, None));
        assert!(service.brackets.contains_key("p50"), "{service:?}");
    }

    #[test]
    fn no_request_at_all_is_void_and_shows_nothing() {
        let judgement = judge(&evidence_of(&[]));
        assert_eq!(judgement.verdict.state, State::Void);
        for percentile in Percentile::ALL {
            assert_eq!(judgement.latency.figures.value(percentile.name()), None);
        }
    }

    #[test]
    fn the_tests_are_read_back_as_written() {
        let tests = judge(&honest()).tests;
        let text = serde_json::to_string(&tests).unwrap();
        let read: Tests = serde_json::from_str(&text).unwrap();
        assert_eq!(read.arrivals.grid, tests.arrivals.grid);
        assert_eq!(read.design_effect.len(), tests.design_effect.len());
        // Fractions lose their last bit in JSON.
        let p_value = |tests: &Tests| tests.stationarity.unwrap().p_value;
        assert!((p_value(&read) - p_value(&tests)).abs() < 1e-12);
        let schema = serde_json::to_string(&schemars::schema_for!(Tests)).unwrap();
        assert!(schema.contains("kendall_s") && schema.contains("variance_ratio"));
    }
}
