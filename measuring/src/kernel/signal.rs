//! The early end of a run. After the first Ctrl-C (or SIGTERM) the run ends and writes its
//! files. The second ends the process.

use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

extern "C" fn note(_signal: libc::c_int) {
    ASKED.store(true, Ordering::Relaxed);
}

/// Catches the first SIGINT and the first SIGTERM.
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

/// Whether a signal requested the end of the run.
#[inline]
pub fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}
