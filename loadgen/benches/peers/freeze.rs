//! The freeze: the server stopped (SIGSTOP) once for 200 ms and continued (SIGCONT).

use std::thread::{self, JoinHandle};

use serde::{Deserialize, Serialize};

use crate::failure::{Doing, Failure};
use crate::kernel;

/// How long the server is stopped.
pub const FREEZE_NS: u64 = 200_000_000;

/// When the server was stopped and continued, on the monotonic clock.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct Freeze {
    /// The stop, nanoseconds.
    pub stopped_ns: u64,
    /// The continuation, nanoseconds.
    pub continued_ns: u64,
}

impl Freeze {
    /// How long a request due at this instant has to wait for the end of the freeze, nanoseconds.
    pub fn rest_ns(&self, instant_ns: u64) -> u64 {
        if (self.stopped_ns..self.continued_ns).contains(&instant_ns) {
            self.continued_ns - instant_ns
        } else {
            0
        }
    }
}

/// A freeze that a thread of its own carries out, `after_ns` from now.
pub struct PlannedFreeze(JoinHandle<Result<Freeze, Failure>>);

impl PlannedFreeze {
    /// Plans it for a process, which must not be waited for before [`PlannedFreeze::outcome`].
    pub fn plan(process: u32, after_ns: u64) -> Self {
        let at_ns = kernel::monotonic_ns() + after_ns;
        Self(thread::spawn(move || {
            kernel::sleep_until(at_ns);
            let signal = |signal| {
                kernel::send_signal(process, signal).doing(|| "freeze the server".to_string())
            };
            signal(libc::SIGSTOP)?;
            let stopped_ns = kernel::monotonic_ns();
            kernel::sleep_until(stopped_ns + FREEZE_NS);
            signal(libc::SIGCONT)?;
            Ok(Freeze {
                stopped_ns,
                continued_ns: kernel::monotonic_ns(),
            })
        }))
    }

    /// Waits for it to be over.
    ///
    /// # Errors
    /// The signals could not be sent.
    pub fn outcome(self) -> Result<Freeze, Failure> {
        self.0
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;
    use std::time::Duration;

    #[test]
    fn a_process_is_stopped_and_goes_on() {
        let child = Command::new("sleep").arg("0.01").spawn().unwrap();
        let freeze = PlannedFreeze::plan(child.id(), 0).outcome().unwrap();
        assert!(freeze.continued_ns - freeze.stopped_ns >= FREEZE_NS);
        let ending = kernel::wait_for(child, Duration::from_secs(30)).unwrap();
        assert_eq!((ending.status, ending.timed_out), (Some(0), false));
    }

    #[test]
    fn only_requests_due_in_the_freeze_wait() {
        let freeze = Freeze {
            stopped_ns: 100,
            continued_ns: 300,
        };
        assert_eq!(
            [99, 100, 250, 300].map(|at| freeze.rest_ns(at)),
            [0, 200, 50, 0]
        );
    }
}
