//! What a tool costs: a small launcher, a process of its own, starts it on its processor and says
//! what it used.
//!
//! The launcher is there for the memory. Linux carries the peak of the image that called execve(2)
//! over to the new program, so a tool started by this program, which holds logs of millions of
//! arrivals, would be charged for those. The launcher holds next to nothing.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::failure::{Doing, Failure};
use crate::kernel;

/// What to launch.
#[derive(clap::Args, Debug)]
pub struct LaunchOptions {
    /// The processor to stay on.
    #[arg(long)]
    pub processor: usize,
    /// Seconds after which it is killed.
    #[arg(long)]
    pub limit_s: u64,
    /// Where its standard output goes.
    #[arg(long)]
    pub output: PathBuf,
    /// Where its standard error goes.
    #[arg(long)]
    pub errors: PathBuf,
    /// The program and its arguments.
    #[arg(last = true, required = true)]
    pub command: Vec<String>,
}

/// What one run of a tool cost.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Account {
    /// The exit status; none where a signal ended it.
    pub status: Option<i32>,
    /// It overran its time and was killed.
    pub timed_out: bool,
    /// Processor time in user space, microseconds: the whole process, start and end included.
    pub user_us: u64,
    /// Processor time in the kernel, microseconds.
    pub system_us: u64,
    /// The most memory it ever held, bytes.
    pub peak_rss_bytes: u64,
    /// How often it was taken off its processor though it could have run on.
    pub involuntary_switches: u64,
}

impl Account {
    /// User and system time together, microseconds.
    pub fn cpu_us(&self) -> u64 {
        self.user_us + self.system_us
    }
}

/// The role `launch`: runs the command and prints its [`Account`].
pub fn launch(options: &LaunchOptions) -> io::Result<()> {
    kernel::end_with_parent()?;
    kernel::raise_descriptor_limit()?;
    kernel::pin(options.processor)?;
    let account = run(options)?;
    serde_json::to_writer(io::stdout(), &account)?;
    Ok(())
}

fn run(options: &LaunchOptions) -> io::Result<Account> {
    let (program, arguments) = options
        .command
        .split_first()
        .ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
    let child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(File::create(&options.output)?)
        .stderr(File::create(&options.errors)?)
        .spawn()?;
    let ending = kernel::wait_for(child, Duration::from_secs(options.limit_s))?;
    Ok(Account {
        status: ending.status,
        timed_out: ending.timed_out,
        user_us: ending.usage.user_us,
        system_us: ending.usage.system_us,
        peak_rss_bytes: ending.usage.peak_rss_bytes,
        involuntary_switches: ending.usage.involuntary_switches,
    })
}

/// What a launched command left behind.
pub struct Launched {
    /// What it cost.
    pub account: Account,
    /// What it wrote to standard output.
    pub output: String,
    /// The last line it wrote to standard error.
    pub last_words: String,
}

/// Launches a command on a processor and waits for it.
///
/// # Errors
/// The launcher itself fails; a command that fails is in the account.
pub fn run_launched(
    itself: &Path,
    processor: usize,
    limit: Duration,
    command: &[String],
    scratch: &Path,
) -> Result<Launched, Failure> {
    let (output, errors) = (scratch.join("output"), scratch.join("errors"));
    let launcher = Command::new(itself)
        .args(["launch", "--processor", &processor.to_string()])
        .args(["--limit-s", &limit.as_secs().to_string(), "--output"])
        .arg(&output)
        .arg("--errors")
        .arg(&errors)
        .arg("--")
        .args(command)
        .current_dir(scratch)
        .stdin(Stdio::null())
        .output()
        .doing(|| "start the launcher".into())?;
    let account = serde_json::from_slice(&launcher.stdout).map_err(|_| Failure::Tool {
        tool: command.first().cloned().unwrap_or_default(),
        what: "was not started".into(),
        last_words: last_line(&launcher.stderr),
    })?;
    let read = |path: &Path| std::fs::read(path).doing(|| format!("read {}", path.display()));
    Ok(Launched {
        account,
        output: String::from_utf8_lossy(&read(&output)?).into_owned(),
        last_words: last_line(&read(&errors)?),
    })
}

fn last_line(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes)
        .lines()
        .rfind(|line| !line.trim().is_empty())
        .unwrap_or("(nothing on standard error)")
        .trim()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launched(script: &str) -> (Account, String, String) {
        let folder = tempfile::tempdir().unwrap();
        let options = LaunchOptions {
            processor: 0,
            limit_s: 30,
            output: folder.path().join("output"),
            errors: folder.path().join("errors"),
            command: ["sh", "-c", script].map(String::from).to_vec(),
        };
        let account = run(&options).unwrap();
        let output = std::fs::read_to_string(&options.output).unwrap();
        let errors = std::fs::read(&options.errors).unwrap();
        (account, output, last_line(&errors))
    }

    #[test]
    fn a_command_is_charged_for_its_own_processor_time() {
        let (idle, ..) = launched("true");
        let (busy, ..) = launched("i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done");
        assert!(busy.cpu_us() > 3 * idle.cpu_us(), "{busy:?} {idle:?}");
    }

    #[test]
    fn output_last_words_and_status_are_kept() {
        let (account, output, last_words) =
            launched("echo out; echo one >&2; echo two >&2; exit 3");
        assert_eq!((account.status, account.timed_out), (Some(3), false));
        assert_eq!((output.as_str(), last_words.as_str()), ("out\n", "two"));
    }
}
