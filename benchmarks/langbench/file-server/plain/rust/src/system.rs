//! What the standard library lacks.

use std::mem::MaybeUninit;
use std::net::TcpListener;
use std::os::fd::AsRawFd;
use std::ptr;

const BACKLOG: libc::c_int = 4096; // Linux's own limit (net.core.somaxconn)

/// Keeps SIGTERM from ending the process. Threads that start later inherit this.
pub fn block_termination() -> libc::sigset_t {
    let mut signals = MaybeUninit::uninit();
    // SAFETY: the first call initialises the set.
    unsafe {
        libc::sigemptyset(signals.as_mut_ptr());
        libc::sigaddset(signals.as_mut_ptr(), libc::SIGTERM);
        libc::pthread_sigmask(libc::SIG_BLOCK, signals.as_ptr(), ptr::null_mut());
        signals.assume_init()
    }
}

pub fn wait_for(signals: &libc::sigset_t) {
    let mut signal = 0;
    // SAFETY: both are valid for the call.
    unsafe { libc::sigwait(signals, &mut signal) };
}

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

pub fn lengthen_backlog(listener: &TcpListener) {
    // SAFETY: the descriptor is open.
    unsafe { libc::listen(listener.as_raw_fd(), BACKLOG) };
}

/// Ends the wait in `accept`.
pub fn shut_down(listener: &TcpListener) {
    // SAFETY: the descriptor is open.
    unsafe { libc::shutdown(listener.as_raw_fd(), libc::SHUT_RDWR) };
}
