//! The clocks of the process and the line `start`.

use libc::{clock_gettime, clockid_t, timespec, CLOCK_MONOTONIC, CLOCK_REALTIME};

/// What a clock of the kernel shows, in nanoseconds.
pub(crate) fn clock_ns(clock: clockid_t) -> u64 {
    let mut time = timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place for the one value that is written.
    assert_eq!(unsafe { clock_gettime(clock, &mut time) }, 0, "clock {clock} cannot be read");
    (time.tv_sec * 1_000_000_000 + time.tv_nsec) as u64
}

/// The line up to the number of threads. Rust quotes texts for debugging as JSON does.
pub(crate) fn start(name: &str, tier: &str) -> String {
    let (monotonic_ns, realtime_ns) = (clock_ns(CLOCK_MONOTONIC), clock_ns(CLOCK_REALTIME));
    // The standard library's own number of processors obeys a quota of CPU time, too.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed:")).unwrap_or("");
    let processors: u32 = mask.chars().filter_map(|c| c.to_digit(16)).map(u32::count_ones).sum();
    let (runtime, build) = (env!("RUNFAIR_RUSTC"), env!("RUNFAIR_BUILD"));
    let assertions = cfg!(debug_assertions);
    let line = format!(
        r#"{{"event":"start","contract":2,"benchmark":{name:?},"language":"rust","tier":{tier:?},
        "runtime":{runtime:?},"processors":{processors},
        "monotonic_ns":{monotonic_ns},"realtime_ns":{realtime_ns},"cpu_clock_resolution_ns":1,
        "effective":{{"execution":"ahead-of-time",{build},"assertions":{assertions}}},"threads":"#
    );
    line.replace("\n        ", "")
}
