//! An HTTP server whose behaviour a test chooses.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::thread;
use std::time::Duration;

use socket2::SockRef;

use super::http::{answer, Request, Requests};
use super::Server;

/// What a rogue answers when it answers well.
pub const TRUE: &[u8] = b"true";

/// Answers every request by `misbehave`, which writes what it wants; when it returns
/// an error the connection is closed.
pub fn always<F>(misbehave: F) -> Server
where
    F: Fn(&mut TcpStream, &Request) -> io::Result<()> + Send + Sync + 'static,
{
    Server::tcp(move |stream, _| {
        let mut requests = Requests::of(stream);
        while let Some(request) = requests.next()? {
            misbehave(&mut requests.link, &request)?;
        }
        Ok(())
    })
}

/// Answers the first request of each connection well and the second by `misbehave`,
/// after which it closes the connection: with one connection that stays lossless,
/// every second request.
pub fn every_second<F>(misbehave: F) -> Server
where
    F: Fn(&mut TcpStream) -> io::Result<()> + Send + Sync + 'static,
{
    Server::tcp(move |stream, _| {
        let mut requests = Requests::of(stream);
        if requests.next()?.is_some() {
            requests.link.write_all(&answer(200, TRUE))?;
        }
        if requests.next()?.is_some() {
            misbehave(&mut requests.link)?;
        }
        Ok(())
    })
}

/// Closes so that the peer is sent a reset (SO_LINGER of 0).
pub fn reset(stream: &mut TcpStream) -> io::Result<()> {
    SockRef::from(&*stream).set_linger(Some(Duration::ZERO))?;
    Err(io::ErrorKind::ConnectionAborted.into())
}

/// Says nothing until the peer has gone.
pub fn stay_silent(stream: &mut TcpStream) -> io::Result<()> {
    io::copy(stream, &mut io::sink()).map(|_| ())
}

/// Writes the same piece again and again until the peer has gone, at a bounded pace.
pub fn write_for_ever(stream: &mut TcpStream, piece: &[u8]) -> io::Result<()> {
    loop {
        stream.write_all(piece)?;
        thread::sleep(Duration::from_micros(200));
    }
}

/// Writes byte by byte, each in a segment of its own.
pub fn drip(stream: &mut TcpStream, bytes: &[u8], pause: Duration) -> io::Result<()> {
    for byte in bytes.chunks(1) {
        stream.write_all(byte)?;
        thread::sleep(pause);
    }
    Ok(())
}

/// Finishes sending, and waits until the peer has finished too: closing with unread
/// bytes would send a reset instead.
pub fn close(stream: &mut TcpStream) -> io::Result<()> {
    stream.shutdown(Shutdown::Write)?;
    let mut rest = [0; 1024];
    while stream.read(&mut rest)? > 0 {}
    Err(io::ErrorKind::ConnectionAborted.into())
}
