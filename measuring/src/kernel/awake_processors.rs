//! Keeps processors from sleeping during a run.
//!
//! An idle processor is put to sleep. The deeper it sleeps, the longer it takes to wake,
//! and its caches are cold then. On a virtual machine, where each such sleep is an exit to
//! the host, a timer fired 45 µs late, and waking and sending took 58 µs of CPU time. On a
//! processor that was kept awake, it fired 17 µs late, and waking and sending took 29 µs.
//! The kernel's means for this is a limit on the latency of a processor's wake-up ("resume
//! latency" of PM QoS, Documentation/ABI/testing/sysfs-devices-power in Linux), which root
//! may set for each processor; the server's are left alone.
//!
//! The limit stays after the process that set it has ended. Therefore a separate process,
//! the keeper, restores the old limit when the generator is gone for any reason. Signals to
//! the generator do not reach the keeper.

use std::ffi::CString;
use std::fs;
use std::os::fd::BorrowedFd;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{open, OFlag};
use nix::sys::signal::{signal, SigHandler, Signal};
use nix::sys::stat::Mode;
use nix::sys::wait::waitpid;
use nix::unistd::{access, dup2_stdin, fork, read, setsid, write, AccessFlags, ForkResult, Pid};

/// The folder in which Linux lists its processors.
const PROCESSORS: &str = "/sys/devices/system/cpu";

/// The kernel's text for "no latency": the processor polls instead of sleeping.
const NO_LATENCY: &str = "n/a";

/// Processors that are kept awake until this is dropped.
#[derive(Debug)]
pub struct AwakeProcessors {
    root: PathBuf,
    keeper: Option<Keeper>,
}

/// The process that restores the limits when no process holds the other end of its pipe.
#[derive(Debug)]
struct Keeper {
    process: Pid,
    leash: UnixStream,
}

/// A processor's limit before the run.
struct Limit {
    file: CString,
    text: Vec<u8>,
}

impl AwakeProcessors {
    /// Keeps processors awake if that is permitted. Without root, in most containers, and
    /// without power management the limits do not change ([`Self::holds`]).
    pub fn of(processors: &[usize]) -> Self {
        Self::under(Path::new(PROCESSORS), processors)
    }

    fn under(root: &Path, processors: &[usize]) -> Self {
        let root = root.to_owned();
        let limits: Vec<Limit> = processors
            .iter()
            .filter_map(|processor| Limit::read(&file(&root, *processor)))
            .collect();
        // First the keeper, so that at no moment nobody would set the limits back.
        let keeper = Keeper::of(&limits);
        if keeper.is_some() {
            for limit in &limits {
                limit.write(NO_LATENCY.as_bytes());
            }
        }
        Self { root, keeper }
    }

    /// Whether a processor is kept awake now, by this process or another.
    pub fn holds(&self, processor: usize) -> bool {
        fs::read_to_string(file(&self.root, processor))
            .is_ok_and(|limit| limit.trim_end() == NO_LATENCY)
    }
}

fn file(root: &Path, processor: usize) -> PathBuf {
    root.join(format!("cpu{processor}/power/pm_qos_resume_latency_us"))
}

impl Limit {
    /// The limit in a file; `None` if there is no limit that this process may change.
    fn read(path: &Path) -> Option<Self> {
        let text = fs::read(path).ok()?;
        if text.trim_ascii_end() == NO_LATENCY.as_bytes() {
            return None;
        }
        let file = CString::new(path.as_os_str().to_owned().into_vec()).ok()?;
        access(&*file, AccessFlags::W_OK).ok()?;
        Some(Self { file, text })
    }

    /// Sets the limit if the system permits it. This function uses only system calls,
    /// because the keeper calls it too.
    fn write(&self, text: &[u8]) {
        let flags = OFlag::O_WRONLY | OFlag::O_TRUNC | OFlag::O_CLOEXEC;
        if let Ok(file) = open(&*self.file, flags, Mode::empty()) {
            let _ = write(&file, text);
        }
    }
}

impl Keeper {
    /// A keeper of these limits; `None` if there are no limits, or if no process can be
    /// started.
    fn of(limits: &[Limit]) -> Option<Self> {
        if limits.is_empty() {
            return None;
        }
        let (leash, end) = UnixStream::pair().ok()?;
        // SAFETY: the child makes only calls that are safe after a fork, and ends.
        match unsafe { fork() }.ok()? {
            ForkResult::Child => keep(limits, &end),
            ForkResult::Parent { child: process } => Some(Self { process, leash }),
        }
    }
}

impl Drop for AwakeProcessors {
    fn drop(&mut self) {
        let Some(Keeper { process, leash }) = self.keeper.take() else {
            return;
        };
        drop(leash);
        // Once it is gone, the limits are back.
        while waitpid(process, None) == Err(Errno::EINTR) {}
    }
}

/// The work of the keeper: it waits until no process holds the other end of its pipe.
fn keep(limits: &[Limit], leash: &UnixStream) -> ! {
    let _ = setsid(); // Ctrl-C and a killed group are not meant for it
    for number in [Signal::SIGHUP, Signal::SIGINT, Signal::SIGTERM] {
        // SAFETY: no handler is installed, only the signal ignored.
        let _ = unsafe { signal(number, SigHandler::SigIgn) };
    }
    // The keeper holds only the leash open. Otherwise a reader of the generator's output would
    // wait for the keeper, and one keeper would wait for another.
    let _ = dup2_stdin(leash);
    // SAFETY: closes every descriptor but the leash; no Rust owner of one is used again.
    unsafe { libc::syscall(libc::SYS_close_range, 1, libc::c_uint::MAX, 0) };
    // SAFETY: descriptor 0 is the leash until the process ends.
    let leash = unsafe { BorrowedFd::borrow_raw(0) };
    while read(leash, &mut [0]) == Err(Errno::EINTR) {}
    for limit in limits {
        limit.write(&limit.text);
    }
    // SAFETY: ends this process without running what is the parent's.
    unsafe { libc::_exit(0) }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::*;

    /// A machine's folder with processors 0 to 2, whose limits are these.
    fn machine(limits: [&str; 3]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (processor, limit) in limits.iter().enumerate() {
            let path = file(folder.path(), processor);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, limit).unwrap();
        }
        folder
    }

    fn limits(folder: &tempfile::TempDir) -> [String; 3] {
        [0, 1, 2].map(|processor| fs::read_to_string(file(folder.path(), processor)).unwrap())
    }

    #[test]
    fn the_processors_named_are_kept_awake_and_no_other() {
        let folder = machine(["0\n", "0\n", "150\n"]);
        let awake = AwakeProcessors::under(folder.path(), &[1, 2]);
        assert_eq!(limits(&folder), ["0\n", "n/a", "n/a"]);
        assert_eq!(
            [0, 1, 2].map(|number| awake.holds(number)),
            [false, true, true]
        );
        drop(awake);
        assert_eq!(limits(&folder), ["0\n", "0\n", "150\n"]);
    }

    #[test]
    fn what_another_keeps_awake_stays_so() {
        let folder = machine(["n/a\n", "0\n", "0\n"]);
        let awake = AwakeProcessors::under(folder.path(), &[0]);
        assert!(awake.holds(0));
        drop(awake);
        assert_eq!(limits(&folder)[0], "n/a\n");
    }

    #[test]
    fn what_another_sets_back_is_no_longer_kept() {
        let folder = machine(["0\n", "0\n", "0\n"]);
        let awake = AwakeProcessors::under(folder.path(), &[0]);
        fs::write(file(folder.path(), 0), "0\n").unwrap();
        assert!(!awake.holds(0));
    }

    #[test]
    fn a_machine_without_such_limits_is_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let awake = AwakeProcessors::under(folder.path(), &[0, 1]);
        assert!(awake.keeper.is_none() && !awake.holds(0));
    }

    #[test]
    fn a_generator_that_is_killed_leaves_the_limits_as_they_were() {
        let folder = machine(["0\n", "0\n", "0\n"]);
        let (mut alive, told) = UnixStream::pair().unwrap();
        // SAFETY: the child allocates, which the C library allows after a fork, and is
        // killed below.
        let generator = match unsafe { libc::fork() } {
            0 => {
                drop(alive);
                let _awake = AwakeProcessors::under(folder.path(), &[0]);
                let _ = (&told).write(b"!");
                loop {
                    // SAFETY: waits for the signal.
                    unsafe { libc::pause() };
                }
            }
            process => process,
        };
        drop(told);
        let mut byte = [0];
        alive.read_exact(&mut byte).unwrap();
        assert_eq!(limits(&folder)[0], "n/a");
        // SAFETY: our own child, of which nothing is left then.
        unsafe {
            libc::kill(generator, libc::SIGKILL);
            libc::waitpid(generator, std::ptr::null_mut(), 0);
        }
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
        while limits(&folder)[0] != "0\n" {
            assert!(
                std::time::Instant::now() < deadline,
                "{:?}",
                limits(&folder)
            );
            std::thread::yield_now();
        }
    }
}
