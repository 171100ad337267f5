//! A server that echoes bytes, and a client that measures round trips.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;

use runfair_measuring::kernel::clock;

/// The bytes of a question and of its answer. They are as many as in a short query.
const QUESTION_BYTES: usize = 64;

/// Starts a server for this number of connections. Each connection has its own thread, and
/// the server ends when all connections have ended.
///
/// # Errors
/// No port or no thread is available.
pub fn serve(connections: usize) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    thread::Builder::new().spawn(move || {
        for stream in listener.incoming().take(connections).flatten() {
            // If no thread can be started, the client reports that its connection is closed.
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
    /// Connects to the echo server.
    ///
    /// # Errors
    /// No process listens on the port.
    pub fn connect(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Self(stream))
    }

    /// Asks one question and returns the time until the answer, in ns.
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
