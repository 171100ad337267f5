//! Requests in RESP2: `langbench/key-value/contract.md`, "Requests".

use std::io::{self, BufRead, Read};

const PIECE_BYTES: usize = 1_048_576;
const MOST_LINE_BYTES: usize = 65_536;
const MOST_WORDS: i64 = 1_048_576;
const MOST_REQUEST_BYTES: i64 = 512_000_000;
const MOST_DIGITS: usize = 10;

/// Why there is no further request.
pub enum Ended {
    /// What the client sent is not a request.
    Protocol(Vec<u8>),
    /// The client has closed the connection.
    Connection,
}

impl From<io::Error> for Ended {
    fn from(_: io::Error) -> Self {
        Ended::Connection
    }
}

fn mistake(text: &str) -> Ended {
    Ended::Protocol(text.as_bytes().to_vec())
}

/// The words of the next request.
pub fn next_request(reader: &mut impl BufRead) -> Result<Vec<Vec<u8>>, Ended> {
    let Some(&first) = reader.fill_buf()?.first() else { return Err(Ended::Connection) };
    if first != b'*' {
        let line = read_line(reader, "too big inline request")?;
        let words = line.split(|&byte| byte == b' ' || byte == b'\t');
        return Ok(words.filter(|word| !word.is_empty()).map(<[u8]>::to_vec).collect());
    }
    let line = read_line(reader, "too big mbulk count string")?;
    let count = number(&line[1..]).filter(|&count| count <= MOST_WORDS);
    let count = count.ok_or_else(|| mistake("invalid multibulk length"))?;
    let mut words = Vec::new();
    let mut left = MOST_REQUEST_BYTES;
    for _ in 0..count {
        let line = read_line(reader, "too big bulk count string")?;
        let first = line.first().copied().unwrap_or(b' ');
        if first != b'$' {
            return Err(Ended::Protocol([b"expected '$', got '", &[first][..], b"'"].concat()));
        }
        let length = number(&line[1..]).filter(|&length| length >= 0 && length <= left);
        let length = length.ok_or_else(|| mistake("invalid bulk length"))?;
        left -= length;
        words.push(take(reader, length as usize)?);
        if take(reader, 2)? != b"\r\n" {
            return Err(mistake("expected CRLF after bulk"));
        }
    }
    Ok(words)
}

/// A line without LF, or CR LF.
fn read_line(reader: &mut impl BufRead, too_big: &str) -> Result<Vec<u8>, Ended> {
    let mut line = Vec::new();
    reader.by_ref().take(MOST_LINE_BYTES as u64 + 1).read_until(b'\n', &mut line)?;
    if let Some(text) = line.strip_suffix(b"\n") {
        return Ok(text.strip_suffix(b"\r").unwrap_or(text).to_vec());
    }
    Err(if line.len() > MOST_LINE_BYTES { mistake(too_big) } else { Ended::Connection })
}

/// So many bytes, for which memory is allocated in pieces, as they arrive.
fn take(reader: &mut impl Read, length: usize) -> Result<Vec<u8>, Ended> {
    let mut word = Vec::new();
    while word.len() < length {
        let before = word.len();
        word.resize(length.min(before + PIECE_BYTES), 0);
        reader.read_exact(&mut word[before..])?;
    }
    Ok(word)
}

/// An optional minus and 1 to 10 digits.
pub fn number(text: &[u8]) -> Option<i64> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    if digits.len() > MOST_DIGITS || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}
