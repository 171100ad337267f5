//! Sets the scheduling of the calling thread, and reads its use of processor time.

use std::io;

use nix::sched::{sched_setaffinity, CpuSet};
use nix::sys::prctl;
use nix::time::ClockId;
use nix::unistd::Pid;

/// Makes timers of the calling thread exact: their slack is 1 ns instead of 50 µs.
pub fn sharpen_timers() {
    // A kernel that refuses fires them late, which the send lag shows.
    let _ = prctl::set_timerslack(1);
}

/// `struct sched_attr` of sched_setattr(2), first version.
#[repr(C)]
#[derive(Default)]
struct Attributes {
    size: u32,
    policy: u32,
    flags: u64,
    nice: i32,
    priority: u32,
    runtime_ns: u64,
    deadline_ns: u64,
    period_ns: u64,
}

/// Asks the fair scheduler (EEVDF, Linux 6.12 and later) for a time slice in
/// nanoseconds: a thread with a shorter slice than its neighbours is run sooner
/// when it wakes, with no greater share. The nice value stays as it was.
///
/// # Errors
/// What the kernel says; older kernels accept the call and ignore the slice.
pub fn shorten_slice(slice_ns: u64) -> io::Result<()> {
    let mut attributes = Attributes::default();
    let size = size_of::<Attributes>() as u32;
    // SAFETY: `attributes` has the size told; 0 means the calling thread.
    let read =
        unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut attributes, size, 0_u32) };
    if read < 0 {
        return Err(io::Error::last_os_error());
    }
    if attributes.policy != libc::SCHED_OTHER as u32 {
        return Ok(()); // somebody chose another policy for us on purpose
    }
    attributes.size = size;
    attributes.runtime_ns = slice_ns;
    // SAFETY: as above; the kernel only reads it.
    let set = unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0_u32) };
    if set < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Gives the calling thread the lowest priority.
pub fn lower_priority() {
    // SAFETY: numbers only; 0 is the calling thread on Linux.
    unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, 19) };
}

/// Restricts the calling thread, and all threads that it starts, to these processors.
///
/// # Errors
/// A processor does not exist, or this process may not use it.
pub fn pin(processors: &[usize]) -> io::Result<()> {
    let mut set = CpuSet::new();
    for processor in processors {
        set.set(*processor)?;
    }
    Ok(sched_setaffinity(Pid::from_raw(0), &set)?)
}

/// CPU time of the calling thread, in nanoseconds.
pub fn cpu_ns() -> u64 {
    super::clock::read(ClockId::CLOCK_THREAD_CPUTIME_ID)
}

/// The run-queue time of the calling thread, in nanoseconds; `None` if the kernel has no
/// schedstat.
pub fn run_queue_ns() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_keeps_the_nice_value() {
        std::thread::spawn(|| {
            lower_priority();
            shorten_slice(100_000).unwrap();
            // SAFETY: numbers only.
            assert_eq!(unsafe { libc::getpriority(libc::PRIO_PROCESS, 0) }, 19);
        })
        .join()
        .unwrap();
    }

    #[test]
    fn work_uses_cpu_time_and_sleep_does_not() {
        let start = cpu_ns();
        std::thread::sleep(std::time::Duration::from_millis(50));
        let slept = cpu_ns() - start;
        let begin = super::super::clock::monotonic_ns();
        while cpu_ns() - start - slept < 50_000_000 {
            std::hint::black_box(begin);
        }
        assert!(slept < 25_000_000);
    }

    #[test]
    fn a_processor_that_is_not_there_is_refused() {
        std::thread::spawn(|| assert!(pin(&[1023]).is_err()))
            .join()
            .unwrap();
    }
}
