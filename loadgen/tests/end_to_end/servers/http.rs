//! HTTP/1.1 as a server reads and writes it, as simply as can be: a second reading
//! of the protocol, apart from the generator's.

use std::io::{self, Read};
use std::time::{SystemTime, UNIX_EPOCH};

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Request {
    /// When its last byte was read, CLOCK_REALTIME, ns.
    pub received_ns: u64,
    /// Its method.
    pub method: String,
    /// Its path and query.
    pub path: String,
    /// Its header lines.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub body: Vec<u8>,
    /// All of it as it was on the wire.
    pub bytes: Vec<u8>,
}

impl Request {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(given, _)| given.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }
}

/// Requests read from a connection one after another; pipelined ones too.
pub struct Requests<L> {
    /// The connection, to write answers to.
    pub link: L,
    buffer: Vec<u8>,
}

impl<L: Read> Requests<L> {
    /// Of a connection.
    pub fn of(link: L) -> Self {
        Self {
            link,
            buffer: Vec::new(),
        }
    }

    /// The next request; `None` when the peer has finished.
    ///
    /// # Errors
    /// What the connection says, or bytes that are no request of HTTP/1.1.
    pub fn next(&mut self) -> io::Result<Option<Request>> {
        loop {
            if let Some(request) = self.take()? {
                return Ok(Some(request));
            }
            let mut piece = [0; 16 * 1024];
            match self.link.read(&mut piece)? {
                0 if self.buffer.is_empty() => return Ok(None),
                0 => return Err(wrong("the peer finished in the middle of a request")),
                count => self.buffer.extend_from_slice(&piece[..count]),
            }
        }
    }

    /// A whole request of the buffer.
    fn take(&mut self) -> io::Result<Option<Request>> {
        let Some(end) = self.buffer.windows(4).position(|four| four == b"\r\n\r\n") else {
            return Ok(None);
        };
        let head = std::str::from_utf8(&self.buffer[..end])
            .map_err(|_| wrong("a head that is not text"))?;
        let mut lines = head.split("\r\n");
        let mut words = lines.next().unwrap_or_default().split(' ');
        let (Some(method), Some(path), Some("HTTP/1.1"), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(wrong("a request line that is none"));
        };
        let headers = lines
            .map(|line| {
                let (name, value) = line.split_once(": ")?;
                Some((name.to_owned(), value.to_owned()))
            })
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| wrong("a header line without a colon"))?;
        let mut request = Request {
            received_ns: realtime_ns(),
            method: method.to_owned(),
            path: path.to_owned(),
            headers,
            body: Vec::new(),
            bytes: Vec::new(),
        };
        let length = match request.header("content-length").map(str::parse::<usize>) {
            None => 0,
            Some(Ok(length)) => length,
            Some(Err(_)) => return Err(wrong("a content-length that is no number")),
        };
        let total = end + 4 + length;
        if self.buffer.len() < total {
            return Ok(None);
        }
        let rest = self.buffer.split_off(total);
        request.bytes = std::mem::replace(&mut self.buffer, rest);
        request.body = request.bytes[end + 4..].to_vec();
        Ok(Some(request))
    }
}

/// CLOCK_REALTIME now, ns.
pub fn realtime_ns() -> u64 {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    u64::try_from(since_epoch.as_nanos()).unwrap()
}

/// A whole answer whose length is told by Content-Length.
pub fn answer(status: u16, body: &[u8]) -> Vec<u8> {
    let mut bytes = format!(
        "HTTP/1.1 {status} Told\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\r\n",
        body.len()
    )
    .into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

/// The same, as the last of its connection.
pub fn last_answer(status: u16, body: &[u8]) -> Vec<u8> {
    let mut bytes = answer(status, body);
    let line = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    bytes.splice(line..line, *b"Connection: close\r\n");
    bytes
}

/// A whole answer in chunks of at most `size` bytes.
pub fn chunked(body: &[u8], size: usize) -> Vec<u8> {
    let mut bytes = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    for chunk in body.chunks(size) {
        bytes.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        bytes.extend_from_slice(chunk);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(b"0\r\n\r\n");
    bytes
}

fn wrong(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}
