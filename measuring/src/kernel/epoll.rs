//! Readiness of many descriptors, edge-triggered, with a time-out in nanoseconds.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::time::Duration;

use nix::sys::time::TimeSpec;

/// The events for which a descriptor is watched. The set is edge-triggered and has all
/// events that a connection needs in any state, so it is never modified.
const WATCHED: i32 = libc::EPOLLIN | libc::EPOLLOUT | libc::EPOLLRDHUP | libc::EPOLLET;

/// One descriptor's readiness.
#[derive(Clone, Copy, Debug)]
pub struct Ready {
    /// The token with which the descriptor was registered.
    pub token: u64,
    flags: u32,
}

impl Ready {
    /// There are bytes to read, the end of the stream, or an error.
    #[inline]
    pub fn readable(self) -> bool {
        self.flags & (libc::EPOLLIN | libc::EPOLLRDHUP | libc::EPOLLHUP | libc::EPOLLERR) as u32
            != 0
    }

    /// The peer has finished sending, or the connection is broken.
    #[inline]
    pub fn ending(self) -> bool {
        self.flags & (libc::EPOLLRDHUP | libc::EPOLLHUP | libc::EPOLLERR) as u32 != 0
    }

    /// There is room to write.
    #[inline]
    pub fn writable(self) -> bool {
        self.flags & libc::EPOLLOUT as u32 != 0
    }
}

/// An epoll instance and the buffer that its events come in.
pub struct Epoll {
    descriptor: OwnedFd,
    events: Vec<libc::epoll_event>,
    ready: usize,
}

/// The greatest number of events that one call returns.
const BATCH: usize = 512;

impl Epoll {
    /// # Errors
    /// What the kernel refuses: no descriptor left.
    pub fn new() -> io::Result<Self> {
        // SAFETY: no memory is passed; the result is checked before it is owned.
        let raw = unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) };
        if raw < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(Self {
            // SAFETY: a fresh descriptor that nobody else owns.
            descriptor: unsafe { OwnedFd::from_raw_fd(raw) },
            events: vec![libc::epoll_event { events: 0, u64: 0 }; BATCH],
            ready: 0,
        })
    }

    /// Watches a descriptor until it is closed.
    ///
    /// # Errors
    /// What the kernel refuses: no memory, or a descriptor that cannot be watched.
    pub fn watch(&self, descriptor: RawFd, token: u64) -> io::Result<()> {
        let mut event = libc::epoll_event {
            events: WATCHED as u32,
            u64: token,
        };
        // SAFETY: `event` outlives the call.
        let code = unsafe {
            libc::epoll_ctl(
                self.descriptor.as_raw_fd(),
                libc::EPOLL_CTL_ADD,
                descriptor,
                &mut event,
            )
        };
        if code < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }

    /// Waits for events, at most `timeout_ns` (0: not at all) for the first. A signal ends
    /// the wait. Returns the number of events; [`Self::event`] reads them.
    ///
    /// # Errors
    /// ENOSYS on a Linux before 5.11, which has no time-out in nanoseconds.
    #[inline]
    pub fn wait(&mut self, timeout_ns: u64) -> io::Result<usize> {
        let timeout = TimeSpec::from_duration(Duration::from_nanos(timeout_ns));
        // SAFETY: the events' buffer has BATCH entries; `timeout` outlives the call.
        let count = unsafe {
            libc::syscall(
                libc::SYS_epoll_pwait2,
                self.descriptor.as_raw_fd(),
                self.events.as_mut_ptr(),
                BATCH as libc::c_int,
                std::ptr::from_ref(timeout.as_ref()),
                std::ptr::null::<libc::sigset_t>(),
                0_usize,
            )
        };
        self.ready = if count >= 0 {
            count as usize
        } else {
            let error = io::Error::last_os_error();
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(error);
            }
            0
        };
        Ok(self.ready)
    }

    /// Whether the last call filled its buffer, so that more may be ready.
    #[inline]
    pub fn was_full(&self) -> bool {
        self.ready == BATCH
    }

    /// Event `number` of the last call.
    #[inline]
    pub fn event(&self, number: usize) -> Ready {
        let event = self.events[number];
        Ready {
            token: event.u64,
            flags: event.events,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::net::UnixStream;

    #[test]
    fn what_is_readable_is_told_once() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        ours.set_nonblocking(true).unwrap();
        let mut epoll = Epoll::new().unwrap();
        epoll.watch(ours.as_raw_fd(), 7).unwrap();
        assert_eq!(epoll.wait(0).unwrap(), 1); // writable from the start
        assert!(epoll.event(0).writable() && !epoll.event(0).readable());
        assert_eq!(epoll.wait(0).unwrap(), 0);
        theirs.write_all(b"x").unwrap();
        assert_eq!(epoll.wait(1_000_000_000).unwrap(), 1);
        assert_eq!(epoll.event(0).token, 7);
        assert!(epoll.event(0).readable() && !epoll.event(0).ending());
        assert_eq!(epoll.wait(0).unwrap(), 0);
        drop(theirs);
        assert_eq!(epoll.wait(1_000_000_000).unwrap(), 1);
        assert!(epoll.event(0).ending());
    }
}
