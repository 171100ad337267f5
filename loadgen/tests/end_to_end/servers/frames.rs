//! HTTP/2 as a server that does what a test wants reads and writes it, frame by frame.
//!
//! Of header compression it knows what it needs: `:status 200` is one byte of the static table,
//! and other fields are written as literals (RFC 7541, section 6.2.2). Requests' fields are not
//! read at all.

use std::io::{self, Read, Write};
use std::net::TcpStream;

use super::Server;

pub const DATA: u8 = 0;
pub const HEADERS: u8 = 1;
pub const RST_STREAM: u8 = 3;
pub const SETTINGS: u8 = 4;
pub const GOAWAY: u8 = 7;
pub const CONTINUATION: u8 = 9;

pub const END_STREAM: u8 = 1;
pub const END_HEADERS: u8 = 4;
pub const PADDED: u8 = 8;

/// The field `:status 200`.
pub const STATUS_200: &[u8] = &[0x88];

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// A field that is in no table.
pub fn field(name: &str, value: &str) -> Vec<u8> {
    let mut bytes = vec![0, name.len() as u8];
    bytes.extend_from_slice(name.as_bytes());
    bytes.push(value.len() as u8);
    bytes.extend_from_slice(value.as_bytes());
    bytes
}

/// A connection after its beginning, whose requests end with their first frame.
pub struct Frames<L> {
    link: L,
}

impl<L: Read + Write> Frames<L> {
    /// Reads the client's preface and answers it with these settings.
    ///
    /// # Errors
    /// What the connection says, or bytes that are no preface.
    pub fn begin(mut link: L, settings: &[(u16, u32)]) -> io::Result<Self> {
        let mut preface = [0; PREFACE.len()];
        link.read_exact(&mut preface)?;
        if preface != PREFACE {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut frames = Self { link };
        let payload: Vec<u8> = settings
            .iter()
            .flat_map(|(id, value)| [&id.to_be_bytes()[..], &value.to_be_bytes()].concat())
            .collect();
        frames.write(SETTINGS, 0, 0, &payload)?;
        Ok(frames)
    }

    /// Writes one frame.
    ///
    /// # Errors
    /// What the connection says.
    pub fn write(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) -> io::Result<()> {
        let length = (payload.len() as u32).to_be_bytes();
        let mut bytes = length[1..].to_vec();
        bytes.extend([kind, flags]);
        bytes.extend(stream.to_be_bytes());
        bytes.extend_from_slice(payload);
        self.link.write_all(&bytes)
    }

    /// The stream of the next request; `None` when the peer has finished. Acknowledges SETTINGS.
    ///
    /// # Errors
    /// What the connection says.
    pub fn next_request(&mut self) -> io::Result<Option<u32>> {
        loop {
            let mut head = [0; 9];
            match self.link.read_exact(&mut head) {
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
                other => other?,
            }
            let [a, b, c, kind, flags, s @ ..] = head;
            let mut payload = vec![0; u32::from_be_bytes([0, a, b, c]) as usize];
            self.link.read_exact(&mut payload)?;
            match kind {
                SETTINGS if flags & 1 == 0 => self.write(SETTINGS, 1, 0, &[])?,
                HEADERS => return Ok(Some(u32::from_be_bytes(s))),
                _ => {}
            }
        }
    }

    /// A good answer with this body.
    ///
    /// # Errors
    /// What the connection says.
    pub fn answer(&mut self, stream: u32, body: &[u8]) -> io::Result<()> {
        self.write(HEADERS, END_HEADERS, stream, STATUS_200)?;
        self.write(DATA, END_STREAM, stream, body)
    }

    /// A GOAWAY: the last stream that is answered, and an error code.
    ///
    /// # Errors
    /// What the connection says.
    pub fn go_away(&mut self, last: u32, code: u32) -> io::Result<()> {
        let payload = [last.to_be_bytes(), code.to_be_bytes()].concat();
        self.write(GOAWAY, 0, 0, &payload)
    }
}

/// A server that answers every request of a connection by `answer`, which is told the stream and
/// the request's number in the connection, from 0.
pub fn each<F>(settings: &'static [(u16, u32)], answer: F) -> Server
where
    F: Fn(&mut Frames<TcpStream>, u32, usize) -> io::Result<()> + Send + Sync + 'static,
{
    Server::tcp(move |stream, _| {
        let mut frames = Frames::begin(stream, settings)?;
        let mut number = 0;
        while let Some(stream) = frames.next_request()? {
            answer(&mut frames, stream, number)?;
            number += 1;
        }
        Ok(())
    })
}
