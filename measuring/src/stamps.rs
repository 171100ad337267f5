//! The kernel's time stamps of received segments, on the monotonic clock.

use crate::kernel::clock;

/// A change of the wall clock that is a step and not an error of reading, ns.
pub const STEP_NS: u64 = 20_000;

/// Converts the kernel's time stamps from CLOCK_REALTIME to CLOCK_MONOTONIC. NTP slews both clocks
/// in the same way, so their difference changes only if the wall clock is set.
#[derive(Clone, Copy, Debug)]
pub struct StampClock {
    offset_ns: i64,
}

impl StampClock {
    /// By the clocks as they are now.
    pub fn now() -> Self {
        Self {
            offset_ns: clock::realtime_offset_ns(),
        }
    }

    /// Looks whether the wall clock was set, and returns whether it was.
    pub fn refresh(&mut self) -> bool {
        let now = Self::now();
        let stepped = now.offset_ns.abs_diff(self.offset_ns) > STEP_NS;
        if stepped {
            *self = now;
        }
        stepped
    }

    /// The instant of a stamp on CLOCK_MONOTONIC.
    #[inline]
    pub fn monotonic_ns(self, stamp_ns: u64) -> u64 {
        u64::try_from(stamp_ns as i64 - self.offset_ns).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_is_converted_and_a_step_is_noticed_once() {
        let mut stamps = StampClock::now();
        let before_ns = clock::monotonic_ns();
        let stamp_ns = clock::realtime_ns();
        let after_ns = clock::monotonic_ns();
        let converted_ns = stamps.monotonic_ns(stamp_ns);
        assert!((before_ns - STEP_NS..after_ns + STEP_NS).contains(&converted_ns));
        stamps.offset_ns -= 1_000_000_000;
        assert!(stamps.refresh());
        assert!(stamps.monotonic_ns(stamp_ns).abs_diff(converted_ns) <= STEP_NS);
        assert_eq!(stamps.monotonic_ns(0), 0);
    }
}
