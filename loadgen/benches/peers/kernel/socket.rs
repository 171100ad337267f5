//! What the standard library cannot ask of a socket: arrival stamps and a deep backlog.

use std::io;
use std::mem::{size_of, MaybeUninit};
use std::os::fd::AsRawFd;

/// Room for a control message with a time stamp; words, because the kernel aligns to words.
type Control = [u64; 8];

/// Asks the kernel to stamp what arrives (`SO_TIMESTAMPNS`, socket(7)); accepted sockets inherit it.
pub fn record_arrival_stamps(socket: &impl AsRawFd) -> io::Result<()> {
    let on: libc::c_int = 1;
    // SAFETY: `on` is a c_int and outlives the call.
    let failed = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_TIMESTAMPNS,
            (&raw const on).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        )
    } < 0;
    if failed {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Lets many connections wait to be accepted: the standard library's 128 would drop some of 10,000.
pub fn widen_backlog(listener: &impl AsRawFd, waiting: u16) -> io::Result<()> {
    // SAFETY: takes no pointer; listen(2) may be called again on a listening socket.
    if unsafe { libc::listen(listener.as_raw_fd(), i32::from(waiting)) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Reads what has come: the bytes, and the realtime nanoseconds at which the last of them arrived.
#[inline]
pub fn receive_stamped(
    socket: &impl AsRawFd,
    buffer: &mut [u8],
) -> io::Result<(usize, Option<u64>)> {
    let mut piece = libc::iovec {
        iov_base: buffer.as_mut_ptr().cast(),
        iov_len: buffer.len(),
    };
    let mut control = MaybeUninit::<Control>::uninit();
    // SAFETY: all zeroes is a valid msghdr; every pointer put into it outlives the call. The kernel
    // fills `msg_controllen` bytes of `control`, and the CMSG macros stay within them.
    unsafe {
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &mut piece;
        message.msg_iovlen = 1;
        message.msg_control = control.as_mut_ptr().cast();
        message.msg_controllen = size_of::<Control>();
        let bytes = libc::recvmsg(socket.as_raw_fd(), &mut message, 0);
        if bytes < 0 {
            return Err(io::Error::last_os_error());
        }
        let mut stamp_ns = None;
        let mut header = libc::CMSG_FIRSTHDR(&message);
        while !header.is_null() {
            if (*header).cmsg_level == libc::SOL_SOCKET
                && (*header).cmsg_type == libc::SCM_TIMESTAMPNS
            {
                let stamp: libc::timespec =
                    std::ptr::read_unaligned(libc::CMSG_DATA(header).cast());
                stamp_ns = Some(stamp.tv_sec as u64 * 1_000_000_000 + stamp.tv_nsec as u64);
            }
            header = libc::CMSG_NXTHDR(&message, header);
        }
        Ok((bytes as usize, stamp_ns))
    }
}
