//! The web tests without a database on may_minihttp: benchmarks/web/techempower/contract.md.

mod tests;

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::os::fd::{BorrowedFd, RawFd};
use std::process::ExitCode;
use std::thread::sleep;
use std::time::Duration;

use may_minihttp::HttpServiceFactory;
use runfair_harness::{cannot_be_listened_on, serve, Counts, Failure, Options};
use signal_hook::consts::SIGTERM;
use signal_hook::iterator::Signals;
use socket2::{Domain, SockRef, Socket, Type};

use crate::tests::Tests;

/// may_minihttp does not say which requests it still answers; each takes microseconds.
const LAST_ANSWERS: Duration = Duration::from_millis(200);

fn main() -> ExitCode {
    serve("techempower", "may-minihttp", run)
}

fn run(options: &Options, address: (&str, u16), ready: &dyn Fn(u16)) -> Result<Counts, Failure> {
    let mut signals = Signals::new([SIGTERM])?;
    may::config().set_workers(options.number("threads")? as usize);
    let cannot_be_listened_on = |error: io::Error| cannot_be_listened_on(address, &error);
    let reserved = reserve(address).map_err(cannot_be_listened_on)?;
    let socket_address = local_address(&reserved)?;
    let server = Connections.start(socket_address).map_err(cannot_be_listened_on)?;
    ready(socket_address.port());
    signals.forever().next();
    // SAFETY: the coroutine accepts connections, and holds nothing but its socket.
    unsafe { server.coroutine().cancel() };
    server.wait();
    sleep(LAST_ANSWERS);
    Ok(Vec::new())
}

struct Connections;

impl HttpServiceFactory for Connections {
    type Service = Tests;

    /// The service of a new connection. On Unix, the connection's number is its file descriptor.
    fn new_service(&self, number: usize) -> Tests {
        // SAFETY: may_minihttp holds the connection until this function has returned.
        let connection = unsafe { BorrowedFd::borrow_raw(number as RawFd) };
        // An error is that of a connection which the client has closed already.
        let _ = SockRef::from(&connection).set_tcp_nodelay(true);
        Tests
    }
}

/// A socket that holds a port. may_minihttp does not report which port the kernel chose, so this
/// program reserves a free port first.
fn reserve(address: (&str, u16)) -> io::Result<Socket> {
    let Some(address) = address.to_socket_addrs()?.next() else {
        return Err(io::ErrorKind::AddrNotAvailable.into());
    };
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    // Lets a second socket listen on the port, while this one does not.
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())?;
    Ok(socket)
}

fn local_address(socket: &Socket) -> io::Result<SocketAddr> {
    socket.local_addr()?.as_socket().ok_or_else(|| io::ErrorKind::AddrNotAvailable.into())
}
