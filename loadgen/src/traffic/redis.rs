//! Redis commands as the bytes on the wire (RESP2).

use super::digits::{append_key, KEY_DIGITS};
use super::keyspace::KeySpace;
use super::operation::{Operation, Operations};
use super::reply::ReplyRule;
use super::selection::{Order, Selection};
use super::traffic::Encoded;
use super::value::Value;
use crate::schedule::Draws;

/// The longest string Redis stores by default (`proto-max-bulk-len`): 512 MiB.
pub const MOST_VALUE_BYTES: u64 = 512 * 1024 * 1024;

/// Redis traffic as described.
#[derive(Clone, Debug, PartialEq)]
pub struct RedisSpec {
    /// The keys, drawn evenly.
    pub keys: KeySpace,
    /// Length of every value in bytes.
    pub value_bytes: u64,
    /// The commands.
    pub operations: Operations,
    /// Whether every key is set before the run.
    pub preloaded: bool,
    /// The seed of every random draw.
    pub seed: u64,
}

impl RedisSpec {
    /// The commands' names, for people.
    pub(super) fn names(&self) -> Box<[String]> {
        let name = |operation: &Operation| operation.name().to_ascii_uppercase();
        self.operations.list().iter().map(name).collect()
    }
}

/// Why a description makes no Redis traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the texts say it")]
pub enum RedisError {
    #[error("values of {0} bytes are too long for Redis; give at most {MOST_VALUE_BYTES}")]
    ValueTooLong(u64),
}

/// Redis traffic ready to be encoded.
#[derive(Clone, Debug)]
pub(super) struct RedisTraffic {
    commands: Box<[Command]>,
    preload: Command,
    selection: Selection,
    keys: KeySpace,
    key_draws: Draws,
    value_bytes: u64,
    /// Whether every key has its value throughout the run.
    always_set: bool,
}

/// One command around its key and value.
#[derive(Clone, Debug)]
struct Command {
    operation: Operation,
    /// The array's head, the command's name and the key up to its digits.
    before_key: Vec<u8>,
    /// From behind the key's digits up to the value, or to the end.
    after_key: Vec<u8>,
}

impl RedisTraffic {
    pub fn new(spec: RedisSpec) -> Result<Self, RedisError> {
        if spec.value_bytes > MOST_VALUE_BYTES {
            return Err(RedisError::ValueTooLong(spec.value_bytes));
        }
        let list = spec.operations.list();
        let command = |operation| Command::new(operation, spec.value_bytes);
        let selection = match spec.operations.weights() {
            None => Selection::new(Order::File, &vec![1.0; list.len()], spec.seed),
            Some(weights) => Selection::new(Order::Random, weights, spec.seed),
        };
        Ok(Self {
            commands: list.iter().copied().map(command).collect(),
            preload: command(Operation::Set),
            selection,
            keys: spec.keys,
            key_draws: KeySpace::draws(spec.seed),
            value_bytes: spec.value_bytes,
            always_set: spec.preloaded && !list.contains(&Operation::Del),
        })
    }

    #[inline]
    pub fn encode(&self, index: u64, out: &mut Vec<u8>) -> Encoded {
        let template = self.selection.template(index);
        let value = self.value(self.keys.key(&self.key_draws, index));
        self.commands[template as usize].append(value, out);
        Encoded {
            template,
            head: false,
        }
    }

    #[inline]
    pub fn rule(&self, index: u64, template: u32) -> ReplyRule {
        match self.commands[template as usize].operation {
            Operation::Set => ReplyRule::Ok,
            Operation::Ping => ReplyRule::Pong,
            Operation::Del | Operation::Exists | Operation::Incr => ReplyRule::Integer,
            Operation::Get => {
                let value = self.value(self.keys.key(&self.key_draws, index));
                if self.always_set {
                    ReplyRule::Preloaded(value)
                } else {
                    ReplyRule::Value(value)
                }
            }
        }
    }

    pub fn keys(&self) -> KeySpace {
        self.keys
    }

    pub fn encode_preload(&self, key: u64, out: &mut Vec<u8>) {
        self.preload.append(self.value(key), out);
    }

    fn value(&self, key: u64) -> Value {
        Value {
            key,
            bytes: self.value_bytes,
        }
    }
}

impl Command {
    fn new(operation: Operation, value_bytes: u64) -> Self {
        let name = operation.name().to_ascii_uppercase();
        let (arguments, key_prefix, after_key) = match operation {
            Operation::Ping => (1, None, String::new()),
            Operation::Set => (3, Some("key:"), format!("\r\n${value_bytes}\r\n")),
            Operation::Incr => (2, Some("counter:"), "\r\n".to_owned()),
            Operation::Get | Operation::Del | Operation::Exists => {
                (2, Some("key:"), "\r\n".to_owned())
            }
        };
        let mut before_key = format!("*{arguments}\r\n${}\r\n{name}\r\n", name.len());
        if let Some(prefix) = key_prefix {
            before_key += &format!("${}\r\n{prefix}", prefix.len() + KEY_DIGITS);
        }
        Self {
            operation,
            before_key: before_key.into_bytes(),
            after_key: after_key.into_bytes(),
        }
    }

    #[inline]
    fn append(&self, value: Value, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.before_key);
        if self.operation == Operation::Ping {
            return;
        }
        append_key(value.key, out);
        out.extend_from_slice(&self.after_key);
        if self.operation == Operation::Set {
            value.append_to(out);
            out.extend_from_slice(b"\r\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn traffic(operations: &str, keys: u64, value_bytes: u64) -> RedisTraffic {
        RedisTraffic::new(spec(operations, keys, value_bytes)).unwrap()
    }

    fn spec(operations: &str, keys: u64, value_bytes: u64) -> RedisSpec {
        RedisSpec {
            keys: KeySpace::new(keys).unwrap(),
            value_bytes,
            operations: operations.parse().unwrap(),
            preloaded: false,
            seed: 8,
        }
    }

    fn value_text(key: u64, bytes: u64) -> String {
        let mut out = Vec::new();
        Value { key, bytes }.append_to(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_command_is_exactly_this() {
        let made = traffic("set,get,del,exists,incr,ping", 1, 5);
        let value = value_text(0, 5);
        let expected = [
            format!("*3\r\n$3\r\nSET\r\n$16\r\nkey:000000000000\r\n$5\r\n{value}\r\n"),
            "*2\r\n$3\r\nGET\r\n$16\r\nkey:000000000000\r\n".to_owned(),
            "*2\r\n$3\r\nDEL\r\n$16\r\nkey:000000000000\r\n".to_owned(),
            "*2\r\n$6\r\nEXISTS\r\n$16\r\nkey:000000000000\r\n".to_owned(),
            "*2\r\n$4\r\nINCR\r\n$20\r\ncounter:000000000000\r\n".to_owned(),
            "*1\r\n$4\r\nPING\r\n".to_owned(),
        ];
        let rules = [
            ReplyRule::Ok,
            ReplyRule::Value(Value { key: 0, bytes: 5 }),
            ReplyRule::Integer,
            ReplyRule::Integer,
            ReplyRule::Integer,
            ReplyRule::Pong,
        ];
        for (index, (text, rule)) in expected.iter().zip(rules).enumerate() {
            let mut out = Vec::new();
            let encoded = made.encode(index as u64, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), *text);
            assert_eq!((encoded.template as usize, encoded.head), (index, false));
            assert_eq!(made.rule(index as u64, encoded.template), rule);
        }
        assert_eq!(
            spec("set,get,del,exists,incr,ping", 1, 5).names()[..],
            ["SET", "GET", "DEL", "EXISTS", "INCR", "PING"]
        );
    }

    #[test]
    fn the_rule_is_about_the_key_that_was_sent() {
        let made = traffic("set:1,get:3", 1_000_000, 20);
        let mut got = 0;
        for index in 0..1000 {
            let mut out = Vec::new();
            let encoded = made.encode(index, &mut out);
            let text = String::from_utf8(out).unwrap();
            if let ReplyRule::Value(value) = made.rule(index, encoded.template) {
                got += 1;
                assert!(
                    text.ends_with(&format!("key:{:012}\r\n", value.key)),
                    "{text}"
                );
                assert!(value.key < 1_000_000);
            } else {
                let key = text.split("key:").nth(1).unwrap()[..12].parse().unwrap();
                assert!(text.ends_with(&format!("\r\n$20\r\n{}\r\n", value_text(key, 20))));
            }
        }
        // Three in four, within five standard deviations of 13.7.
        assert!((682..=818).contains(&got), "{got}");
    }

    #[test]
    fn preloading_sets_the_key_that_is_asked_for() {
        let made = traffic("get", 10, 3);
        let mut out = Vec::new();
        made.encode_preload(9, &mut out);
        let expected = format!(
            "*3\r\n$3\r\nSET\r\n$16\r\nkey:000000000009\r\n$3\r\n{}\r\n",
            value_text(9, 3)
        );
        assert_eq!(String::from_utf8(out).unwrap(), expected);
        assert_eq!(made.keys().keys(), 10);
    }

    #[test]
    fn a_preloaded_key_always_has_its_value_unless_keys_are_deleted() {
        let rule = |operations: &str| {
            let spec = RedisSpec {
                keys: KeySpace::new(1).unwrap(),
                value_bytes: 3,
                operations: operations.parse().unwrap(),
                preloaded: true,
                seed: 8,
            };
            RedisTraffic::new(spec).unwrap().rule(0, 0)
        };
        let value = Value { key: 0, bytes: 3 };
        assert_eq!(rule("get,set"), ReplyRule::Preloaded(value));
        assert_eq!(rule("get,del"), ReplyRule::Value(value));
    }

    #[test]
    fn values_redis_cannot_hold_are_refused() {
        let spec = RedisSpec {
            keys: KeySpace::new(1).unwrap(),
            value_bytes: MOST_VALUE_BYTES + 1,
            operations: "set".parse().unwrap(),
            preloaded: false,
            seed: 0,
        };
        assert_eq!(
            RedisTraffic::new(spec).unwrap_err().to_string(),
            "values of 536870913 bytes are too long for Redis; give at most 536870912"
        );
    }
}
