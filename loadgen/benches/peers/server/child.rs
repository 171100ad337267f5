//! The reference server as a child process of the benchmark.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::log::{self, Arrival};
use super::serving::{Listening, Served};
use crate::failure::{Doing, Failure};

/// A step of the realtime clock beyond this spoils the kernel's stamps: half the tightest goal
/// for which they are read (10 µs).
const CLOCK_STEP_LIMIT_NS: u64 = 5_000;

/// A running reference server; dropped, it ends.
pub struct ReferenceServer {
    child: Child,
    /// The server ends when this is closed.
    leash: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    port: u16,
    log: Option<PathBuf>,
}

impl ReferenceServer {
    /// Starts it on a processor; with `log_capacity` it stamps and logs every request.
    ///
    /// # Errors
    /// It does not come up.
    pub fn start(
        itself: &Path,
        processor: usize,
        log_capacity: Option<usize>,
        scratch: &Path,
    ) -> Result<Self, Failure> {
        let mut command = Command::new(itself);
        command.args(["server", "--processor", &processor.to_string()]);
        let log = log_capacity.map(|capacity| {
            let path = scratch.join("arrivals");
            command.arg("--log").arg(&path);
            command.args(["--capacity", &capacity.to_string()]);
            path
        });
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .doing(|| "start the reference server".into())?;
        let (Some(leash), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Failure::Server("it has no input or output".into()));
        };
        let mut server = Self {
            child,
            leash: Some(leash),
            output: BufReader::new(output),
            port: 0,
            log,
        };
        server.port = server.line::<Listening>()?.port;
        Ok(server)
    }

    /// The port it listens on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Its process, for the freeze.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Ends it: what it did, and its log in order of arrival.
    ///
    /// # Errors
    /// It failed, or what it logged cannot be relied on.
    pub fn finish(mut self) -> Result<(Served, Vec<Arrival>), Failure> {
        self.leash = None;
        let served = self.line::<Served>()?;
        let status = self
            .child
            .wait()
            .doing(|| "wait for the reference server".into())?;
        if !status.success() {
            return Err(Failure::Server(format!("ended with {status}")));
        }
        if served.overrun > 0 {
            let overrun = served.overrun;
            return Err(Failure::Server(format!(
                "{overrun} connections did not read their answers and were closed"
            )));
        }
        let Some(path) = &self.log else {
            return Ok((served, Vec::new()));
        };
        if served.unlogged + served.unstamped > 0 {
            return Err(Failure::Server(format!(
                "{} requests found no room in the log and {} had no stamp of the kernel",
                served.unlogged, served.unstamped
            )));
        }
        if served.clock_step_ns.unsigned_abs() > CLOCK_STEP_LIMIT_NS {
            return Err(Failure::Server(format!(
                "the realtime clock was stepped by {} ns, so arrival stamps cannot be relied on",
                served.clock_step_ns
            )));
        }
        let entries = log::read(path).doing(|| format!("read {}", path.display()))?;
        Ok((served, entries))
    }

    fn line<T: serde::de::DeserializeOwned>(&mut self) -> Result<T, Failure> {
        let mut line = String::new();
        self.output
            .read_line(&mut line)
            .doing(|| "read from the reference server".into())?;
        serde_json::from_str(&line)
            .map_err(|error| Failure::Server(format!("said {line:?} ({error})")))
    }
}

impl Drop for ReferenceServer {
    /// After a failure: a server that has not ended by itself is ended.
    fn drop(&mut self) {
        self.leash = None;
        if let Ok(None) = self.child.try_wait() {
            // An error means that it has just ended.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}
