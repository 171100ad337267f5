//! The clocks of the process, in nanoseconds, and the line `start`.

use libc::{clock_getres, clock_gettime, clockid_t, rusage, timespec};

const INSTRUCTION_SET: &str = match () {
    _ if cfg!(target_feature = "avx512bw") => "x86-64-v4",
    _ if cfg!(target_feature = "avx2") => "x86-64-v3",
    _ if cfg!(target_feature = "sse4.2") => "x86-64-v2",
    _ if cfg!(target_arch = "x86_64") => "x86-64",
    _ => std::env::consts::ARCH,
};

type Read = unsafe extern "C" fn(clockid_t, *mut timespec) -> libc::c_int;

fn clock_ns(read: Read, clock: clockid_t) -> u64 {
    let mut time = timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place for the one value that is written.
    assert_eq!(unsafe { read(clock, &mut time) }, 0, "clock {clock} cannot be read");
    (time.tv_sec * 1_000_000_000 + time.tv_nsec) as u64
}

pub(crate) fn monotonic_ns() -> u64 {
    clock_ns(clock_gettime, libc::CLOCK_MONOTONIC)
}

/// User and system time of all threads and of reaped children.
pub(crate) fn cpu_ns() -> u64 {
    // SAFETY: plain integers may be zero; `children` is a valid place for the one value written.
    let mut children: rusage = unsafe { std::mem::zeroed() };
    assert_eq!(unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &mut children) }, 0);
    let (user, system) = (children.ru_utime, children.ru_stime);
    let reaped_us = (user.tv_sec + system.tv_sec) * 1_000_000 + user.tv_usec + system.tv_usec;
    clock_ns(clock_gettime, libc::CLOCK_PROCESS_CPUTIME_ID) + reaped_us as u64 * 1_000
}

/// The line. Rust quotes texts for debugging as JSON does, whatever compilers are named by.
pub(crate) fn start(name: &str, tier: &str, threads: u64) -> String {
    let monotonic_ns = monotonic_ns();
    let realtime_ns = clock_ns(clock_gettime, libc::CLOCK_REALTIME);
    let resolution_ns = clock_ns(clock_getres, libc::CLOCK_PROCESS_CPUTIME_ID);
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let (runtime, flags) = (env!("RUNFAIR_RUSTC"), env!("RUNFAIR_CARGO_ENCODED_RUSTFLAGS"));
    let [pgo, native] = ["profile-use", "target-cpu=native"].map(|flag| flags.contains(flag));
    let (level, profile) = (env!("RUNFAIR_OPT_LEVEL"), env!("RUNFAIR_PROFILE"));
    let (debug, target) = (env!("RUNFAIR_DEBUG"), env!("RUNFAIR_TARGET"));
    let build_flags = Some(flags).filter(|flags| !flags.is_empty());
    let build_flags =
        build_flags.map_or_else(String::new, |all| format!(",\"build_flags\":{all:?}"));
    let panic = if cfg!(panic = "unwind") { "unwind" } else { "abort" };
    let assertions = cfg!(debug_assertions);
    let line = format!(
        r#"{{"event":"start","contract":2,"benchmark":{name:?},"language":"rust","tier":{tier:?},
        "runtime":{runtime:?},"threads":{threads},"processors":{processors},
        "monotonic_ns":{monotonic_ns},"realtime_ns":{realtime_ns},
        "cpu_clock_resolution_ns":{resolution_ns},"effective":{{"execution":"ahead-of-time",
        "optimisation":{level:?},"build_profile":{profile:?},"debug_information":{debug:?},
        "assertions":{assertions},"pgo":{pgo},"native":{native},"panic":{panic:?},
        "instruction_set":{INSTRUCTION_SET:?},"target":{target:?}{build_flags}}}}}"#
    );
    line.replace("\n        ", "") + "\n"
}
