//! Reports answers whose time includes the generator's own wake-up.

use crate::judgement::evidence::{share, Evidence};
use crate::judgement::finding::Finding;

/// States the number of answers whose arrival was read from the generator's clock and not
/// from the kernel's time stamp. Their service time and latency include the generator's
/// wake-up, about 50 µs on an idle machine (`docs/load-generation.md`).
pub fn check(evidence: &Evidence) -> Vec<Finding> {
    let answers = evidence.answers;
    let message = if evidence.reads_at_once {
        "answers were read at once, without the kernel's time stamps (because of a closed \
         loop, pipelining, HTTP/2 or a unix socket), so service time and latency include the \
         generator's own wake-up; answers that arrived in one read have the same time"
            .to_owned()
    } else if evidence.counts.unstamped > 0 {
        format!(
            "{} of {answers} answers ({:.2}%) came without the kernel's time stamp, so their \
             service time and latency include the generator's own wake-up",
            evidence.counts.unstamped,
            100.0 * share(evidence.counts.unstamped, answers)
        )
    } else {
        return Vec::new();
    };
    vec![Finding::limitation(
        "unstamped",
        message,
        "compare this run only with runs of the same kind; --mode precise keeps the generator awake",
    )]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::finding::Severity;
    use crate::judgement::fixture::honest;

    #[test]
    fn stamped_answers_pass() {
        assert_eq!(check(&honest()), []);
    }

    #[test]
    fn answers_without_stamp_are_counted() {
        let mut run = honest();
        run.counts.unstamped = 200;
        let findings = check(&run);
        assert_eq!(findings[0].severity, Severity::Limitation);
        assert!(
            findings[0].message.contains("200 of 20000 answers (1.00%)"),
            "{findings:?}"
        );
    }

    #[test]
    fn answers_of_the_warm_up_are_among_the_answers() {
        let mut run = honest();
        run.answers = 40_000;
        run.counts.unstamped = 40_000;
        let message = &check(&run)[0].message;
        assert!(
            message.starts_with("40000 of 40000 answers (100.00%)"),
            "{message}"
        );
    }

    #[test]
    fn reading_at_once_is_stated_of_the_run() {
        let mut run = honest();
        run.reads_at_once = true;
        let message = &check(&run)[0].message;
        assert!(message.contains("read at once"), "{message}");
        // Inside TLS, the segments of an open loop have stamps.
        assert!(message.contains("closed loop") && !message.contains("TLS"));
    }
}
