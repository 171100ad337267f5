//! One client: its requests, one after another.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::Path;

use runfair_harness::Counter;

use crate::answer::{answer, refusal};
use crate::failure::Failure;
use crate::request::Request;

const INPUT_BYTES: usize = 16_384;
const LONGEST_REQUEST_LINE: usize = 8192;
const LONGEST_HEADERS: usize = 65_536;
const MOST_DROPPED_BYTES: u64 = 1_048_576;

/// Why no request could be read.
enum Unread {
    Failed(Failure),
    /// The client has left.
    Gone(io::Error),
}

impl From<Failure> for Unread {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<io::Error> for Unread {
    fn from(error: io::Error) -> Self {
        Self::Gone(error)
    }
}

/// What comes from a client, line by line.
pub struct Connection<'a> {
    client: &'a TcpStream,
    input: BufReader<&'a TcpStream>,
}

impl<'a> Connection<'a> {
    pub fn new(client: &'a TcpStream) -> io::Result<Self> {
        client.set_nodelay(true)?;
        Ok(Self { client, input: BufReader::with_capacity(INPUT_BYTES, client) })
    }

    /// Answers requests until the client wants no more; an error is that it has left.
    pub fn converse<const COUNT: bool>(
        &mut self,
        folder: &Path,
        counter: &mut Counter<COUNT>,
    ) -> io::Result<()> {
        loop {
            match self.read_request() {
                Ok(request) => {
                    self.client.write_all(&answer(folder, &request, counter))?;
                    if !request.persistent() {
                        break;
                    }
                }
                Err(Unread::Failed(failure)) => {
                    self.client.write_all(&refusal(&failure))?;
                    break;
                }
                Err(Unread::Gone(error)) => return Err(error),
            }
        }
        self.leave()
    }

    fn read_request(&mut self) -> Result<Request, Unread> {
        let mut line = self.read_line(LONGEST_REQUEST_LINE, 414)?;
        while line.is_empty() {
            line = self.read_line(LONGEST_REQUEST_LINE, 414)?;
        }
        let mut request = Request::new(&line)?;
        let mut left = LONGEST_HEADERS;
        loop {
            let line = self.read_line(left, 431)?;
            if line.is_empty() {
                break;
            }
            left -= line.len();
            request.add_field(&line)?;
        }
        self.drop(request.body_length()?)?;
        Ok(request)
    }

    fn read_line(&mut self, most: usize, status: u16) -> Result<Vec<u8>, Unread> {
        let mut line = Vec::new();
        let limit = most + 2;
        self.input.by_ref().take(limit as u64).read_until(b'\n', &mut line)?;
        let Some(line) = line.strip_suffix(b"\n") else {
            return Err(if line.len() == limit {
                Failure::new(status).into()
            } else {
                io::Error::from(io::ErrorKind::UnexpectedEof).into()
            });
        };
        let line = line.strip_suffix(b"\r").ok_or_else(|| Failure::new(400))?;
        Ok(line.to_owned())
    }

    fn drop(&mut self, length: u64) -> io::Result<()> {
        let dropped = io::copy(&mut self.input.by_ref().take(length), &mut io::sink())?;
        if dropped < length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(())
    }

    /// Waits for the client to go, so that no reset overtakes the last answer.
    fn leave(&mut self) -> io::Result<()> {
        self.client.shutdown(Shutdown::Write)?;
        io::copy(&mut self.input.by_ref().take(MOST_DROPPED_BYTES), &mut io::sink())?;
        Ok(())
    }
}
