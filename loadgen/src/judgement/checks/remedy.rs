//! The remedies that make a generator more punctual, with the cheapest first.

use crate::judgement::evidence::Mode;

/// The advice for a generator that is late in this mode.
pub(super) fn punctuality(mode: Mode) -> &'static str {
    match mode {
        Mode::Economy => "use --mode default, which has exact timers instead of a tick of 1 ms",
        Mode::Default => {
            "use --mode precise, or give the generator a processor of its own (--cpus)"
        }
        Mode::Precise => {
            "give each generator thread a processor of its own (--cpus), or spread the rate over \
             more threads (--threads)"
        }
    }
}
