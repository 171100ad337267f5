//! Requests in RESP2, read from the bytes of a connection.

use std::io::{self, BufRead, BufReader, Read};
use std::net::TcpStream;

use crate::replies::Replies;

const BUFFER_BYTES: usize = 16_384; // as Redis has it
const PIECE_BYTES: usize = 1 << 20;
const MOST_LINE_BYTES: usize = 65_536;
const MOST_WORDS: i64 = 1 << 20;
const MOST_REQUEST_BYTES: i64 = 512_000_000;
const MOST_DIGITS: usize = 10;

/// Why there is no further request.
pub enum Ended {
    /// What was sent is no request.
    Protocol(Vec<u8>),
    /// The client has ended the connection, or it is broken.
    Connection,
}

impl From<io::Error> for Ended {
    fn from(_: io::Error) -> Self {
        Self::Connection
    }
}

fn mistake<T>(text: &str) -> Result<T, Ended> {
    Err(Ended::Protocol(text.as_bytes().to_vec()))
}

/// A connection whose replies are sent before it is waited for.
struct Answered<'a> {
    connection: &'a TcpStream,
    replies: Replies<'a>,
}

impl Read for Answered<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.replies.send()?;
        self.connection.read(to)
    }
}

/// The requests of a connection, one after another.
pub struct Requests<'a> {
    bytes: BufReader<Answered<'a>>,
    line: Vec<u8>,
}

impl<'a> Requests<'a> {
    pub fn new(connection: &'a TcpStream) -> Self {
        let answered = Answered { connection, replies: Replies::new(connection) };
        Self { bytes: BufReader::with_capacity(BUFFER_BYTES, answered), line: Vec::new() }
    }

    pub fn replies(&mut self) -> &mut Replies<'a> {
        &mut self.bytes.get_mut().replies
    }

    /// The words of the next request.
    pub fn next_words(&mut self) -> Result<Vec<Vec<u8>>, Ended> {
        let Some(&first) = self.bytes.fill_buf()?.first() else { return Err(Ended::Connection) };
        if first != b'*' {
            let line = self.line("too big inline request")?;
            let words = line.split(|byte| b" \t".contains(byte));
            return Ok(words.filter(|word| !word.is_empty()).map(<[u8]>::to_vec).collect());
        }
        let count = match number(&self.line("too big mbulk count string")?[1..]) {
            Some(count) if count <= MOST_WORDS => count,
            _ => return mistake("invalid multibulk length"),
        };
        let mut words = Vec::new();
        let mut left = MOST_REQUEST_BYTES;
        for _ in 0..count {
            let line = self.line("too big bulk count string")?;
            let Some(length) = line.strip_prefix(b"$") else {
                let first = line.first().copied().unwrap_or(b' ');
                let text = [b"expected '$', got '".as_slice(), &[first], b"'"].concat();
                return Err(Ended::Protocol(text));
            };
            let length = match number(length) {
                Some(length) if (0..=left).contains(&length) => length,
                _ => return mistake("invalid bulk length"),
            };
            left -= length;
            words.push(self.word(length as usize)?);
        }
        Ok(words)
    }

    /// The next line without what ends it.
    fn line(&mut self, too_big: &str) -> Result<&[u8], Ended> {
        self.line.clear();
        let most = MOST_LINE_BYTES as u64 + 1;
        self.bytes.by_ref().take(most).read_until(b'\n', &mut self.line)?;
        match self.line.strip_suffix(b"\n") {
            Some(line) => Ok(line.strip_suffix(b"\r").unwrap_or(line)),
            None if self.line.len() > MOST_LINE_BYTES => mistake(too_big),
            None => Err(Ended::Connection),
        }
    }

    fn word(&mut self, length: usize) -> Result<Vec<u8>, Ended> {
        let mut word = vec![0; length.min(PIECE_BYTES)];
        self.bytes.read_exact(&mut word)?;
        while word.len() < length {
            let before = word.len();
            word.resize(length.min(before + PIECE_BYTES), 0);
            self.bytes.read_exact(&mut word[before..])?;
        }
        let mut end = [0; 2];
        self.bytes.read_exact(&mut end)?;
        if end != *b"\r\n" {
            return mistake("expected CRLF after bulk");
        }
        Ok(word)
    }
}

/// An optional minus and a few decimal digits.
pub fn number(text: &[u8]) -> Option<i64> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    // `parse` alone would take a plus, too.
    if digits.len() > MOST_DIGITS || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}
