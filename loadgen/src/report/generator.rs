//! What the generator itself cost, and what others took from it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The generator's own use of the machine during the run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Generator {
    /// CPU time, user and system, of the whole process a completed request; absent
    /// where none completed.
    pub cpu_us_per_request: Option<f64>,
    /// CPU time in user mode.
    pub cpu_user_ns: u64,
    /// CPU time in the kernel.
    pub cpu_system_ns: u64,
    /// Greatest resident set.
    pub peak_rss_bytes: u64,
    /// Times a thread gave its processor up.
    pub voluntary_switches: u64,
    /// Times a thread's processor was taken away.
    pub involuntary_switches: u64,
    /// Each sending thread.
    pub threads: Vec<SenderThread>,
    /// Steps of the realtime clock against the monotonic one seen during the run.
    pub clock_steps: u64,
    /// Answers that came without a kernel time stamp though one was expected.
    pub unstamped: u64,
    /// Whether answers were read at once (pipelined, HTTP/2 and unix connections), not lazily
    /// with the kernel's receive time stamps.
    pub reads_at_once: bool,
}

/// One sending thread of the generator.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SenderThread {
    /// Share of the run it was running, 0 to 1.
    pub cpu_share: f64,
    /// The part of `cpu_share` spent waiting on purpose for an instant, 0 to 1.
    pub spin_share: f64,
    /// Share of the run it could have run and others had its processor, 0 to 1.
    /// Absent where the kernel does not tell.
    pub run_queue_share: Option<f64>,
    /// The processor it was pinned to.
    pub processor: Option<u32>,
    /// Whether that processor was kept from sleeping between requests, to the end of the
    /// run. What it did instead is in no process's CPU time.
    #[serde(default)]
    pub kept_awake: bool,
}
