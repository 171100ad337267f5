//! One of the two sockets of a connection, and the state of reading from it.

use std::io;
use std::os::fd::{AsRawFd, RawFd};

use runfair_measuring::kernel::{clock, socket};
use runfair_measuring::stamps::StampClock;
use socket2::Socket;

/// The result of a read.
#[derive(Debug)]
pub enum Took {
    /// This many bytes, and the instant at which the last of them reached this host
    /// (CLOCK_MONOTONIC).
    Bytes(usize, u64),
    /// There are no bytes now.
    Nothing,
    /// The peer has finished sending.
    End,
    /// The connection is broken.
    Broken,
}

/// One socket of a connection.
#[derive(Debug)]
pub struct Side {
    socket: Socket,
    /// No more bytes will be read.
    pub ended: bool,
    /// The peer has finished or is gone; a read will report which.
    pub hangup: bool,
    /// Reading waits for room in the pipe.
    pub paused: bool,
    /// There may be more bytes to read, which the kernel will not report again.
    pub unread: bool,
    /// The last instant at which the socket was certainly empty. The next bytes arrived after
    /// it. A pause of reading moves this instant to the pause's end.
    empty_ns: u64,
}

impl Side {
    /// A side for a socket that never blocks.
    pub fn new(socket: Socket, now_ns: u64) -> Self {
        Self {
            socket,
            ended: false,
            hangup: false,
            paused: false,
            unread: false,
            empty_ns: now_ns,
        }
    }

    /// The descriptor, which is used to watch the socket and to send.
    pub fn descriptor(&self) -> RawFd {
        self.socket.as_raw_fd()
    }

    /// The socket itself.
    pub fn socket(&self) -> &Socket {
        &self.socket
    }

    /// Reads the bytes that have come. A time stamp is used only if it is possible: not
    /// before the socket was last empty, and not after the present (as after a step of the
    /// wall clock).
    pub fn read(&mut self, into: &mut [u8], stamps: StampClock) -> Took {
        let before_ns = clock::monotonic_ns();
        match socket::receive_stamped(self.descriptor(), into) {
            Ok((0, _)) => Took::End,
            Ok((count, stamp)) => {
                let now_ns = clock::monotonic_ns();
                let stamped_ns = stamp.map_or(now_ns, |stamp| stamps.monotonic_ns(stamp));
                let arrived_ns = stamped_ns.clamp(self.empty_ns.min(now_ns), now_ns);
                if count < into.len() {
                    self.empty_ns = before_ns;
                }
                Took::Bytes(count, arrived_ns)
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                self.empty_ns = before_ns;
                Took::Nothing
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {
                self.unread = true;
                Took::Nothing
            }
            Err(_) => Took::Broken,
        }
    }

    /// Continues reading after a pause.
    pub fn resume(&mut self, now_ns: u64) {
        self.paused = false;
        self.unread = true;
        self.empty_ns = now_ns;
    }

    /// The reason why the connection is broken, if it is. The kernel reports it only once.
    pub fn error(&self) -> Option<io::Error> {
        self.socket.take_error().unwrap_or_else(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::net::UnixStream;

    #[test]
    fn what_is_read_came_after_there_was_nothing() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        ours.set_nonblocking(true).unwrap();
        let mut side = Side::new(Socket::from(ours), 1);
        let (stamps, mut buffer) = (StampClock::now(), [0; 8]);
        assert!(matches!(side.read(&mut buffer, stamps), Took::Nothing));
        let before_ns = clock::monotonic_ns();
        theirs.write_all(b"ab").unwrap();
        let Took::Bytes(2, arrived_ns) = side.read(&mut buffer, stamps) else {
            panic!("two bytes were there");
        };
        assert!(arrived_ns >= before_ns && arrived_ns <= clock::monotonic_ns());
        drop(theirs);
        assert!(matches!(side.read(&mut buffer, stamps), Took::End));
        assert!(side.error().is_none());
    }
}
