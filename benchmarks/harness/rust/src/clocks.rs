//! The clocks of the process.

use std::io;

fn clock_ns(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place for the one value that is written.
    let status = unsafe { libc::clock_gettime(clock, &mut time) };
    assert_eq!(status, 0, "clock_gettime: {}", io::Error::last_os_error());
    nanoseconds(time.tv_sec, time.tv_nsec)
}

fn nanoseconds(seconds: i64, nanoseconds: i64) -> u64 {
    (seconds * 1_000_000_000 + nanoseconds) as u64
}

pub fn monotonic_ns() -> u64 {
    clock_ns(libc::CLOCK_MONOTONIC)
}

pub(crate) fn realtime_ns() -> u64 {
    clock_ns(libc::CLOCK_REALTIME)
}

/// User and system time of all threads and of reaped children.
pub(crate) fn cpu_ns() -> u64 {
    // SAFETY: all-zero bytes are a valid `rusage`, which is plain integers.
    let mut children: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `children` is a valid place for the one value that is written.
    let status = unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &mut children) };
    assert_eq!(status, 0, "getrusage: {}", io::Error::last_os_error());
    let [user_ns, system_ns] = [children.ru_utime, children.ru_stime]
        .map(|time| nanoseconds(time.tv_sec, time.tv_usec * 1_000));
    clock_ns(libc::CLOCK_PROCESS_CPUTIME_ID) + user_ns + system_ns
}

pub(crate) fn cpu_clock_resolution_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place for the one value that is written.
    let status = unsafe { libc::clock_getres(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    assert_eq!(status, 0, "clock_getres: {}", io::Error::last_os_error());
    nanoseconds(time.tv_sec, time.tv_nsec)
}
