//! An epoll set with room for its own events.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use super::clock::timespec;

/// Events taken from the kernel at once.
const EVENTS: usize = 1024;

/// How long to wait for events.
#[derive(Clone, Copy)]
pub enum Wait {
    /// Not at all.
    Poll,
    /// Until something happens.
    Forever,
    /// At most so many nanoseconds (`epoll_pwait2`, Linux 5.11).
    AtMostNs(u64),
    /// At most so many milliseconds.
    AtMostMs(u16),
}

/// Level-triggered readiness to read of many descriptors.
pub struct Epoll {
    descriptor: OwnedFd,
    events: Vec<libc::epoll_event>,
}

impl Epoll {
    /// An empty set.
    pub fn new() -> io::Result<Self> {
        // SAFETY: takes no pointer; the descriptor returned is owned by nobody else.
        let descriptor = unsafe {
            let raw = libc::epoll_create1(libc::EPOLL_CLOEXEC);
            if raw < 0 {
                return Err(io::Error::last_os_error());
            }
            OwnedFd::from_raw_fd(raw)
        };
        Ok(Self {
            descriptor,
            events: vec![libc::epoll_event { events: 0, u64: 0 }; EVENTS],
        })
    }

    /// Watches a descriptor; its events carry `token`.
    pub fn watch(&self, watched: &impl AsRawFd, token: u64) -> io::Result<()> {
        let mut event = libc::epoll_event {
            events: libc::EPOLLIN as u32,
            u64: token,
        };
        // SAFETY: both descriptors are open and `event` outlives the call.
        let failed = unsafe {
            libc::epoll_ctl(
                self.descriptor.as_raw_fd(),
                libc::EPOLL_CTL_ADD,
                watched.as_raw_fd(),
                &mut event,
            )
        } < 0;
        if failed {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }

    /// The number of events that are ready, 0 after a time-out or a signal.
    #[inline]
    pub fn wait(&mut self, wait: Wait) -> io::Result<usize> {
        let descriptor = self.descriptor.as_raw_fd();
        let events = self.events.as_mut_ptr();
        // SAFETY: `events` has room for EVENTS entries; `limit` outlives the call.
        let ready = unsafe {
            match wait {
                Wait::Poll => libc::epoll_wait(descriptor, events, EVENTS as i32, 0),
                Wait::Forever => libc::epoll_wait(descriptor, events, EVENTS as i32, -1),
                Wait::AtMostMs(ms) => {
                    libc::epoll_wait(descriptor, events, EVENTS as i32, i32::from(ms))
                }
                Wait::AtMostNs(limit_ns) => {
                    let limit = timespec(limit_ns);
                    libc::syscall(
                        libc::SYS_epoll_pwait2,
                        descriptor,
                        events,
                        EVENTS as i32,
                        &limit,
                        std::ptr::null::<libc::sigset_t>(),
                        0usize,
                    ) as i32
                }
            }
        };
        if ready >= 0 {
            return Ok(ready as usize);
        }
        match io::Error::last_os_error() {
            error if error.kind() == io::ErrorKind::Interrupted => Ok(0),
            error => Err(error),
        }
    }

    /// The token of the `index`-th event of the last wait.
    #[inline]
    pub fn token(&self, index: usize) -> u64 {
        self.events[index].u64
    }
}
