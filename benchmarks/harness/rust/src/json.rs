//! The little of JSON that the contract's lines need.

use std::fmt::{self, Write as _};

/// One flat JSON object under construction.
pub(crate) struct Object(String);

impl Object {
    pub(crate) fn new() -> Self {
        Self("{".to_owned())
    }

    pub(crate) fn event(name: &str) -> Self {
        Self::new().text("event", name)
    }

    pub(crate) fn json(mut self, name: &str, value: impl fmt::Display) -> Self {
        let comma = if self.0.len() > 1 { "," } else { "" };
        let name = quoted(name);
        // Writing to a string cannot fail.
        let _ = write!(self.0, "{comma}{name}:{value}");
        self
    }

    pub(crate) fn text(self, name: &str, value: &str) -> Self {
        self.json(name, quoted(value))
    }

    pub(crate) fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

fn quoted(text: &str) -> String {
    let mut json = "\"".to_owned();
    for character in text.chars() {
        match character {
            '"' | '\\' => json.extend(['\\', character]),
            // Writing to a string cannot fail.
            '\0'..='\x1f' => drop(write!(json, "\\u{:04x}", u32::from(character))),
            _ => json.push(character),
        }
    }
    json.push('"');
    json
}

/// A number of JSON, which has neither infinities nor NaN.
pub(crate) fn number(value: f64) -> f64 {
    assert!(value.is_finite(), "a metric or sample is {value}");
    value
}
