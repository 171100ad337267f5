//! The judgement in one word, and its reasons.

use super::finding::{Finding, Severity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a run or a figure is worth.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Nothing but limitations was found.
    Fair,
    /// A warning was found.
    Flagged,
    /// A fault was found.
    Void,
}

impl State {
    /// Its name, as in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fair => "fair",
            Self::Flagged => "flagged",
            Self::Void => "void",
        }
    }
}

impl From<Severity> for State {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Limitation => Self::Fair,
            Severity::Warning => Self::Flagged,
            Severity::Fault => Self::Void,
        }
    }
}

/// The judgement of a run: the worst of its findings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// What the run is worth.
    pub state: State,
    /// Why: the gravest first.
    pub findings: Vec<Finding>,
}

impl Verdict {
    /// The verdict from what the checks found.
    pub fn of(mut findings: Vec<Finding>) -> Self {
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        let state = worst(findings.iter());
        Self { state, findings }
    }

    /// What one figure is worth by itself, named by its path: `latency_ns.p99`.
    pub fn of_figure(&self, path: &str) -> State {
        worst(
            self.findings
                .iter()
                .filter(|finding| finding.concerns(path)),
        )
    }
}

fn worst<'a>(findings: impl Iterator<Item = &'a Finding>) -> State {
    findings
        .map(|finding| State::from(finding.severity))
        .max()
        .unwrap_or(State::Fair)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(severity: Severity) -> Finding {
        Finding::of_run("test", severity, "", "")
    }

    #[test]
    fn the_worst_finding_decides() {
        use Severity::{Fault, Limitation, Warning};
        for (severities, state) in [
            (&[][..], State::Fair),
            (&[Limitation, Limitation][..], State::Fair),
            (&[Limitation, Warning][..], State::Flagged),
            (&[Limitation, Fault, Warning][..], State::Void),
        ] {
            let verdict = Verdict::of(severities.iter().copied().map(finding).collect());
            assert_eq!(verdict.state, state, "{severities:?}");
            assert_eq!(verdict.findings.len(), severities.len());
            assert!(verdict
                .findings
                .windows(2)
                .all(|pair| pair[0].severity >= pair[1].severity));
        }
    }

    #[test]
    fn a_figure_answers_for_itself_and_for_the_run() {
        let about_max = finding(Severity::Warning).about(["latency_ns.max".to_owned()]);
        let verdict = Verdict::of(vec![about_max.clone()]);
        assert_eq!(verdict.of_figure("latency_ns.max"), State::Flagged);
        assert_eq!(verdict.of_figure("latency_ns.p50"), State::Fair);
        let verdict = Verdict::of(vec![about_max, finding(Severity::Fault)]);
        assert_eq!(verdict.of_figure("latency_ns.p50"), State::Void);
    }
}
