//! SIGTERM, which one thread waits for.

use std::io;
use std::mem::MaybeUninit;
use std::ptr;

pub struct Termination(libc::sigset_t);

impl Termination {
    /// Blocks it in this thread and those that it starts, so that it comes to `wait` alone.
    pub fn block() -> io::Result<Self> {
        let mut signals = MaybeUninit::uninit();
        // SAFETY: sigemptyset initialises the set, the others are given what it initialised.
        let (signals, error) = unsafe {
            libc::sigemptyset(signals.as_mut_ptr());
            libc::sigaddset(signals.as_mut_ptr(), libc::SIGTERM);
            let signals = signals.assume_init();
            (signals, libc::pthread_sigmask(libc::SIG_BLOCK, &signals, ptr::null_mut()))
        };
        match error {
            0 => Ok(Self(signals)),
            _ => Err(io::Error::from_raw_os_error(error)),
        }
    }

    pub fn wait(&self) -> io::Result<()> {
        let mut signal = 0;
        // SAFETY: both point to what lives here.
        match unsafe { libc::sigwait(&self.0, &mut signal) } {
            0 => Ok(()),
            error => Err(io::Error::from_raw_os_error(error)),
        }
    }
}
