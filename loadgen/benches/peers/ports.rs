//! Waiting until local ports are free again.
//!
//! A tool that binds its sockets before it connects (vegeta does) leaves ports in TIME_WAIT that
//! no other connection may use for 60 s; one that opens tens of thousands takes them all, and the
//! next tool would fail through no fault of its own.

use std::io;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::failure::{Doing, Failure};

/// TIME_WAIT lasts 60 s on Linux (TCP_TIMEWAIT_LEN); a little longer than that.
const PATIENCE: Duration = Duration::from_secs(75);
const PAUSE: Duration = Duration::from_secs(1);

/// Returns once so many connections can be open at the same time.
///
/// # Errors
/// They cannot even after [`PATIENCE`].
pub fn await_free(connections: u64) -> Result<(), Failure> {
    let doing = || format!("open {connections} connections at once");
    let begin = Instant::now();
    loop {
        match try_open(connections) {
            Ok(()) => return Ok(()),
            Err(error)
                if error.kind() == io::ErrorKind::AddrNotAvailable
                    && begin.elapsed() < PATIENCE =>
            {
                sleep(PAUSE);
            }
            Err(error) => return Err(error).doing(doing),
        }
    }
}

fn try_open(connections: u64) -> io::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let address = listener.local_addr()?;
    let mut open = Vec::new();
    for _ in 0..connections {
        open.push(TcpStream::connect(address)?);
        // The far end may go at once: the near one keeps its port.
        drop(listener.accept()?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_ports_are_found_free() {
        assert!(await_free(20).is_ok());
    }
}
