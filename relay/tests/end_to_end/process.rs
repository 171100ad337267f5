//! Starts the relay, and waits for its end with a time limit.

use std::io::{BufRead, BufReader, Read};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use runfair_relay::accounting::records::Header;
use runfair_relay::accounting::Report;
use tempfile::TempDir;

/// The time limit for every wait.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// A running relay.
pub struct Relay {
    child: Child,
    folder: TempDir,
    ready: serde_json::Value,
}

impl Relay {
    /// Starts a relay to a target, on any free port. Options are separated by spaces.
    pub fn to(target: impl std::fmt::Display, options: &str) -> Self {
        Self::between("127.0.0.1:0", target, options)
    }

    /// Starts a relay from an address to a target.
    pub fn between(listen: &str, target: impl std::fmt::Display, options: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut child = command(
            listen,
            &target.to_string(),
            &folder.path().join("report.json"),
        )
        .arg("--records")
        .arg(folder.path().join("records"))
        .args(options.split_whitespace())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        let ready: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(ready["event"], "ready");
        Self {
            child,
            folder,
            ready,
        }
    }

    /// The address at which clients connect.
    pub fn address(&self) -> SocketAddr {
        let port = self.ready["port"].as_u64().unwrap();
        ([127, 0, 0, 1], u16::try_from(port).unwrap()).into()
    }

    /// A client's connection, with a time limit for reads.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address()).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// The path of the records.
    pub fn records(&self) -> PathBuf {
        self.folder.path().join("records")
    }

    /// Sends the relay a signal by name.
    pub fn signal(&self, name: &str) {
        // The shell's `kill` is available everywhere and needs no unsafe code.
        let kill = format!("kill -{name} {}", self.child.id());
        assert!(Command::new("sh")
            .arg("-c")
            .arg(kill)
            .status()
            .unwrap()
            .success());
    }

    /// Closes the relay's standard input.
    pub fn close_stdin(&mut self) {
        drop(self.child.stdin.take());
    }

    /// Waits for the relay's end, and returns the exit status.
    pub fn wait(&mut self) -> Option<i32> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(Instant::now() < deadline, "the relay does not end");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Ends the relay with a signal, and reads its files.
    pub fn finish(mut self) -> Finished {
        self.signal("TERM");
        assert_eq!(self.wait(), Some(0));
        self.read()
    }

    /// Reads the files of a relay that has ended.
    pub fn read(self) -> Finished {
        let report = std::fs::read(self.folder.path().join("report.json")).unwrap();
        let records = std::fs::read(self.records()).unwrap();
        let files = std::fs::read_dir(self.folder.path()).unwrap().count();
        assert_eq!(files, 2, "something was left behind");
        Finished {
            report: serde_json::from_slice(&report).unwrap(),
            records: Record::all(&records),
        }
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        if self.child.try_wait().unwrap().is_none() {
            self.child.kill().unwrap();
            self.child.wait().unwrap();
        }
    }
}

/// The files of a relay that has ended.
pub struct Finished {
    pub report: Report,
    pub records: Vec<Record>,
}

/// One record, decoded by the header's list of fields.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    pub instants: [u64; 4],
    pub bytes: [u64; 2],
    pub connection: u64,
    pub outcome: u64,
}

impl Record {
    /// All records in a file's content.
    pub fn all(content: &[u8]) -> Vec<Self> {
        let line = content.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        let header: Header = serde_json::from_slice(&content[..line]).unwrap();
        let rows = content[line..].chunks_exact(header.record_bytes);
        assert!(rows.remainder().is_empty(), "a torn record");
        rows.map(|row| {
            let value = |name: &str| {
                let field = header
                    .fields
                    .iter()
                    .find(|field| field.name == name)
                    .unwrap();
                let size = field.kind[1..].parse::<usize>().unwrap() / 8;
                let mut word = [0; 8];
                word[..size].copy_from_slice(&row[field.offset..field.offset + size]);
                u64::from_le_bytes(word)
            };
            let instants = ["arrived_ns", "forwarded_ns", "answered_ns", "delivered_ns"].map(value);
            let reached = instants.iter().filter(|instant| **instant > 0);
            assert!(
                reached.is_sorted(),
                "an effect before its cause: {instants:?}"
            );
            Self {
                instants,
                bytes: ["request_bytes", "answer_bytes"].map(value),
                connection: value("connection"),
                outcome: value("outcome"),
            }
        })
        .collect()
    }
}

/// The command line of a relay.
pub fn command(listen: &str, target: &str, report: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_runfair-relay"));
    command
        .args(["--listen", listen, "--to", target, "--report"])
        .arg(report);
    command
}

/// Runs a command that ends by itself: its status, standard output and standard error.
pub fn run(command: &mut Command) -> (Option<i32>, String, String) {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + PATIENCE;
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > deadline {
            child.kill().unwrap();
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let (mut said, mut complained) = (String::new(), String::new());
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut said)
        .unwrap();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut complained)
        .unwrap();
    (child.wait().unwrap().code(), said, complained)
}
