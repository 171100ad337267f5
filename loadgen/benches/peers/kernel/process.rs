//! Processes: where they run, how they end, what they cost.

use std::io;
use std::mem::{size_of, MaybeUninit};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::process::Child;
use std::time::Duration;

/// What a finished process used, from wait4(2).
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// Processor time in user space, microseconds.
    pub user_us: u64,
    /// Processor time in the kernel, microseconds.
    pub system_us: u64,
    /// The most memory it ever held, bytes.
    pub peak_rss_bytes: u64,
    /// How often it was taken off its processor though it could have run on.
    pub involuntary_switches: u64,
}

/// How a process came to its end.
#[derive(Clone, Copy, Debug)]
pub struct Ending {
    /// The exit status; none where a signal ended it.
    pub status: Option<i32>,
    /// It overran its time and was killed.
    pub timed_out: bool,
    /// What it used.
    pub usage: Usage,
}

/// The processors this process may run on, in order.
pub fn allowed_processors() -> io::Result<Vec<usize>> {
    // SAFETY: all zeroes is an empty cpu_set_t, which the call fills; CPU_ISSET only reads it.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        if libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut set) < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok((0..libc::CPU_SETSIZE as usize)
            .filter(|&processor| libc::CPU_ISSET(processor, &set))
            .collect())
    }
}

/// Keeps the calling thread, and what it starts from now on, on one processor.
pub fn pin(processor: usize) -> io::Result<()> {
    if processor >= libc::CPU_SETSIZE as usize {
        return Err(io::Error::from_raw_os_error(libc::EINVAL));
    }
    // SAFETY: all zeroes is an empty cpu_set_t; `processor` is within it, as checked above.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(processor, &mut set);
        if libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set) < 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Timer slack of 1 ns instead of 50 µs (PR_SET_TIMERSLACK(2const)).
pub fn sharpen_timers() -> io::Result<()> {
    // SAFETY: takes no pointer.
    if unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1 as libc::c_ulong) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Ends this process when the one that started it ends, so that nothing is left behind.
pub fn end_with_parent() -> io::Result<()> {
    // SAFETY: takes no pointer.
    if unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as libc::c_ulong) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Raises the soft limit of open files to the hard one, which is returned.
pub fn raise_descriptor_limit() -> io::Result<u64> {
    // SAFETY: `limit` is filled by the first call, read by the second, and outlives both.
    unsafe {
        let mut limit = MaybeUninit::<libc::rlimit>::uninit();
        if libc::getrlimit(libc::RLIMIT_NOFILE, limit.as_mut_ptr()) < 0 {
            return Err(io::Error::last_os_error());
        }
        let mut limit = limit.assume_init();
        limit.rlim_cur = limit.rlim_max;
        if libc::setrlimit(libc::RLIMIT_NOFILE, &limit) < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(limit.rlim_max)
    }
}

/// Sends a signal to a child that has not been waited for.
pub fn send_signal(process: u32, signal: i32) -> io::Result<()> {
    // SAFETY: takes no pointer.
    if unsafe { libc::kill(process as libc::pid_t, signal) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Waits for a child, which is killed when it outlives `limit`, and says what it used. The child is
/// taken, because nobody can wait for it again.
pub fn wait_for(child: Child, limit: Duration) -> io::Result<Ending> {
    let process = child.id();
    let timed_out = !ends_within(process, limit)?;
    if timed_out {
        send_signal(process, libc::SIGKILL)?;
    }
    let mut status = 0;
    let mut usage = MaybeUninit::<libc::rusage>::uninit();
    // SAFETY: `status` and `usage` outlive the call, which fills both when it succeeds.
    let usage = unsafe {
        if libc::wait4(process as libc::pid_t, &mut status, 0, usage.as_mut_ptr()) < 0 {
            return Err(io::Error::last_os_error());
        }
        usage.assume_init()
    };
    Ok(Ending {
        status: libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status)),
        timed_out,
        usage: Usage {
            user_us: microseconds(usage.ru_utime),
            system_us: microseconds(usage.ru_stime),
            // Linux counts ru_maxrss in KiB (getrusage(2)).
            peak_rss_bytes: usage.ru_maxrss as u64 * 1024,
            involuntary_switches: usage.ru_nivcsw as u64,
        },
    })
}

/// Whether the child ends in time. A descriptor of the process, not its number, is waited on, so
/// that the wait costs nothing and cannot hit another process.
fn ends_within(process: u32, limit: Duration) -> io::Result<bool> {
    // SAFETY: takes no pointer; the descriptor returned is owned by nobody else.
    let descriptor = unsafe {
        let raw = libc::syscall(libc::SYS_pidfd_open, process as libc::pid_t, 0);
        if raw < 0 {
            return Err(io::Error::last_os_error());
        }
        OwnedFd::from_raw_fd(raw as i32)
    };
    let mut watched = libc::pollfd {
        fd: descriptor.as_raw_fd(),
        events: libc::POLLIN,
        revents: 0,
    };
    let limit_ms = i32::try_from(limit.as_millis()).unwrap_or(i32::MAX);
    // SAFETY: one pollfd, which outlives the call.
    match unsafe { libc::poll(&mut watched, 1, limit_ms) } {
        ready if ready >= 0 => Ok(ready > 0),
        _ => Err(io::Error::last_os_error()),
    }
}

fn microseconds(time: libc::timeval) -> u64 {
    time.tv_sec as u64 * 1_000_000 + time.tv_usec as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_child_that_overruns_is_killed_and_said_so() {
        let child = Command::new("sleep").arg("60").spawn().unwrap();
        let ending = wait_for(child, Duration::from_millis(50)).unwrap();
        assert!(ending.timed_out);
        assert_eq!(ending.status, None);
    }

    #[test]
    fn an_exit_status_is_passed_on() {
        let child = Command::new("sh").args(["-c", "exit 7"]).spawn().unwrap();
        let ending = wait_for(child, Duration::from_secs(30)).unwrap();
        assert_eq!((ending.status, ending.timed_out), (Some(7), false));
        assert!(ending.usage.peak_rss_bytes > 0);
    }

    #[test]
    fn pinning_leaves_one_processor() {
        let before = allowed_processors().unwrap();
        let after = std::thread::spawn(move || {
            pin(before[0]).unwrap();
            allowed_processors().unwrap()
        });
        assert_eq!(after.join().unwrap().len(), 1);
    }
}
