//! A range of bytes of a file (RFC 9110, section 14).

use crate::failure::Failure;
use crate::request::{decimal, is_decimal};

const BEYOND_ANY_FILE: u64 = 1_000_000_000_000_000;

#[derive(Clone, Copy, Debug)]
pub struct ByteRange {
    pub first: u64,
    pub count: u64,
}

/// That of the value of a field; none is the whole file.
pub fn requested_range(value: Option<&str>, size: u64) -> Result<Option<ByteRange>, Failure> {
    let asked = value.and_then(|value| value.strip_prefix("bytes="));
    let Some((from, to)) = asked.filter(|_| size > 0).and_then(|asked| asked.split_once('-'))
    else {
        return Ok(None);
    };
    let unsatisfiable = || Failure::with(416, format!("Content-Range: bytes */{size}"));
    if from.is_empty() {
        if !is_decimal(to) {
            return Ok(None);
        }
        let count = number(to).min(size);
        if count == 0 {
            return Err(unsatisfiable());
        }
        return Ok(Some(ByteRange { first: size - count, count }));
    }
    if !is_decimal(from) || !(to.is_empty() || is_decimal(to)) {
        return Ok(None);
    }
    let first = number(from);
    let last = if to.is_empty() { size - 1 } else { number(to) };
    if !to.is_empty() && last < first {
        return Ok(None);
    }
    if first >= size {
        return Err(unsatisfiable());
    }
    Ok(Some(ByteRange { first, count: last.min(size - 1) - first + 1 }))
}

fn number(digits: &str) -> u64 {
    decimal(digits).unwrap_or(BEYOND_ANY_FILE)
}
