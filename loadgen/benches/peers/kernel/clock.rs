//! The two clocks: monotonic (schedules) and realtime (the kernel's arrival stamps).

use std::mem::MaybeUninit;

/// How often the two clocks are read together; the tightest pair counts.
const OFFSET_READINGS: usize = 64;

/// `CLOCK_MONOTONIC`, in nanoseconds.
#[inline]
pub fn monotonic_ns() -> u64 {
    read(libc::CLOCK_MONOTONIC)
}

/// `CLOCK_REALTIME`, in nanoseconds: the clock of `SO_TIMESTAMPNS`.
#[inline]
pub fn realtime_ns() -> u64 {
    read(libc::CLOCK_REALTIME)
}

/// Realtime minus monotonic, in nanoseconds, from the closest of several joint readings.
pub fn realtime_offset_ns() -> i64 {
    let mut tightest_ns = u64::MAX;
    let mut offset_ns = 0;
    for _ in 0..OFFSET_READINGS {
        let before = monotonic_ns();
        let realtime = realtime_ns();
        let after = monotonic_ns();
        if after - before < tightest_ns {
            tightest_ns = after - before;
            offset_ns = realtime as i64 - (before + (after - before) / 2) as i64;
        }
    }
    offset_ns
}

/// Sleeps until `instant_ns` of the monotonic clock; returns early only on a signal.
pub fn sleep_until(instant_ns: u64) {
    let until = timespec(instant_ns);
    // SAFETY: `until` outlives the call; the remaining time is not asked for (null).
    unsafe {
        libc::clock_nanosleep(
            libc::CLOCK_MONOTONIC,
            libc::TIMER_ABSTIME,
            &until,
            std::ptr::null_mut(),
        );
    }
}

/// Nanoseconds as the kernel's pair of seconds and nanoseconds.
pub(super) fn timespec(duration_ns: u64) -> libc::timespec {
    libc::timespec {
        tv_sec: (duration_ns / 1_000_000_000) as libc::time_t,
        tv_nsec: (duration_ns % 1_000_000_000) as libc::c_long,
    }
}

#[inline]
fn read(clock: libc::clockid_t) -> u64 {
    let mut now = MaybeUninit::<libc::timespec>::uninit();
    // SAFETY: both clocks exist on every Linux, so the call cannot fail and fills `now`.
    let now = unsafe {
        libc::clock_gettime(clock, now.as_mut_ptr());
        now.assume_init()
    };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}
