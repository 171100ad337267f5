//! Checks how much of each latency is the generator's own lateness.

use super::remedy::punctuality;
use crate::judgement::evidence::Evidence;
use crate::judgement::figures::{lateness_reason, Withheld, MAX};
use crate::judgement::finding::Finding;
use hdrhistogram::Histogram;
use runfair_measuring::statistics::percentile::Percentile;

/// The greatest share of a figure that the generator itself may cause:
/// `docs/statistics.md`, latency.
pub const GREATEST_OWN_SHARE: f64 = 0.05;

/// The latency figures of which the generator itself caused more than
/// [`GREATEST_OWN_SHARE`], with the reason.
///
/// The percentiles of latency are compared with the percentiles of `punctual`, which is the
/// latency minus the send lag of the same request. (Percentiles of the differences would
/// have another meaning.) Percentiles below p99.99 may be concerned although p99.99 is not,
/// because a server's stall hides the lateness at the end.
pub fn withheld(evidence: &Evidence) -> Withheld {
    let latency = &evidence.quantities.latency.histogram;
    let punctual = &evidence.punctual;
    if latency.is_empty() {
        return Withheld::new();
    }
    let at = |values: &Histogram<u64>, percentile: Percentile| {
        values.value_at_quantile(percentile.fraction())
    };
    Percentile::ALL
        .into_iter()
        .map(|each| (each.name(), at(latency, each), at(punctual, each)))
        .chain([(MAX, latency.max(), punctual.max())])
        .filter_map(|(name, latency, punctual)| {
            let added = latency.saturating_sub(punctual);
            (added as f64 > GREATEST_OWN_SHARE * latency as f64)
                .then(|| (name.to_owned(), lateness_reason(added, latency)))
        })
        .collect()
}

/// Names the latency figures that are withheld, and the remedy.
pub fn check(evidence: &Evidence) -> Vec<Finding> {
    let withheld = withheld(evidence);
    if withheld.is_empty() {
        return Vec::new();
    }
    let reasons: Vec<String> = withheld
        .iter()
        .map(|(name, reason)| format!("{}: {reason}", name.replace('_', ".")))
        .collect();
    let finding = Finding::warning(
        "send_lag",
        format!(
            "the generator itself added more than {:.0}% to these latencies — {}",
            100.0 * GREATEST_OWN_SHARE,
            reasons.join("; ")
        ),
        punctuality(evidence.mode),
    );
    vec![finding.about(withheld.keys().map(|name| format!("latency_ns.{name}")))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::evidence::Mode;
    use crate::judgement::finding::Severity;
    use crate::judgement::fixture::{evidence_of, honest, honest_requests, Request};

    /// The honest run, but each request is sent later by the time that `lag` returns for
    /// its number.
    fn late(lag: impl Fn(usize) -> u64) -> Evidence {
        let mut requests = honest_requests(1);
        for (index, request) in requests.iter_mut().enumerate() {
            request.send_lag_ns += lag(index);
        }
        evidence_of(&requests)
    }

    #[test]
    fn a_punctual_generator_passes() {
        assert_eq!(check(&honest()), []);
    }

    #[test]
    fn lateness_of_all_withholds_the_median_but_not_a_long_tail() {
        let mut liar = late(|_| 80_000);
        // A server stall that dwarfs the lag.
        let mut requests = honest_requests(1);
        for request in &mut requests {
            request.send_lag_ns += 80_000;
        }
        for request in requests.iter_mut().take(1_000) {
            request.service_time_ns += 100_000_000;
        }
        assert!(withheld(&liar).contains_key("p50"));
        liar = evidence_of(&requests);
        let names: Vec<String> = withheld(&liar).into_keys().collect();
        assert_eq!(names, ["p50", "p90"], "about 0.1 of 1 and 1.5 ms");
        let findings = check(&liar);
        assert_eq!(findings[0].severity, Severity::Warning);
        assert_eq!(findings[0].figures, ["latency_ns.p50", "latency_ns.p90"]);
        assert!(findings[0].advice.contains("--mode precise"));
    }

    #[test]
    fn a_stall_of_the_generator_withholds_only_the_tail() {
        // One request in 500 goes 30 ms late.
        let liar = late(|index| if index % 500 == 0 { 30_000_000 } else { 0 });
        let names: Vec<String> = withheld(&liar).into_keys().collect();
        assert_eq!(names, ["max", "p99_9", "p99_99"]);
        assert!(
            check(&liar)[0].message.contains("p99.9: "),
            "{:?}",
            check(&liar)
        );
    }

    #[test]
    fn the_limit_is_five_in_a_hundred() {
        let of = |send_lag_ns| {
            let request = Request {
                intended_ns: 0,
                queue_wait_ns: 0,
                send_lag_ns,
                service_time_ns: 1_000_000 - send_lag_ns,
            };
            withheld(&evidence_of(&[request])).len()
        };
        // The histogram's digits are worth 0.1%.
        assert_eq!(of(48_000), 0);
        assert_eq!(of(52_000), 6);
    }

    #[test]
    fn each_mode_is_advised_its_own_remedy() {
        let mut liar = late(|_| 500_000);
        for (mode, remedy) in [
            (Mode::Economy, "--mode default"),
            (Mode::Default, "--mode precise"),
            (Mode::Precise, "--threads"),
        ] {
            liar.mode = mode;
            assert!(check(&liar)[0].advice.contains(remedy));
        }
    }

    #[test]
    fn no_answer_no_finding() {
        assert_eq!(check(&evidence_of(&[])), []);
    }
}
