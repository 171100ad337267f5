//! A request, and the file that its target names.

use std::collections::HashMap;

const MOST_BODY_BYTES: u64 = 65_536;
const MOST_DIGITS: usize = 15;
pub const BEYOND_ANY_FILE: u64 = 1_000_000_000_000_000;

/// Why a request is not answered with a file. `field` is a further line of the head.
pub struct Failure {
    pub status: u16,
    pub field: String,
}

impl Failure {
    pub fn new(status: u16) -> Self {
        Failure { status, field: String::new() }
    }
}

pub struct Request {
    pub method: String,
    target: String,
    pub minor: u8,
    headers: HashMap<String, Vec<u8>>,
}

fn is_token_byte(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte)
}

fn is_token(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(is_token_byte)
}

fn is_host_byte(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~%!$&'()*+;=:[]".contains(byte)
}

/// Text of which all bytes are ASCII.
fn ascii(text: &[u8]) -> String {
    text.iter().map(|&byte| char::from(byte)).collect()
}

/// A number of digits only.
pub fn number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    if digits.len() > MOST_DIGITS {
        return Some(BEYOND_ANY_FILE);
    }
    ascii(digits).parse().ok()
}

fn trimmed(mut text: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] = text {
        text = rest;
    }
    while let [rest @ .., b' ' | b'\t'] = text {
        text = rest;
    }
    text
}

impl Request {
    pub fn new(line: &[u8]) -> Result<Self, Failure> {
        let parts: Vec<&[u8]> = line.split(|&byte| byte == b' ').collect();
        let [method, target, version] = parts[..] else { return Err(Failure::new(400)) };
        if !is_token(method) || target.is_empty() || !target.iter().all(u8::is_ascii_graphic) {
            return Err(Failure::new(400));
        }
        let [b'H', b'T', b'T', b'P', b'/', major @ b'0'..=b'9', b'.', minor @ b'0'..=b'9'] =
            version
        else {
            return Err(Failure::new(400));
        };
        if *major != b'1' {
            return Err(Failure::new(505));
        }
        let minor = u8::from(*minor != b'0');
        Ok(Request { method: ascii(method), target: ascii(target), minor, headers: HashMap::new() })
    }

    pub fn add(&mut self, line: &[u8]) -> Result<(), Failure> {
        let colon = line.iter().position(|&byte| byte == b':').ok_or(Failure::new(400))?;
        let (name, value) = (&line[..colon], &line[colon + 1..]);
        if !is_token(name) || value.iter().any(|&byte| byte != b'\t' && byte.is_ascii_control()) {
            return Err(Failure::new(400));
        }
        let value = trimmed(value);
        self.headers
            .entry(ascii(name).to_ascii_lowercase())
            .and_modify(|before| {
                before.push(b',');
                before.extend_from_slice(value);
            })
            .or_insert_with(|| value.to_vec());
        Ok(())
    }

    pub fn header(&self, name: &str) -> Option<&[u8]> {
        self.headers.get(name).map(Vec::as_slice)
    }

    pub fn body_length(&self) -> Result<usize, Failure> {
        let is_host_right = match self.header("host") {
            Some(host) => host.iter().all(is_host_byte),
            None => self.minor == 0,
        };
        if !is_host_right {
            return Err(Failure::new(400));
        }
        let length = self.header("content-length");
        if self.header("transfer-encoding").is_some() {
            return Err(Failure::new(if length.is_some() { 400 } else { 411 }));
        }
        let length = number(length.unwrap_or(b"0")).ok_or(Failure::new(400))?;
        if length > MOST_BODY_BYTES {
            return Err(Failure::new(413));
        }
        if self.header("expect").is_some() && self.minor == 1 {
            return Err(Failure::new(417));
        }
        Ok(length as usize)
    }

    pub fn is_persistent(&self) -> bool {
        let mut persistent = self.minor == 1;
        for token in self.header("connection").unwrap_or_default().split(|&byte| byte == b',') {
            let token = trimmed(token);
            if token.eq_ignore_ascii_case(b"close") {
                return false;
            }
            persistent |= token.eq_ignore_ascii_case(b"keep-alive");
        }
        persistent
    }

    /// The names of the folders, and of the file.
    pub fn file_name(&self) -> Result<Vec<String>, Failure> {
        let mut path = self.target.as_str();
        if path.len() >= 7 && path[..7].eq_ignore_ascii_case("http://") {
            let rest = &path[7..];
            let end = rest.find(['/', '?']).unwrap_or(rest.len());
            if end == 0 {
                return Err(Failure::new(400));
            }
            path = if rest[end..].starts_with('/') { &rest[end..] } else { "/" };
        }
        let Some(path) = path.strip_prefix('/') else { return Err(Failure::new(400)) };
        let path = path.split('?').next().unwrap_or_default();
        let names = path.split('/').map(unescaped).collect::<Result<Vec<_>, _>>()?;
        for name in &names {
            let is_right = name.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic())
                && !name.contains(['/', '\\']);
            if !is_right || matches!(name.as_str(), "" | "." | "..") {
                return Err(Failure::new(404));
            }
        }
        Ok(names)
    }
}

/// A byte of an escape becomes the character with its number.
fn unescaped(segment: &str) -> Result<String, Failure> {
    let mut parts = segment.split('%');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.get(..2).filter(|two| two.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let digits = digits.ok_or(Failure::new(400))?;
        let byte = u8::from_str_radix(digits, 16).map_err(|_| Failure::new(400))?;
        text.push(char::from(byte));
        text.push_str(&part[2..]);
    }
    Ok(text)
}
