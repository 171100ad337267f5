//! The conversation with a client.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::Path;

use crate::request::{Failure, Request};
use crate::response::{failure_response, respond, Counts};

const MOST_LINE_BYTES: usize = 8192;
const MOST_HEADER_BYTES: usize = 65_536;
const MOST_DISCARDED_BYTES: u64 = 1_048_576;

/// Why there is no request.
enum Unread {
    Failed(Failure),
    Left(io::Error),
}

impl From<Failure> for Unread {
    fn from(failure: Failure) -> Self {
        Unread::Failed(failure)
    }
}

impl From<io::Error> for Unread {
    fn from(error: io::Error) -> Self {
        Unread::Left(error)
    }
}

/// Responds until the client wants no more. An error is that it has left.
pub fn converse(mut client: &TcpStream, folder: &Path, counts: &mut Counts) -> io::Result<()> {
    client.set_nodelay(true)?;
    let mut reader = BufReader::new(client);
    let mut persistent = true;
    while persistent {
        let response = match read_request(&mut reader) {
            Ok(request) => {
                persistent = request.is_persistent();
                respond(folder, &request, counts)
            }
            Err(Unread::Failed(failure)) => {
                persistent = false;
                failure_response(&failure, "Connection: close\r\n")
            }
            Err(Unread::Left(error)) => return Err(error),
        };
        client.write_all(&response)?;
    }
    client.shutdown(Shutdown::Write)?;
    io::copy(&mut reader.take(MOST_DISCARDED_BYTES), &mut io::sink())?;
    Ok(())
}

fn read_request(reader: &mut impl BufRead) -> Result<Request, Unread> {
    let mut line = Vec::new();
    while line.is_empty() {
        line = read_line(reader, MOST_LINE_BYTES, 414)?;
    }
    let mut request = Request::new(&line)?;
    let mut left = MOST_HEADER_BYTES;
    loop {
        let line = read_line(reader, left, 431)?;
        if line.is_empty() {
            break;
        }
        left -= line.len();
        request.add(&line)?;
    }
    let mut body = vec![0; request.body_length()?];
    reader.read_exact(&mut body)?;
    Ok(request)
}

/// The bytes before CR LF.
fn read_line(reader: &mut impl BufRead, most: usize, status: u16) -> Result<Vec<u8>, Unread> {
    let mut line = Vec::new();
    reader.by_ref().take(most as u64 + 2).read_until(b'\n', &mut line)?;
    if !line.ends_with(b"\n") {
        return Err(if line.len() == most + 2 {
            Failure::new(status).into()
        } else {
            io::Error::from(io::ErrorKind::UnexpectedEof).into()
        });
    }
    if !line.ends_with(b"\r\n") {
        return Err(Failure::new(400).into());
    }
    line.truncate(line.len() - 2);
    Ok(line)
}
