//! What the generator itself cost, and what others took from it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::judgement::evidence::SenderThread;

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
    /// Whether a thread read answers as soon as they came, at the end of the run. The load may
    /// demand it (closed loop, pipelining, HTTP/2, unix socket, `--new-connection-every`), or an
    /// answer showed that it is necessary, such as a long one. Otherwise every thread read answers
    /// only when it woke to send.
    pub reads_at_once: bool,
}
