//! The socket at which clients connect.

use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use runfair_measuring::kernel::socket::stamp_arrivals;
use socket2::{Domain, Protocol, SockAddr, Socket, Type};

use super::place::{Place, PlaceError};

/// The number of connections that may wait to be accepted. The kernel may reduce it
/// (somaxconn).
const BACKLOG: i32 = 4096;

/// The reason why clients cannot connect.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// The text is not an address.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// Another process uses the address.
    #[error("{0} is in use; end the process that listens there, or give another port (port 0 takes any free port)")]
    InUse(Place),
    /// The kernel refuses for another reason.
    #[error("cannot listen at {place}: {reason}")]
    Refused {
        /// The address.
        place: Place,
        /// The system's message.
        reason: io::Error,
    },
}

/// A listening socket that never blocks. The file of a unix socket is removed with it.
#[derive(Debug)]
pub struct Listener {
    socket: Socket,
    place: Place,
    file: Option<PathBuf>,
}

impl Listener {
    /// Listens. The kernel stamps the bytes of clients as they arrive.
    ///
    /// # Errors
    /// [`ListenError`].
    pub fn open(place: &Place) -> Result<Self, ListenError> {
        let mut addresses = place.addresses()?;
        let address = addresses.swap_remove(0);
        let refused = |reason: io::Error| match reason.kind() {
            io::ErrorKind::AddrInUse => ListenError::InUse(place.clone()),
            _ => ListenError::Refused {
                place: place.clone(),
                reason,
            },
        };
        if let Place::Unix(path) = place {
            remove_if_abandoned(path, &address).map_err(refused)?;
        }
        let socket = listening(&address).map_err(refused)?;
        let bound = socket.local_addr().map_err(refused)?;
        Ok(Self {
            socket,
            place: bound.as_socket().map_or_else(|| place.clone(), Place::from),
            file: match place {
                Place::Unix(path) => Some(path.clone()),
                Place::Tcp { .. } => None,
            },
        })
    }

    /// The address at which the socket listens.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// The descriptor, which is used to watch the socket.
    pub fn descriptor(&self) -> RawFd {
        self.socket.as_raw_fd()
    }

    /// Accepts the next client. The client's socket never blocks, and sends without waiting
    /// for more bytes.
    ///
    /// # Errors
    /// `WouldBlock` if no client waits, or an error if descriptors or memory are
    /// exhausted.
    pub fn accept(&self) -> io::Result<Socket> {
        let (socket, _) = self.socket.accept()?;
        socket.set_nonblocking(true)?;
        if self.file.is_none() {
            socket.set_tcp_nodelay(true)?;
        }
        Ok(socket)
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Some(file) = &self.file {
            // An error means that the file is gone already.
            let _ = std::fs::remove_file(file);
        }
    }
}

fn listening(address: &SockAddr) -> io::Result<Socket> {
    let unix = address.domain() == Domain::UNIX;
    let protocol = (!unix).then_some(Protocol::TCP);
    let socket = Socket::new(address.domain(), Type::STREAM.nonblocking(), protocol)?;
    if !unix {
        // Lets a restarted relay use the address while old connections are in TIME_WAIT.
        socket.set_reuse_address(true)?;
        // Accepted sockets inherit this option.
        stamp_arrivals(&socket)?;
    }
    socket.bind(address)?;
    socket.listen(BACKLOG)?;
    Ok(socket)
}

/// Removes the file of a unix socket if its listener was killed and the file remained.
fn remove_if_abandoned(path: &Path, address: &SockAddr) -> io::Result<()> {
    let socket = std::fs::symlink_metadata(path).is_ok_and(|file| file.file_type().is_socket());
    if !socket {
        return Ok(());
    }
    let probe = Socket::new(Domain::UNIX, Type::STREAM.nonblocking(), None)?;
    match probe.connect(address) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            std::fs::remove_file(path)
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_has_one_listener() {
        let any = Place::parse("127.0.0.1:0").unwrap();
        let first = Listener::open(&any).unwrap();
        let error = Listener::open(first.place()).unwrap_err();
        assert!(error.to_string().contains("is in use"), "{error}");
        let empty = first.accept().unwrap_err();
        assert_eq!(empty.kind(), io::ErrorKind::WouldBlock);
    }

    #[test]
    fn the_file_of_a_killed_listener_is_in_nobodys_way() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let place = Place::Unix(path.clone());
        let first = Listener::open(&place).unwrap();
        assert!(matches!(Listener::open(&place), Err(ListenError::InUse(_))));
        drop(first);
        assert!(!path.exists());
        drop(std::os::unix::net::UnixListener::bind(&path).unwrap()); // the file remains
        assert!(path.exists());
        Listener::open(&place).unwrap();
        std::fs::write(&path, "somebody's").unwrap();
        assert!(Listener::open(&place).is_err());
        assert!(path.exists());
    }
}
