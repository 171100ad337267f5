//! A server that says what it hears, and a client that asks.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;

use runfair_load::kernel::clock;

/// Bytes of a question and of its answer: a short query's.
const QUESTION_BYTES: usize = 64;

/// Starts a server that echoes as many connections as are given, each on a thread of its own,
/// and ends with them.
///
/// # Errors
/// No port or thread left.
pub fn serve(connections: usize) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    thread::Builder::new().spawn(move || {
        for stream in listener.incoming().take(connections).flatten() {
            // A client that has no answer says so itself.
            let _ = thread::Builder::new().spawn(move || echo(stream));
        }
    })?;
    Ok(address)
}

fn echo(mut stream: TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut buffer = [0; QUESTION_BYTES];
    loop {
        let count = stream.read(&mut buffer)?;
        if count == 0 {
            return Ok(());
        }
        stream.write_all(&buffer[..count])?;
    }
}

/// A client with one connection.
#[derive(Debug)]
pub struct Client(TcpStream);

impl Client {
    /// Connects.
    ///
    /// # Errors
    /// Nobody listens.
    pub fn connect(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Self(stream))
    }

    /// Asks once; how long that took, ns.
    ///
    /// # Errors
    /// The connection is broken.
    pub fn ask(&mut self) -> io::Result<u64> {
        let mut buffer = [7; QUESTION_BYTES];
        let asked_ns = clock::monotonic_ns();
        self.0.write_all(&buffer)?;
        self.0.read_exact(&mut buffer)?;
        Ok(clock::monotonic_ns() - asked_ns)
    }
}
