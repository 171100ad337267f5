//! The early end of a run. After the first Ctrl-C (or SIGTERM) the run ends and writes its
//! files. The second ends the process.

use std::sync::atomic::{AtomicBool, Ordering};

use nix::sys::signal::{sigaction, SaFlags, SigAction, SigHandler, SigSet, Signal};

static ASKED: AtomicBool = AtomicBool::new(false);

extern "C" fn note(_signal: libc::c_int) {
    ASKED.store(true, Ordering::Relaxed);
}

/// Catches the first SIGINT and the first SIGTERM.
pub fn catch() {
    let handler = SigHandler::Handler(note);
    let action = SigAction::new(handler, SaFlags::SA_RESETHAND, SigSet::empty());
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        // SAFETY: the handler only stores to an atomic. The kernel refuses no such signal.
        let _ = unsafe { sigaction(signal, &action) };
    }
}

/// Whether a signal requested the end of the run.
#[inline]
pub fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}
