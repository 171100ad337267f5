//! A request: its lines, and what they mean for the connection.

use std::collections::HashMap;

use crate::failure::Failure;

const MOST_BODY_BYTES: u64 = 65_536;
/// A longer number is too large in any case.
pub const MOST_DIGITS: usize = 15;

/// What a connection asks for.
#[derive(Debug)]
pub struct Request {
    pub method: String,
    pub target: String,
    /// Of the version, HTTP/1.
    pub minor: u8,
    headers: HashMap<String, String>,
}

impl Request {
    /// Reads the request line.
    pub fn new(line: &[u8]) -> Result<Self, Failure> {
        let bad = || Failure::new(400);
        let line = std::str::from_utf8(line).map_err(|_| bad())?;
        let (method, rest) = line.split_once(' ').ok_or_else(bad)?;
        let (target, version) = rest.split_once(' ').ok_or_else(bad)?;
        let visible = target.bytes().all(|byte| byte.is_ascii_graphic());
        if !is_token(method.as_bytes()) || target.is_empty() || !visible {
            return Err(bad());
        }
        let &[b'H', b'T', b'T', b'P', b'/', major, b'.', minor] = version.as_bytes() else {
            return Err(bad());
        };
        if !major.is_ascii_digit() || !minor.is_ascii_digit() {
            return Err(bad());
        }
        if major != b'1' {
            return Err(Failure::new(505));
        }
        Ok(Self {
            method: method.to_owned(),
            target: target.to_owned(),
            minor: u8::from(minor != b'0'),
            headers: HashMap::new(),
        })
    }

    pub fn add_field(&mut self, line: &[u8]) -> Result<(), Failure> {
        let bad = || Failure::new(400);
        let colon = line.iter().position(|&byte| byte == b':').ok_or_else(bad)?;
        let (name, value) = (&line[..colon], &line[colon + 1..]);
        if !is_token(name) || value.iter().any(|&byte| byte.is_ascii_control() && byte != b'\t') {
            return Err(bad());
        }
        let name: String = name.iter().map(|byte| char::from(byte.to_ascii_lowercase())).collect();
        // A character a byte.
        let value: String = value.iter().copied().map(char::from).collect();
        let value = trimmed(&value);
        self.headers
            .entry(name)
            .and_modify(|before| {
                before.push(',');
                before.push_str(value);
            })
            .or_insert_with(|| value.to_owned());
        Ok(())
    }

    /// The value of a field.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    /// How many bytes follow the headers.
    pub fn body_length(&self) -> Result<u64, Failure> {
        let good_host = match self.header("host") {
            Some(host) => consists_of(host.as_bytes(), b"-._~%!$&'()*+;=:[]"),
            None => self.minor == 0,
        };
        if !good_host {
            return Err(Failure::new(400));
        }
        let length = self.header("content-length");
        if self.header("transfer-encoding").is_some() {
            return Err(Failure::new(if length.is_some() { 400 } else { 411 }));
        }
        let length = match length {
            Some(digits) if !is_decimal(digits) => return Err(Failure::new(400)),
            Some(digits) => decimal(digits).unwrap_or(u64::MAX),
            None => 0,
        };
        if length > MOST_BODY_BYTES {
            return Err(Failure::new(413));
        }
        if self.header("expect").is_some() && self.minor == 1 {
            return Err(Failure::new(417));
        }
        Ok(length)
    }

    /// Whether another request may follow on the connection.
    pub fn persistent(&self) -> bool {
        let connection = self.header("connection").unwrap_or_default();
        let holds = |word: &str| {
            connection.split(',').any(|token| trimmed(token).eq_ignore_ascii_case(word))
        };
        !holds("close") && (self.minor == 1 || holds("keep-alive"))
    }
}

pub fn is_decimal(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// None for what is too large in any case.
pub fn decimal(digits: &str) -> Option<u64> {
    Some(digits).filter(|digits| digits.len() <= MOST_DIGITS)?.parse().ok()
}

fn is_token(text: &[u8]) -> bool {
    !text.is_empty() && consists_of(text, b"!#$%&'*+.^_`|~-")
}

/// Whether nothing but letters, digits and those signs is in the text.
fn consists_of(text: &[u8], signs: &[u8]) -> bool {
    text.iter().all(|byte| byte.is_ascii_alphanumeric() || signs.contains(byte))
}

fn trimmed(text: &str) -> &str {
    text.trim_matches([' ', '\t'])
}
