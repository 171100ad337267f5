//! Answers in RESP2.

use std::io::{self, Write};
use std::net::TcpStream;

const MANY_BYTES: usize = 65_536;
/// What the memory of a great answer is not kept beyond.
const MOST_RESERVED_BYTES: usize = 1 << 20;

/// Answers to a connection, kept until they are sent.
pub struct Replies<'a> {
    connection: &'a TcpStream,
    kept: Vec<u8>,
}

impl<'a> Replies<'a> {
    pub fn new(connection: &'a TcpStream) -> Self {
        Self { connection, kept: Vec::new() }
    }

    pub fn simple(&mut self, text: &str) {
        self.line(b'+', text.as_bytes());
    }

    pub fn error(&mut self, text: &[u8]) {
        let blank = |&byte: &u8| if byte == b'\r' || byte == b'\n' { b' ' } else { byte };
        let text: Vec<u8> = text.iter().map(blank).collect();
        self.line(b'-', &text);
    }

    pub fn integer(&mut self, value: usize) {
        self.number(b':', value);
    }

    pub fn bulk(&mut self, value: &[u8]) {
        self.number(b'$', value.len());
        self.kept.extend_from_slice(value);
        self.kept.extend_from_slice(b"\r\n");
    }

    pub fn null_bulk(&mut self) {
        self.kept.extend_from_slice(b"$-1\r\n");
    }

    /// So many replies follow.
    pub fn array(&mut self, length: usize) {
        self.number(b'*', length);
    }

    /// To be asked between answers, where no row is locked.
    pub fn send_if_many(&mut self) -> io::Result<()> {
        if self.kept.len() >= MANY_BYTES {
            self.send()?;
        }
        Ok(())
    }

    pub fn send(&mut self) -> io::Result<()> {
        if !self.kept.is_empty() {
            self.connection.write_all(&self.kept)?;
            self.kept.clear();
            self.kept.shrink_to(MOST_RESERVED_BYTES);
        }
        Ok(())
    }

    fn line(&mut self, kind: u8, text: &[u8]) {
        self.kept.push(kind);
        self.kept.extend_from_slice(text);
        self.kept.extend_from_slice(b"\r\n");
    }

    fn number(&mut self, kind: u8, number: usize) {
        self.kept.push(kind);
        // Writing into memory cannot fail.
        let _ = write!(self.kept, "{number}\r\n");
    }
}
