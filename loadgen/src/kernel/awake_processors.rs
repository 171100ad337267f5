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
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

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
    process: libc::pid_t,
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
        // SAFETY: `file` outlives the call.
        let may_write = unsafe { libc::access(file.as_ptr(), libc::W_OK) } == 0;
        may_write.then_some(Self { file, text })
    }

    /// Sets the limit if the system permits it. This function uses only system calls,
    /// because the keeper calls it too.
    fn write(&self, text: &[u8]) {
        // SAFETY: the path and the text outlive the calls, and the length is the text's.
        unsafe {
            let descriptor = libc::open(
                self.file.as_ptr(),
                libc::O_WRONLY | libc::O_TRUNC | libc::O_CLOEXEC,
            );
            if descriptor >= 0 {
                libc::write(descriptor, text.as_ptr().cast(), text.len());
                libc::close(descriptor);
            }
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
        match unsafe { libc::fork() } {
            -1 => None,
            0 => keep(limits, &end),
            process => Some(Self { process, leash }),
        }
    }
}

impl Drop for AwakeProcessors {
    fn drop(&mut self) {
        let Some(Keeper { process, leash }) = self.keeper.take() else {
            return;
        };
        drop(leash);
        // SAFETY: our own child; its status is of no interest. Once it is gone, the limits
        // are back.
        while unsafe { libc::waitpid(process, std::ptr::null_mut(), 0) } < 0
            && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted
        {}
    }
}

/// The work of the keeper: it waits until no process holds the other end of its pipe.
fn keep(limits: &[Limit], leash: &UnixStream) -> ! {
    let mut byte = 0_u8;
    // SAFETY: system calls that are safe after a fork; `byte` has the length told.
    unsafe {
        libc::setsid(); // Ctrl-C and a killed group are not meant for it
        for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGTERM] {
            libc::signal(signal, libc::SIG_IGN);
        }
        // Nothing but the leash: whoever reads the generator's output is not to wait for
        // the keeper, nor one keeper for another.
        libc::dup2(leash.as_raw_fd(), 0);
        libc::syscall(libc::SYS_close_range, 1, libc::c_uint::MAX, 0);
        while libc::read(0, (&raw mut byte).cast(), 1) < 0
            && *libc::__errno_location() == libc::EINTR
        {}
    }
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
