//! What one check saw.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// How much a finding weighs.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Noted: a property of this run or this machine, which spoils no figure.
    Limitation,
    /// The figures it names are flagged: read them with this in mind.
    Warning,
    /// The figures it names are void.
    Fault,
}

impl Severity {
    /// Its name, as in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Limitation => "limitation",
            Self::Warning => "warning",
            Self::Fault => "fault",
        }
    }
}

/// What one check saw, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The check that saw it, by the name of its file: `send_lag`.
    pub check: Cow<'static, str>,
    /// How much it weighs.
    pub severity: Severity,
    /// The figures concerned, as paths into the result: `latency_ns.p99`. Empty: the whole run.
    pub figures: Vec<String>,
    /// What was found, with numbers.
    pub message: String,
    /// What to do about it.
    pub advice: String,
}

impl Finding {
    /// A limitation of the whole run.
    pub fn limitation(
        check: &'static str,
        message: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self::of_run(check, Severity::Limitation, message, advice)
    }

    /// A warning about the whole run.
    pub fn warning(
        check: &'static str,
        message: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self::of_run(check, Severity::Warning, message, advice)
    }

    /// A fault of the whole run.
    pub fn fault(
        check: &'static str,
        message: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self::of_run(check, Severity::Fault, message, advice)
    }

    /// A finding about the whole run.
    pub fn of_run(
        check: &'static str,
        severity: Severity,
        message: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self {
            check: Cow::Borrowed(check),
            severity,
            figures: Vec::new(),
            message: message.into(),
            advice: advice.into(),
        }
    }

    /// The same finding about certain figures only.
    pub fn about(self, figures: impl IntoIterator<Item = String>) -> Self {
        Self {
            figures: figures.into_iter().collect(),
            ..self
        }
    }

    /// Whether it concerns the figure at `path`: it names it, or speaks of the whole run.
    pub fn concerns(&self, path: &str) -> bool {
        self.figures.is_empty() || self.figures.iter().any(|figure| figure == path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_weighs_most() {
        assert!(Severity::Limitation < Severity::Warning);
        assert!(Severity::Warning < Severity::Fault);
    }

    #[test]
    fn it_concerns_what_it_names_or_everything() {
        let run = Finding::of_run("rate", Severity::Fault, "found", "do");
        assert!(run.concerns("latency_ns.p99"));
        let one = run.about(["latency_ns.p99".to_owned()]);
        assert!(one.concerns("latency_ns.p99"));
        assert!(!one.concerns("latency_ns.p50"));
    }

    #[test]
    fn it_is_read_back_as_written() {
        let finding = Finding::of_run("rate", Severity::Warning, "found", "do")
            .about(["latency_ns.max".to_owned()]);
        let text = serde_json::to_string(&finding).unwrap();
        assert!(text.contains(r#""severity":"warning""#), "{text}");
        assert_eq!(serde_json::from_str::<Finding>(&text).unwrap(), finding);
    }
}
