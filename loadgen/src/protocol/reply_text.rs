//! The text of a reply, compared as it streams by.

use crate::traffic::{ReplyRule, Value};

/// The text a reply should have, as long as it has it.
#[derive(Debug, Default)]
pub(super) enum ReplyText {
    /// Whatever it is.
    #[default]
    Any,
    /// The answer to a command that always answers the same.
    Fixed(&'static [u8]),
    /// What a key holds.
    Stored(Value),
    /// The text was another one.
    Differs,
}

impl ReplyText {
    /// What a rule wants.
    pub(super) fn wanted(rule: ReplyRule) -> Self {
        match rule {
            ReplyRule::Ok => Self::Fixed(b"OK"),
            ReplyRule::Pong => Self::Fixed(b"PONG"),
            ReplyRule::Value(value) | ReplyRule::Preloaded(value) => Self::Stored(value),
            ReplyRule::Integer => Self::Any,
        }
    }

    /// The next bytes, the first of them at `position`.
    pub(super) fn piece(&mut self, position: u64, bytes: &[u8]) {
        let agrees = match self {
            Self::Any | Self::Differs => return,
            Self::Fixed(wanted) => usize::try_from(position)
                .ok()
                .and_then(|position| wanted.get(position..))
                .is_some_and(|rest| rest.starts_with(bytes)),
            Self::Stored(value) => value.matches_at(position, bytes),
        };
        if !agrees {
            *self = Self::Differs;
        }
    }

    /// Whether the text that ended at `length` is the one wanted.
    pub(super) fn is_good(&self, length: u64) -> bool {
        match self {
            Self::Any => true,
            Self::Fixed(wanted) => wanted.len() as u64 == length,
            Self::Stored(value) => value.bytes == length,
            Self::Differs => false,
        }
    }
}
