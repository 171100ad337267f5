//! Stream sockets that never block, and the kernel's time stamps of received segments.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::RawFd;

use nix::sys::socket::{self, setsockopt, sockopt, MsgFlags};
use socket2::{Domain, Protocol, SockAddr, Socket, Type};

/// Begins a connection, perhaps from a given address of this machine. Returns the socket, and
/// `true` if it is already established.
///
/// # Errors
/// A refusal that the kernel knows of at once, or no descriptor or port left; or the machine has
/// no such address.
pub fn connect(
    source: Option<&SockAddr>,
    address: &SockAddr,
    stamped: bool,
) -> io::Result<(Socket, bool)> {
    let unix = address.domain() == Domain::UNIX;
    let protocol = if unix { None } else { Some(Protocol::TCP) };
    let socket = Socket::new(address.domain(), Type::STREAM.nonblocking(), protocol)?;
    if !unix {
        socket.set_tcp_nodelay(true)?;
        if stamped {
            stamp_arrivals(&socket)?;
        }
    }
    if let Some(source) = source {
        // The kernel then chooses the port when the socket connects, so that a port can be used
        // for several peers.
        setsockopt(&socket, sockopt::IpBindAddressNoPort, &true)?;
        socket.bind(source)?;
    }
    match socket.connect(address) {
        Ok(()) => Ok((socket, true)),
        Err(error) if error.raw_os_error() == Some(libc::EINPROGRESS) => {
            // Over loopback the handshake is over before connect returns.
            let established = socket.peer_addr().is_ok();
            Ok((socket, established))
        }
        Err(error) => Err(error),
    }
}

/// The state of an attempt to connect; `true` if the connection is established.
///
/// # Errors
/// Why it failed.
pub fn established(socket: &Socket) -> io::Result<bool> {
    match socket.take_error()? {
        Some(error) => Err(error),
        None => Ok(socket.peer_addr().is_ok()),
    }
}

/// Whether connecting failed because this machine lacks a descriptor, a port or memory, so
/// that the server is not the cause (connect(2), socket(2), epoll_ctl(2)).
pub fn is_shortage(error: &io::Error) -> bool {
    matches!(
        error.raw_os_error(),
        Some(
            libc::EADDRNOTAVAIL
                | libc::EADDRINUSE
                | libc::EAGAIN
                | libc::EMFILE
                | libc::ENFILE
                | libc::ENOBUFS
                | libc::ENOMEM
                | libc::ENOSPC
        )
    )
}

/// A socket that makes the kernel stamp arrivals as long as the socket lives. The kernel
/// stamps only while some socket requests it, and begins in the background. Without this
/// socket, a single connection that is opened again would have no stamps at first.
///
/// # Errors
/// No descriptor left.
pub fn keep_stamping() -> io::Result<Socket> {
    let socket = Socket::new(Domain::IPV4, Type::DGRAM, Some(Protocol::UDP))?;
    stamp_arrivals(&socket)?;
    Ok(socket)
}

/// Makes the kernel stamp what arrives at a socket. A listener's connections inherit it.
///
/// # Errors
/// The kernel refuses.
pub fn stamp_arrivals(socket: &Socket) -> io::Result<()> {
    Ok(setsockopt(socket, sockopt::ReceiveTimestampns, &true)?)
}

/// Sends as many bytes as possible without waiting.
///
/// # Errors
/// `WouldBlock` when the socket's buffer is full; reset or broken pipe when the peer is gone.
#[inline]
pub fn send(descriptor: RawFd, bytes: &[u8]) -> io::Result<usize> {
    let flags = MsgFlags::MSG_NOSIGNAL.union(MsgFlags::MSG_DONTWAIT);
    Ok(socket::send(descriptor, bytes, flags)?)
}

/// Reads the bytes that have come. 0 stands for the end of the stream.
///
/// # Errors
/// `WouldBlock` when nothing has come; reset when the peer is gone.
#[inline]
pub fn receive(descriptor: RawFd, into: &mut [u8]) -> io::Result<usize> {
    Ok(socket::recv(descriptor, into, MsgFlags::MSG_DONTWAIT)?)
}

/// A buffer for the control message with one time stamp, aligned as the kernel requires.
#[repr(C, align(8))]
struct Control([u8; 64]);

/// Reads the bytes that have come. Returns also the realtime instant (ns) at which their
/// last segment reached the host, if the socket stamps arrivals.
///
/// # Errors
/// As [`receive`].
#[inline]
pub fn receive_stamped(descriptor: RawFd, into: &mut [u8]) -> io::Result<(usize, Option<u64>)> {
    let mut control = MaybeUninit::<Control>::uninit();
    let mut vector = libc::iovec {
        iov_base: into.as_mut_ptr().cast(),
        iov_len: into.len(),
    };
    // SAFETY: all zero is a valid msghdr (null pointers, zero lengths).
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_iov = &raw mut vector;
    message.msg_iovlen = 1;
    message.msg_control = control.as_mut_ptr().cast();
    message.msg_controllen = size_of::<Control>() as _;
    // SAFETY: every pointer of `message` lives for the call, with its true length.
    let received = unsafe { libc::recvmsg(descriptor, &raw mut message, libc::MSG_DONTWAIT) };
    if received < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel set msg_controllen to what it wrote; the headers within are its own.
    let header = unsafe { libc::CMSG_FIRSTHDR(&raw const message).as_ref() };
    let stamp = header
        .filter(|header| {
            header.cmsg_level == libc::SOL_SOCKET && header.cmsg_type == libc::SO_TIMESTAMPNS
        })
        .map(|header| {
            // SAFETY: a message of this type holds one timespec, not necessarily aligned.
            let time: libc::timespec =
                unsafe { std::ptr::read_unaligned(libc::CMSG_DATA(header).cast()) };
            time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
        });
    Ok((received as usize, stamp))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::net::TcpListener;
    use std::os::fd::AsRawFd;

    #[test]
    fn a_received_segment_carries_the_kernels_stamp() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = SockAddr::from(listener.local_addr().unwrap());
        let (socket, _) = connect(None, &address, true).unwrap();
        let (mut peer, _) = listener.accept().unwrap();
        let mut buffer = [0; 16];
        // The kernel turns stamps on in the background: the first segments may have none.
        let stamped = (0..100).find_map(|_| {
            let before = super::super::clock::realtime_ns();
            peer.write_all(b"hello").unwrap();
            let after = super::super::clock::realtime_ns();
            std::thread::sleep(std::time::Duration::from_millis(20));
            let (count, stamp) = receive_stamped(socket.as_raw_fd(), &mut buffer).unwrap();
            assert_eq!(&buffer[..count], b"hello");
            stamp.map(|stamp| (before, stamp, after))
        });
        let (before, stamp, after) = stamped.unwrap();
        // Read 20 ms later, stamped when it came.
        assert!(stamp >= before && stamp <= after + 10_000_000);
        let error = receive(socket.as_raw_fd(), &mut buffer).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
        drop(peer);
        assert_eq!(receive(socket.as_raw_fd(), &mut buffer).unwrap(), 0);
    }

    #[test]
    fn what_this_machine_lacks_is_no_refusal() {
        for code in [libc::EMFILE, libc::EADDRNOTAVAIL, libc::ENOBUFS] {
            assert!(is_shortage(&io::Error::from_raw_os_error(code)), "{code}");
        }
        for code in [libc::ECONNREFUSED, libc::ETIMEDOUT, libc::EHOSTUNREACH] {
            assert!(!is_shortage(&io::Error::from_raw_os_error(code)), "{code}");
        }
    }

    #[test]
    fn a_port_where_nobody_listens_refuses() {
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = SockAddr::from(free.local_addr().unwrap());
        drop(free);
        let refused = match connect(None, &address, false) {
            Err(error) => error,
            Ok((socket, established)) => {
                assert!(!established);
                socket.take_error().unwrap().unwrap()
            }
        };
        assert_eq!(refused.kind(), io::ErrorKind::ConnectionRefused);
    }
}
