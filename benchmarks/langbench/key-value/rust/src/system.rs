//! What the standard library has no words for.

use std::io;
use std::mem::MaybeUninit;
use std::net::TcpListener;
use std::os::fd::AsRawFd;
use std::ptr;

/// Linux's own limit (net.core.somaxconn).
const BACKLOG: libc::c_int = 4096;

/// SIGTERM, kept from ending the process.
pub struct Termination(libc::sigset_t);

impl Termination {
    /// To be called before threads start, which inherit it.
    pub fn blocked() -> Self {
        let mut signals = MaybeUninit::uninit();
        // SAFETY: the set is initialised by the first call.
        unsafe {
            libc::sigemptyset(signals.as_mut_ptr());
            libc::sigaddset(signals.as_mut_ptr(), libc::SIGTERM);
            libc::pthread_sigmask(libc::SIG_BLOCK, signals.as_ptr(), ptr::null_mut());
            Self(signals.assume_init())
        }
    }

    pub fn wait(&self) {
        let mut signal = 0;
        // SAFETY: both are valid for the call.
        unsafe { libc::sigwait(&self.0, &mut signal) };
    }
}

/// As many descriptors as the system lets the process have.
pub fn raise_file_limit() {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the limit is valid for both calls.
    unsafe {
        if libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) == 0 {
            limit.rlim_cur = limit.rlim_max;
            libc::setrlimit(libc::RLIMIT_NOFILE, &limit);
        }
    }
}

/// Lets more clients wait than `TcpListener::bind` does.
pub fn lengthen_backlog(listener: &TcpListener) -> io::Result<()> {
    // SAFETY: the descriptor is open.
    match unsafe { libc::listen(listener.as_raw_fd(), BACKLOG) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Nobody else is let in; whoever waits in `accept` gets an error.
pub fn shut_down(listener: &TcpListener) {
    // SAFETY: the descriptor is open.
    unsafe { libc::shutdown(listener.as_raw_fd(), libc::SHUT_RDWR) };
}

/// Whether `accept` failed because the listener is shut down.
pub fn is_shut_down(failure: &io::Error) -> bool {
    failure.raw_os_error() == Some(libc::EINVAL)
}
