//! The resources that the whole process has used.

use nix::sys::resource::{getrusage, UsageWho};
use nix::sys::time::{TimeVal, TimeValLike};

/// The greatest resident set of this program in bytes; 0 if /proc is missing. The kernel's
/// ru_maxrss cannot be used, because it begins with the size of the program that called
/// exec.
fn peak_rss_bytes() -> u64 {
    let Ok(text) = std::fs::read_to_string("/proc/self/status") else {
        return 0;
    };
    text.lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|line| line.split_whitespace().next())
        .and_then(|kibibytes| kibibytes.parse::<u64>().ok())
        .map_or(0, |kibibytes| kibibytes * 1024)
}

/// Resources used by this process so far (getrusage(2), proc(5)).
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// CPU time in user mode, ns.
    pub user_ns: u64,
    /// CPU time in the kernel, ns.
    pub system_ns: u64,
    /// Greatest resident set so far, bytes.
    pub peak_rss_bytes: u64,
    /// Times a thread gave up its processor by itself.
    pub voluntary_switches: u64,
    /// Times a thread was made to give up its processor.
    pub involuntary_switches: u64,
}

impl Usage {
    /// The use of this process so far.
    pub fn now() -> Self {
        let Ok(usage) = getrusage(UsageWho::RUSAGE_SELF) else {
            return Self::default();
        };
        let ns = |time: TimeVal| time.num_nanoseconds() as u64;
        Self {
            user_ns: ns(usage.user_time()),
            system_ns: ns(usage.system_time()),
            peak_rss_bytes: peak_rss_bytes(),
            voluntary_switches: usage.voluntary_context_switches() as u64,
            involuntary_switches: usage.involuntary_context_switches() as u64,
        }
    }

    /// The use since an earlier reading. The peak is that of the whole life.
    pub fn since(self, earlier: Self) -> Self {
        Self {
            user_ns: self.user_ns - earlier.user_ns,
            system_ns: self.system_ns - earlier.system_ns,
            peak_rss_bytes: self.peak_rss_bytes,
            voluntary_switches: self.voluntary_switches - earlier.voluntary_switches,
            involuntary_switches: self.involuntary_switches - earlier.involuntary_switches,
        }
    }
}
