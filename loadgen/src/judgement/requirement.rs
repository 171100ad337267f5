//! What a run is required to show: `p99 < 25ms`, `failed < 0.1%`.
//!
//! Decided on bounds, never on values: a requirement is met if the whole 95% interval lies below
//! its limit, missed if none of it does, and otherwise unclear. Failed requests are in both.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use statrs::distribution::{Beta, ContinuousCDF};
use thiserror::Error;

use super::counts::Counts;
use super::evidence::{share, Evidence};
use super::figures::Figures;
use super::finding::Severity;
use super::judge::Judgement;
use super::nanoseconds::Nanoseconds;
use super::verdict::{State, Verdict};
use runfair_measuring::command_line::duration::parse_duration_ns;
use runfair_measuring::statistics::order_statistics::CONFIDENCE;
use runfair_measuring::statistics::percentile::Percentile;

/// The checks that find percentiles which may be lower than the latency of users. Such a
/// percentile shows nothing about a limit.
const MAY_BE_TOO_LOW: [&str; 5] = [
    "closed_loop",
    "interrupted",
    "servers",
    "clock_step",
    "checked_share",
];

/// A limit on a figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Requirement {
    text: String,
    limit: Limit,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Limit {
    Latency(Percentile, u64),
    FailedShare(f64),
}

/// Why a text is no requirement.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the texts say it")]
pub enum RequirementError {
    #[error("write FIGURE < LIMIT, such as 'p99 < 25ms' or 'failed < 0.1%'")]
    Form,
    #[error("{0:?} is not a figure; require p50, p90, p99, p99.9, p99.99 or failed")]
    Figure(String),
    #[error(
        "{0:?} is not a limit; write a time such as 25ms for a percentile, or a share such as \
         0.1% for failed"
    )]
    Limit(String),
}

impl FromStr for Requirement {
    type Err = RequirementError;

    fn from_str(text: &str) -> Result<Self, RequirementError> {
        let (figure, limit) = text.split_once('<').ok_or(RequirementError::Form)?;
        let (figure, limit) = (figure.trim(), limit.trim());
        let no_limit = || RequirementError::Limit(limit.to_owned());
        let percentile = Percentile::ALL
            .into_iter()
            .find(|one| one.label() == figure);
        let found = match percentile {
            Some(percentile) => {
                let ns = parse_duration_ns(limit).map_err(|_| no_limit())?;
                Limit::Latency(percentile, ns)
            }
            None if figure == "failed" => {
                let share = limit
                    .strip_suffix('%')
                    .and_then(|one| one.parse::<f64>().ok());
                let in_range = share.filter(|share| *share > 0.0 && *share <= 100.0);
                Limit::FailedShare(in_range.ok_or_else(no_limit)? / 100.0)
            }
            None => return Err(RequirementError::Figure(figure.to_owned())),
        };
        Ok(Self {
            text: format!("{figure} < {limit}"),
            limit: found,
        })
    }
}

/// Whether a requirement is met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Meets {
    /// All of the interval is below the limit.
    Yes,
    /// None of it is.
    No,
    /// Some of it is, or there is no interval.
    Unclear,
}

/// A requirement and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// The requirement.
    pub requirement: String,
    /// Whether it is met.
    pub meets: Meets,
    /// The interval that decides it, for people.
    pub interval: String,
}

impl Requirement {
    /// Holds a run's evidence and its judgement against it.
    pub fn of(&self, judgement: &Judgement, evidence: &Evidence) -> Outcome {
        let (meets, interval) = match self.limit {
            Limit::Latency(percentile, limit_ns) => {
                let latency = &judgement.latency.figures;
                of_latency(percentile, limit_ns, latency, &judgement.verdict)
            }
            Limit::FailedShare(limit) => {
                of_failed(limit, &evidence.counts, judgement.tests.failures_each)
            }
        };
        Outcome {
            requirement: self.text.clone(),
            meets,
            interval,
        }
    }
}

fn of_latency(
    percentile: Percentile,
    limit_ns: u64,
    latency: &Figures,
    verdict: &Verdict,
) -> (Meets, String) {
    let name = percentile.name();
    let Some(interval) = latency.intervals.get(name) else {
        let reason = latency.withheld.get(name);
        let reason = reason.map_or("not known", |reason| reason.as_str());
        return (Meets::Unclear, reason.to_owned());
    };
    let path = format!("latency_ns.{name}");
    if verdict.of_figure(&path) == State::Void {
        return (Meets::Unclear, "void".to_owned());
    }
    let low = Nanoseconds(interval.low_ns);
    let text = match interval.high_ns {
        Some(high_ns) => format!("{low} to {}", Nanoseconds(high_ns)),
        None => format!("at least {low}"),
    };
    let meets = match interval.high_ns {
        Some(high_ns) if high_ns < limit_ns => Meets::Yes,
        _ if interval.low_ns >= limit_ns => Meets::No,
        _ => Meets::Unclear,
    };
    // A percentile that is too low misses its limit all the more, but a step of the clock can also
    // have made it too high.
    let doubt = verdict.findings.iter().find(|finding| {
        let may_be_too_low =
            finding.severity >= Severity::Warning && MAY_BE_TOO_LOW.contains(&&*finding.check);
        let matters = meets == Meets::Yes || finding.check == "clock_step";
        may_be_too_low && matters && finding.concerns(&path)
    });
    match doubt {
        Some(finding) => (
            Meets::Unclear,
            format!("{text}, flagged: {}", finding.check),
        ),
        None => (meets, text),
    }
}

fn of_failed(limit: f64, counts: &Counts, each: f64) -> (Meets, String) {
    let (low, high) = failed_interval(counts, each);
    let text = format!("{:.4}% to {:.4}%", 100.0 * low, 100.0 * high);
    let meets = if high < limit {
        Meets::Yes
    } else if low >= limit {
        Meets::No
    } else {
        Meets::Unclear
    };
    (meets, text)
}

/// The interval of the share of failed requests. If only a sample of the bodies was checked, the
/// share of wrong bodies in the sample has an interval of its own, and counts for all requests
/// whose bodies could have been checked. The sum of the two intervals contains the sum of the two
/// shares if each interval misses its share half as often (Bonferroni).
///
/// The lab decides by the same rule (`lab/runfair/statistics/failures.py`). The vectors in
/// `tests/vectors/failed_shares.json` hold both to it.
fn failed_interval(counts: &Counts, each: f64) -> (f64, f64) {
    let (good, failed) = (counts.good, counts.failed());
    let miss = (1.0 - CONFIDENCE) / 2.0;
    if counts.checked == counts.checkable {
        return share_interval((failed, good), each, miss);
    }
    let wrong = counts.wrong_of_checked;
    let others = share_interval((failed - wrong, good + wrong), each, miss / 2.0);
    let bodies = share_interval((wrong, counts.checked - wrong), each, miss / 2.0);
    let part = share(counts.checkable, good + failed);
    (
        others.0 + part * bodies.0,
        (others.1 + part * bodies.1).min(1.0),
    )
}

/// The exact interval of a binomial share (Clopper and Pearson, "The use of confidence or
/// fiducial limits", Biometrika 26, 1934), which exceeds each end with the probability `miss`. The
/// requests are dependent, so the interval is that of the effective numbers of requests, which
/// are smaller by the factor `each` (Korn and Graubard 1998, see
/// [`runfair_measuring::statistics::order_statistics`]).
fn share_interval((failed, good): (u64, u64), each: f64, miss: f64) -> (f64, f64) {
    let quantile = |below: f64, above: f64, share: f64| {
        Beta::new(below, above).map_or(f64::NAN, |beta| beta.inverse_cdf(share))
    };
    let (effective_good, effective_failed) = (good as f64 / each, failed as f64 / each);
    let low = match failed {
        0 => 0.0,
        _ => quantile(effective_failed, effective_good + 1.0, miss),
    };
    let high = match good {
        0 => 1.0,
        _ => quantile(effective_failed + 1.0, effective_good, 1.0 - miss),
    };
    (low, high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::block::Timeline;
    use crate::judgement::counts::Failure;
    use crate::judgement::evidence::{Loop, Server};
    use crate::judgement::fixture::{evidence_of, fail, fail_at, honest, honest_requests};
    use crate::judgement::judge::judge;

    /// An honest run with a p99 of about 2 ms.
    fn outcome(text: &str, failed: u64) -> Meets {
        let mut evidence = honest();
        if failed > 0 {
            fail(&mut evidence, failed);
            evidence.counts.scheduled += failed;
        }
        outcome_of(text, &evidence)
    }

    fn outcome_of(text: &str, evidence: &Evidence) -> Meets {
        let requirement: Requirement = text.parse().unwrap();
        requirement.of(&judge(evidence), evidence).meets
    }

    #[test]
    fn a_percentile_is_held_to_its_interval() {
        assert_eq!(outcome("p99 < 25ms", 0), Meets::Yes);
        assert_eq!(outcome("p99<1ms", 0), Meets::No);
        let mut evidence = honest();
        let judgement = judge(&evidence);
        let value_ns = judgement.latency.figures.p99.unwrap();
        assert_eq!(outcome(&format!("p99 < {value_ns}ns"), 0), Meets::Unclear);
        assert_eq!(
            outcome("p99.99 < 1s", 0),
            Meets::Unclear,
            "too few requests"
        );
        evidence.given_up = true;
        assert_eq!(outcome_of("p99 < 25ms", &evidence), Meets::Unclear, "void");
    }

    #[test]
    fn failures_keep_a_percentile_from_being_met() {
        assert_eq!(outcome("p99 < 25ms", 400), Meets::Unclear);
        assert_eq!(outcome("p50 < 25ms", 400), Meets::Yes);
    }

    #[test]
    fn an_outage_is_one_event_however_many_requests_it_fails() {
        // At 2,000 requests a second, an outage of 80 ms fails 160. Spread over the ten seconds,
        // as many failures are one every 62.5 ms.
        let failing = |at_ns: fn(u64) -> u64| {
            let mut evidence = honest();
            evidence.counts.scheduled += 160;
            fail_at(&mut evidence, (0..160).map(at_ns));
            evidence
        };
        let outage = failing(|number| 5_000_000_000 + number * 500_000);
        let spread = failing(|number| number * 62_500_000);
        for text in ["p99 < 25ms", "failed < 1%"] {
            assert_eq!(outcome_of(text, &outage), Meets::Unclear, "{text}");
            assert_eq!(outcome_of(text, &spread), Meets::Yes, "{text}");
        }
        assert_eq!(outcome_of("p50 < 25ms", &outage), Meets::Yes);
    }

    #[test]
    fn an_outage_is_one_event_in_few_long_blocks_too() {
        // Blocks of 2 s: five of them tell nothing about dependence.
        let mut evidence = honest();
        for quantity in [
            &mut evidence.quantities.latency,
            &mut evidence.quantities.service_time,
        ] {
            quantity.timeline = Timeline::new(2_000_000_000);
            for request in honest_requests(1) {
                let latency_ns = request.latency_ns();
                let done_ns = request.intended_ns + latency_ns;
                quantity.timeline.record(done_ns, latency_ns);
            }
        }
        for text in ["p99 < 25ms", "failed < 1%"] {
            assert_eq!(outcome_of(text, &evidence), Meets::Yes, "{text}");
        }
        evidence.counts.scheduled += 160;
        let outage = (0..160).map(|number| 5_000_000_000 + number * 500_000);
        fail_at(&mut evidence, outage);
        for text in ["p99 < 25ms", "failed < 1%"] {
            assert_eq!(outcome_of(text, &evidence), Meets::Unclear, "{text}");
        }
        assert_eq!(outcome_of("p50 < 25ms", &evidence), Meets::Yes);
    }

    #[test]
    fn latencies_that_may_be_too_low_meet_no_limit() {
        type Defect = fn(&mut Evidence);
        let defects: [(&str, Defect); 4] = [
            ("closed_loop", |run| run.loop_kind = Loop::Closed),
            ("interrupted", |run| run.interrupted = true),
            ("servers", |run| {
                run.servers = [1_000, 980, 20]
                    .map(|sent| Server {
                        connections: 10,
                        sent,
                    })
                    .to_vec();
            }),
            ("clock_step", |run| run.counts.clock_steps = 1),
        ];
        for (check, plant) in defects {
            let mut evidence = honest();
            plant(&mut evidence);
            let requirement: Requirement = "p99 < 25ms".parse().unwrap();
            let outcome = requirement.of(&judge(&evidence), &evidence);
            assert_eq!(outcome.meets, Meets::Unclear, "{check}");
            assert!(outcome.interval.contains(check), "{outcome:?}");
            let far_above = outcome_of("p99 < 1us", &evidence);
            let missed = if check == "clock_step" {
                Meets::Unclear
            } else {
                Meets::No
            };
            assert_eq!(far_above, missed, "{check}");
            assert_eq!(outcome_of("failed < 1%", &evidence), Meets::Yes, "{check}");
        }
    }

    #[test]
    fn a_step_of_the_clock_leaves_a_limit_undecided_whatever_else_was_found() {
        let mut evidence = honest();
        evidence.loop_kind = Loop::Closed;
        evidence.counts.clock_steps = 1;
        assert_eq!(outcome_of("p99 < 1us", &evidence), Meets::Unclear);
    }

    #[test]
    fn answers_that_nobody_compared_may_be_fast_and_wrong() {
        // One of 10,000 compared bodies was wrong, so about one more is among the answers.
        let mut evidence = honest();
        evidence.counts.checked = 10_000;
        evidence.counts.wrong_of_checked = 1;
        evidence.counts.failures[Failure::WrongBody as usize] = 1;
        evidence.counts.scheduled += 1;
        evidence.counts.checkable += 1;
        assert_eq!(outcome_of("p99 < 25ms", &evidence), Meets::Unclear);
        assert_eq!(outcome_of("p99 < 1us", &evidence), Meets::No);
        // Without a rule for the body, only the status says what is good.
        let mut evidence = honest();
        (evidence.counts.checkable, evidence.counts.checked) = (0, 0);
        assert_eq!(outcome_of("p99 < 25ms", &evidence), Meets::Yes);
    }

    #[test]
    fn a_sample_of_the_bodies_speaks_for_all_of_them() {
        // Of 20,000 answers, the bodies of 100 were checked.
        let sampled = |wrong| {
            let mut evidence = honest();
            evidence.counts.checked = 100;
            evidence.counts.wrong_of_checked = wrong;
            evidence.counts.failures[Failure::WrongBody as usize] = wrong;
            evidence.counts.good -= wrong;
            evidence
        };
        assert_eq!(outcome_of("failed < 1%", &sampled(100)), Meets::No);
        assert_eq!(outcome_of("failed < 1%", &sampled(10)), Meets::No);
        // None wrong of 100 shows at most 4.3% (1 - 0.0125^(1/100)) wrong bodies.
        assert_eq!(outcome_of("failed < 5%", &sampled(0)), Meets::Yes);
        assert_eq!(outcome_of("failed < 4%", &sampled(0)), Meets::Unclear);
        let mut unlucky = sampled(0);
        unlucky.counts.checked = 0;
        assert_eq!(outcome_of("failed < 50%", &unlucky), Meets::Unclear);
    }

    /// One case of the vectors that the lab's rule is tested with too.
    #[derive(Deserialize)]
    struct Vector {
        name: String,
        good: u64,
        failed: u64,
        checkable: u64,
        checked: u64,
        wrong_of_checked: u64,
        failures_each: f64,
        low: f64,
        high: f64,
    }

    #[test]
    fn intervals_are_those_of_the_vectors_that_the_lab_reads_too() {
        let text = include_str!("../../tests/vectors/failed_shares.json");
        let vectors: Vec<Vector> = serde_json::from_str(text).unwrap();
        assert!(vectors.len() >= 10);
        for each in vectors {
            let mut counts = Counts {
                good: each.good,
                checkable: each.checkable,
                checked: each.checked,
                wrong_of_checked: each.wrong_of_checked,
                ..Counts::default()
            };
            counts.failures[Failure::WrongBody as usize] = each.failed;
            let (low, high) = failed_interval(&counts, each.failures_each);
            assert!((low - each.low).abs() < 1e-7, "{}: {low}", each.name);
            assert!((high - each.high).abs() < 1e-7, "{}: {high}", each.name);
        }
    }

    #[test]
    fn a_share_of_failures_is_held_to_its_interval() {
        // 0 of 20,000: at most 0.0184% (1 - 0.025^(1/20000)).
        assert_eq!(outcome("failed < 0.02%", 0), Meets::Yes);
        assert_eq!(outcome("failed < 0.018%", 0), Meets::Unclear);
        assert_eq!(outcome("failed < 1%", 400), Meets::No);
        assert_eq!(outcome("failed < 2%", 400), Meets::Unclear);
        assert_eq!(outcome("failed < 3%", 400), Meets::Yes);
        let mut evidence = evidence_of(&[]);
        assert_eq!(of_failed(0.5, &evidence.counts, 1.0).0, Meets::Unclear);
        fail(&mut evidence, 500);
        assert_eq!(of_failed(0.5, &evidence.counts, 1.0).0, Meets::No);
    }

    #[test]
    fn what_is_no_requirement_is_said_in_one_line() {
        for text in [
            "p99",
            "p95 < 1ms",
            "p99 < 1%",
            "failed < 1ms",
            "failed < 0%",
            "failed < x%",
        ] {
            let error = text.parse::<Requirement>().unwrap_err();
            assert!(!error.to_string().contains('\n'), "{error}");
        }
        assert!("p95 < 1ms"
            .parse::<Requirement>()
            .unwrap_err()
            .to_string()
            .contains("p99.9"));
    }
}
