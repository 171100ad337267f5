//! The two clocks of a run, and a function that sleeps until an instant.
//!
//! The schedule uses CLOCK_MONOTONIC. The kernel stamps received segments by
//! CLOCK_REALTIME. NTP slews both clocks in the same way, so their difference changes only
//! if the wall clock is set.

use std::time::Duration;

use nix::sys::time::TimeSpec;
use nix::time::{clock_gettime, clock_nanosleep, ClockId, ClockNanosleepFlags};

/// Nanoseconds on CLOCK_MONOTONIC.
#[inline]
pub fn monotonic_ns() -> u64 {
    read(ClockId::CLOCK_MONOTONIC)
}

/// Nanoseconds since the epoch on CLOCK_REALTIME.
#[inline]
pub fn realtime_ns() -> u64 {
    read(ClockId::CLOCK_REALTIME)
}

#[inline]
pub(super) fn read(clock: ClockId) -> u64 {
    // These clocks exist on every Linux.
    let time = clock_gettime(clock).unwrap_or_else(|_| TimeSpec::new(0, 0));
    time.tv_sec() as u64 * 1_000_000_000 + time.tv_nsec() as u64
}

/// The number of readings of which the best offset is taken. A single reading between two
/// interrupts is enough.
const OFFSET_READINGS: usize = 8;

/// CLOCK_REALTIME minus CLOCK_MONOTONIC, in nanoseconds: Each reading lies between two
/// readings of the other clock, and the one with the narrowest bracket is used.
pub fn realtime_offset_ns() -> i64 {
    let mut narrowest = u64::MAX;
    let mut offset = 0;
    for _ in 0..OFFSET_READINGS {
        let before = monotonic_ns();
        let wall = realtime_ns();
        let after = monotonic_ns();
        if after - before < narrowest {
            narrowest = after - before;
            offset = wall as i64 - (before + (after - before) / 2) as i64;
        }
    }
    offset
}

/// Reads the clock until an instant of CLOCK_MONOTONIC (ns) has come.
#[inline]
pub fn spin_until(instant_ns: u64) {
    while monotonic_ns() < instant_ns {
        std::hint::spin_loop();
    }
}

/// Sleeps until an instant of CLOCK_MONOTONIC, in nanoseconds; returns early on a signal.
#[inline]
pub fn sleep_until(instant_ns: u64) {
    let until = TimeSpec::from_duration(Duration::from_nanos(instant_ns));
    let flags = ClockNanosleepFlags::TIMER_ABSTIME;
    let _ = clock_nanosleep(ClockId::CLOCK_MONOTONIC, flags, &until);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_of_one_clock_converts_to_the_other() {
        let offset = realtime_offset_ns();
        let before = monotonic_ns();
        let converted = (realtime_ns() as i64 - offset) as u64;
        let after = monotonic_ns();
        // Half a bracket of error on each side; a preempted reading only widens it.
        assert!(converted + 100_000 > before && converted < after + 100_000);
    }

    #[test]
    fn sleeping_ends_no_earlier_than_asked() {
        let until = monotonic_ns() + 2_000_000;
        sleep_until(until);
        assert!(monotonic_ns() >= until);
    }
}
