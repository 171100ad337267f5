//! Which Redis commands are sent, and in what mixture.

use std::fmt;
use std::str::FromStr;

/// A command on one key of the key space; `PING` uses none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `SET key:… value`.
    Set,
    /// `GET key:…`.
    Get,
    /// `DEL key:…`.
    Del,
    /// `EXISTS key:…`.
    Exists,
    /// `INCR counter:…`, apart from the other keys, whose values are no numbers.
    Incr,
    /// `PING`.
    Ping,
}

impl Operation {
    const ALL: [Self; 6] = [
        Self::Set,
        Self::Get,
        Self::Del,
        Self::Exists,
        Self::Incr,
        Self::Ping,
    ];

    /// The name of the command, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Set => "set",
            Self::Get => "get",
            Self::Del => "del",
            Self::Exists => "exists",
            Self::Incr => "incr",
            Self::Ping => "ping",
        }
    }

    fn named(name: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|operation| operation.name().eq_ignore_ascii_case(name))
    }
}

/// The mixture of commands: `set,get` takes turns, `set:1,get:9` draws by
/// weight.
#[derive(Clone, Debug, PartialEq)]
pub struct Operations {
    list: Vec<Operation>,
    weights: Option<Vec<f64>>,
}

/// Why a text is no mixture of commands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the texts say it")]
pub enum OperationsError {
    #[error("{0:?} is not an operation; the operations are set, get, del, exists, incr and ping")]
    Unknown(String),
    #[error("{0:?} is not a weight; write, for example, set:1,get:9")]
    Weight(String),
    #[error("{0:?} has no weight, but another operation has one; give every operation a weight, or none")]
    SomeWeights(String),
}

impl Operations {
    /// The commands, in order.
    pub fn list(&self) -> &[Operation] {
        &self.list
    }

    /// Their weights, or none if they take turns.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }
}

impl FromStr for Operations {
    type Err = OperationsError;

    fn from_str(text: &str) -> Result<Self, OperationsError> {
        let mut list = Vec::new();
        let mut weights = Vec::new();
        let mut unweighted = None;
        for part in text.split(',').map(str::trim) {
            let (name, weight) = match part.split_once(':') {
                Some((name, weight)) => (name, Some(weight)),
                None => (part, None),
            };
            let unknown = || OperationsError::Unknown(name.to_owned());
            list.push(Operation::named(name).ok_or_else(unknown)?);
            match weight {
                Some(weight) => weights.push(parse_weight(weight)?),
                None => unweighted = unweighted.or(Some(name)),
            }
        }
        match unweighted {
            Some(name) if !weights.is_empty() => Err(OperationsError::SomeWeights(name.to_owned())),
            _ => Ok(Self {
                list,
                weights: Some(weights).filter(|weights| !weights.is_empty()),
            }),
        }
    }
}

fn parse_weight(text: &str) -> Result<f64, OperationsError> {
    text.parse::<f64>()
        .ok()
        .filter(|weight| weight.is_finite() && *weight > 0.0)
        .ok_or_else(|| OperationsError::Weight(text.to_owned()))
}

impl fmt::Display for Operations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, operation) in self.list.iter().enumerate() {
            if place > 0 {
                f.write_str(",")?;
            }
            f.write_str(operation.name())?;
            if let Some(weights) = &self.weights {
                write!(f, ":{}", weights[place])?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixtures_are_read_and_written() {
        for (text, canonical) in [
            ("set,get", "set,get"),
            ("SET, get,get", "set,get,get"),
            ("set:1,get:9", "set:1,get:9"),
            ("ping:0.5", "ping:0.5"),
            ("del,exists,incr", "del,exists,incr"),
        ] {
            let operations: Operations = text.parse().unwrap();
            assert_eq!(operations.to_string(), canonical);
            assert_eq!(canonical.parse(), Ok(operations));
        }
        let turns: Operations = "set,get".parse().unwrap();
        assert_eq!(turns.list(), [Operation::Set, Operation::Get]);
        assert_eq!(turns.weights(), None);
        let drawn: Operations = "set:1,get:9".parse().unwrap();
        assert_eq!(drawn.weights(), Some(&[1.0, 9.0][..]));
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let error = |text: &str| text.parse::<Operations>().unwrap_err();
        assert_eq!(
            error("set,lpush").to_string(),
            "\"lpush\" is not an operation; the operations are set, get, del, exists, incr and ping"
        );
        assert_eq!(error(""), OperationsError::Unknown(String::new()));
        assert_eq!(error("set,"), OperationsError::Unknown(String::new()));
        for weight in ["0", "-1", "x", "", "inf", "nan"] {
            assert_eq!(
                error(&format!("set:{weight}")),
                OperationsError::Weight(weight.to_owned())
            );
        }
        assert_eq!(
            error("set:1,get"),
            OperationsError::SomeWeights("get".to_owned())
        );
        assert_eq!(
            error("set,get:1"),
            OperationsError::SomeWeights("set".to_owned())
        );
    }
}
