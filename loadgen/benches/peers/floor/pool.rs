//! The connections of a floor, and its one fixed request.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::net::{Ipv4Addr, TcpStream};

use crate::kernel::Epoll;

/// The request of every floor.
pub const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n";

/// A connection and the instants of the request under way on it.
pub struct Member {
    /// The connection.
    pub stream: TcpStream,
    /// When its request was meant to go, monotonic nanoseconds.
    pub intended_ns: u64,
    /// When it went, monotonic nanoseconds.
    pub sent_ns: u64,
}

/// Open connections, watched, and which of them are free, the longest free first.
pub struct Pool {
    /// All of them; the index is the token in the epoll set.
    pub members: Vec<Member>,
    /// Indices of those without a request under way.
    pub free: VecDeque<usize>,
}

impl Pool {
    /// Connects to the server.
    pub fn connect(port: u16, connections: usize, epoll: &Epoll) -> io::Result<Self> {
        let members = (0..connections)
            .map(|index| {
                let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
                stream.set_nodelay(true)?;
                stream.set_nonblocking(true)?;
                epoll.watch(&stream, index as u64)?;
                Ok(Member {
                    stream,
                    intended_ns: 0,
                    sent_ns: 0,
                })
            })
            .collect::<io::Result<Vec<_>>>()?;
        Ok(Self {
            free: (0..connections).collect(),
            members,
        })
    }

    /// Sends the request on the connection that is free longest; false when none is.
    #[inline]
    pub fn send(&mut self, intended_ns: u64, now_ns: u64) -> io::Result<bool> {
        let Some(index) = self.free.pop_front() else {
            return Ok(false);
        };
        let member = &mut self.members[index];
        member.intended_ns = intended_ns;
        member.sent_ns = now_ns;
        send_all(&mut member.stream, REQUEST)?;
        Ok(true)
    }
}

/// Writes all or fails: a request of some bytes always fits into an idle socket.
#[inline]
pub fn send_all(stream: &mut TcpStream, bytes: &[u8]) -> io::Result<()> {
    match stream.write(bytes)? {
        written if written == bytes.len() => Ok(()),
        _ => Err(io::ErrorKind::WriteZero.into()),
    }
}

/// The bytes that came, or none when there was nothing to read after all.
///
/// # Errors
/// The server closed the connection, or reading failed.
#[inline]
pub fn came<T>(read: io::Result<T>, bytes: impl FnOnce(&T) -> usize) -> io::Result<Option<T>> {
    match read {
        Ok(read) if bytes(&read) == 0 => Err(io::ErrorKind::UnexpectedEof.into()),
        Ok(read) => Ok(Some(read)),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
        Err(error) => Err(error),
    }
}
