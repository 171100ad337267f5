//! What a good Redis reply looks like.

use super::value::Value;

/// The rule a reply has to satisfy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyRule {
    /// The simple string `OK`.
    Ok,
    /// The simple string `PONG`.
    Pong,
    /// A bulk string equal to this value; null says that the key is absent,
    /// which is a miss and no error.
    Value(Value),
    /// A bulk string equal to this value, of a key that always has it: null is wrong.
    Preloaded(Value),
    /// Any integer.
    Integer,
}
