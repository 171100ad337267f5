//! Readiness of many descriptors, edge-triggered, with a time-out in nanoseconds.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::time::Duration;

use nix::sys::epoll::{self, EpollCreateFlags, EpollEvent, EpollFlags};
use nix::sys::time::TimeSpec;

/// The events for which a descriptor is watched. The set is edge-triggered and has all
/// events that a connection needs in any state, so it is never modified.
const WATCHED: EpollFlags = EpollFlags::EPOLLIN
    .union(EpollFlags::EPOLLOUT)
    .union(EpollFlags::EPOLLRDHUP)
    .union(EpollFlags::EPOLLET);

/// A descriptor whose peer has finished, or that is broken.
const ENDING: EpollFlags = EpollFlags::EPOLLRDHUP
    .union(EpollFlags::EPOLLHUP)
    .union(EpollFlags::EPOLLERR);

/// One descriptor's readiness.
#[derive(Clone, Copy, Debug)]
pub struct Ready {
    /// The token with which the descriptor was registered.
    pub token: u64,
    flags: EpollFlags,
}

impl Ready {
    /// There are bytes to read, the end of the stream, or an error.
    #[inline]
    pub fn readable(self) -> bool {
        self.flags.intersects(EpollFlags::EPOLLIN.union(ENDING))
    }

    /// The peer has finished sending, or the connection is broken.
    #[inline]
    pub fn ending(self) -> bool {
        self.flags.intersects(ENDING)
    }

    /// There is room to write.
    #[inline]
    pub fn writable(self) -> bool {
        self.flags.contains(EpollFlags::EPOLLOUT)
    }
}

/// An epoll instance and the buffer that its events come in.
pub struct Epoll {
    set: epoll::Epoll,
    events: Vec<EpollEvent>,
    ready: usize,
}

/// The greatest number of events that one call returns.
const BATCH: usize = 512;

impl Epoll {
    /// # Errors
    /// What the kernel refuses: no descriptor left.
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            set: epoll::Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?,
            events: vec![EpollEvent::empty(); BATCH],
            ready: 0,
        })
    }

    /// Watches a descriptor until it is closed.
    ///
    /// # Errors
    /// What the kernel refuses: no memory, or a descriptor that cannot be watched.
    pub fn watch(&self, descriptor: RawFd, token: u64) -> io::Result<()> {
        // SAFETY: the caller has the descriptor open during the call; were it not, the kernel
        // would refuse.
        let descriptor = unsafe { BorrowedFd::borrow_raw(descriptor) };
        Ok(self.set.add(descriptor, EpollEvent::new(WATCHED, token))?)
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
                self.set.0.as_raw_fd(),
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
            token: event.data(),
            flags: event.events(),
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
