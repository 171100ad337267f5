//! Ending early: the first Ctrl-C (or SIGTERM) asks the run to end and write
//! everything; the second ends the process.

use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

extern "C" fn note(_signal: libc::c_int) {
    ASKED.store(true, Ordering::Relaxed);
}

/// Catches SIGINT and SIGTERM once each.
pub fn catch() {
    for signal in [libc::SIGINT, libc::SIGTERM] {
        // SAFETY: all zero is a valid sigaction; the handler only stores to an atomic.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        action.sa_sigaction = note as extern "C" fn(libc::c_int) as usize;
        action.sa_flags = libc::SA_RESETHAND;
        // SAFETY: `action` outlives the call.
        unsafe { libc::sigaction(signal, &raw const action, std::ptr::null_mut()) };
    }
}

/// Whether the run was asked to end.
#[inline]
pub fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}
