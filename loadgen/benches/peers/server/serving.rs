//! The server itself: one thread, one epoll set, one fixed answer.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::head_end::HeadEnd;
use super::log::{self, Arrival, Log};
use crate::kernel::{self, Epoll, Wait};

/// The answer to every request. `Connection: keep-alive` is there for ab, which speaks HTTP/1.0
/// and would otherwise wait for the connection to close.
pub const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Type: text/plain\r\nContent-Length: 13\r\n\r\nHello, World!";

/// Answers written by one call at most.
const ANSWERS_AT_ONCE: usize = 512;
/// Connections that may wait to be accepted (the kernel's default cap, net.core.somaxconn).
const BACKLOG: u16 = 4096;
const BUFFER_BYTES: usize = 65_536;
const LISTENER: u64 = u64::MAX;
const LEASH: u64 = u64::MAX - 1;

/// How to serve.
#[derive(clap::Args, Debug)]
pub struct ServerOptions {
    /// The processor to stay on.
    #[arg(long)]
    pub processor: usize,
    /// Where to write the log of arrivals; without it nothing is stamped or logged.
    #[arg(long, requires = "capacity")]
    pub log: Option<PathBuf>,
    /// How many requests the log has room for.
    #[arg(long, default_value_t = 0)]
    pub capacity: usize,
}

/// Where a server listens: its first line of output, as JSON.
#[derive(Debug, Deserialize, Serialize)]
pub struct Listening {
    /// The TCP port on 127.0.0.1.
    pub port: u16,
}

/// What a server did: its last line of output, as JSON.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Served {
    /// Requests answered.
    pub requests: u64,
    /// Connections accepted in all.
    pub connections: u64,
    /// The most connections open at once.
    pub most_connections: u64,
    /// Requests that came without a stamp of the kernel; their reading was stamped instead.
    pub unstamped: u64,
    /// Requests for which the log had no room.
    pub unlogged: u64,
    /// Connections closed because the client did not read its answers.
    pub overrun: u64,
    /// How far the realtime clock moved against the monotonic one while serving, nanoseconds.
    pub clock_step_ns: i64,
}

/// The role `server`: serves until standard input ends, then writes the log.
pub fn run(options: &ServerOptions) -> io::Result<()> {
    kernel::end_with_parent()?;
    kernel::pin(options.processor)?;
    kernel::raise_descriptor_limit()?;
    let server = Server::bind(options.log.as_ref().map(|_| options.capacity))?;
    report(&Listening {
        port: server.port()?,
    })?;
    let (served, entries) = server.serve(&io::stdin())?;
    if let Some(path) = &options.log {
        log::write(path, &entries)?;
    }
    report(&served)
}

fn report(line: &impl Serialize) -> io::Result<()> {
    let mut out = io::stdout();
    serde_json::to_writer(&mut out, line)?;
    out.write_all(b"\n")?;
    out.flush()
}

/// A listening server.
pub struct Server {
    listener: TcpListener,
    epoll: Epoll,
    /// By descriptor, as epoll gives it back.
    connections: Vec<Option<Connection>>,
    open: u64,
    log: Option<Log>,
    answers: Vec<u8>,
    served: Served,
}

struct Connection {
    stream: TcpStream,
    number: u64,
    head_end: HeadEnd,
}

enum After {
    KeepOpen,
    Close,
}

impl Server {
    /// Listens on a free port; with a log of `capacity` entries, or with neither log nor stamps.
    pub fn bind(log_capacity: Option<usize>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        kernel::widen_backlog(&listener, BACKLOG)?;
        if log_capacity.is_some() {
            kernel::record_arrival_stamps(&listener)?;
        }
        Ok(Self {
            listener,
            epoll: Epoll::new()?,
            connections: Vec::new(),
            open: 0,
            log: log_capacity.map(Log::with_capacity),
            answers: ANSWER.repeat(ANSWERS_AT_ONCE),
            served: Served::default(),
        })
    }

    /// The port it listens on.
    pub fn port(&self) -> io::Result<u16> {
        Ok(self.listener.local_addr()?.port())
    }

    /// Serves until the other end of the leash is closed.
    pub fn serve(mut self, leash: &impl AsRawFd) -> io::Result<(Served, Vec<Arrival>)> {
        let offset_ns = kernel::realtime_offset_ns();
        self.epoll.watch(&self.listener, LISTENER)?;
        self.epoll.watch(leash, LEASH)?;
        let mut buffer = vec![0; BUFFER_BYTES];
        'serving: loop {
            for index in 0..self.epoll.wait(Wait::Forever)? {
                match self.epoll.token(index) {
                    LEASH => break 'serving,
                    LISTENER => self.accept()?,
                    descriptor => {
                        if let After::Close = self.answer(descriptor as usize, &mut buffer) {
                            self.connections[descriptor as usize] = None;
                            self.open -= 1;
                        }
                    }
                }
            }
        }
        self.served.clock_step_ns = kernel::realtime_offset_ns() - offset_ns;
        let entries = match self.log {
            Some(log) => {
                self.served.unlogged = log.unlogged();
                log.into_entries(offset_ns)
            }
            None => Vec::new(),
        };
        Ok((self.served, entries))
    }

    fn accept(&mut self) -> io::Result<()> {
        loop {
            let stream = match self.listener.accept() {
                Ok((stream, _)) => stream,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => continue,
                Err(error) => return Err(error),
            };
            stream.set_nonblocking(true)?;
            stream.set_nodelay(true)?;
            let descriptor = stream.as_raw_fd() as usize;
            self.epoll.watch(&stream, descriptor as u64)?;
            if self.connections.len() <= descriptor {
                self.connections.resize_with(descriptor + 1, || None);
            }
            self.connections[descriptor] = Some(Connection {
                stream,
                number: self.served.connections,
                head_end: HeadEnd::default(),
            });
            self.served.connections += 1;
            self.open += 1;
            self.served.most_connections = self.served.most_connections.max(self.open);
        }
    }

    fn answer(&mut self, descriptor: usize, buffer: &mut [u8]) -> After {
        let Some(connection) = &mut self.connections[descriptor] else {
            return After::KeepOpen;
        };
        let read = match self.log {
            Some(_) => kernel::receive_stamped(&connection.stream, buffer),
            None => connection.stream.read(buffer).map(|bytes| (bytes, None)),
        };
        let (bytes, stamp_ns) = match read {
            Ok((0, _)) => return After::Close,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return After::KeepOpen,
            // A reset: the client has gone.
            Err(_) => return After::Close,
        };
        let requests = connection.head_end.count(&buffer[..bytes]);
        if requests == 0 {
            return After::KeepOpen;
        }
        let arrival_ns = match (&self.log, stamp_ns) {
            (Some(_), None) => {
                self.served.unstamped += requests as u64;
                kernel::realtime_ns()
            }
            (_, stamp_ns) => stamp_ns.unwrap_or_default(),
        };
        let mut left = requests;
        while left > 0 {
            let now = left.min(ANSWERS_AT_ONCE);
            let answers = &self.answers[..now * ANSWER.len()];
            match connection.stream.write(answers) {
                Ok(written) if written == answers.len() => {}
                Err(error) if error.kind() != io::ErrorKind::WouldBlock => {
                    // It has gone without waiting for its answers, as some do at their end.
                    return After::Close;
                }
                _ => {
                    self.served.overrun += 1;
                    return After::Close;
                }
            }
            left -= now;
        }
        self.served.requests += requests as u64;
        if let Some(log) = &mut self.log {
            let written_ns = kernel::monotonic_ns();
            for _ in 0..requests {
                log.push(Arrival {
                    arrival_ns,
                    written_ns,
                    connection: connection.number,
                });
            }
        }
        After::KeepOpen
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixStream;

    #[test]
    fn every_request_is_answered_and_logged_in_order_of_time() {
        let server = Server::bind(Some(100)).unwrap();
        let port = server.port().unwrap();
        let (leash, held) = UnixStream::pair().unwrap();
        let serving = std::thread::spawn(move || server.serve(&held).unwrap());
        let mut client = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
        // A request that is not recognised would be waited for without end.
        let patience = std::time::Duration::from_secs(20);
        client.set_read_timeout(Some(patience)).unwrap();
        let before_ns = kernel::monotonic_ns();
        for _ in 0..3 {
            client.write_all(b"GET / HTTP/1.1\r\n\r").unwrap();
            client.write_all(b"\nGET / HTTP/1.1\r\n\r\n").unwrap();
            let mut answers = vec![0; 2 * ANSWER.len()];
            client.read_exact(&mut answers).unwrap();
            assert_eq!(answers, ANSWER.repeat(2));
        }
        drop(leash);
        let (served, entries) = serving.join().unwrap();
        let after_ns = kernel::monotonic_ns();
        assert_eq!((served.requests, served.connections), (6, 1));
        assert_eq!((served.unlogged, served.overrun, entries.len()), (0, 0, 6));
        for entry in entries {
            assert!(before_ns <= entry.arrival_ns && entry.written_ns <= after_ns);
            assert!(entry.arrival_ns <= entry.written_ns);
        }
    }
}
