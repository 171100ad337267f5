//! Starts the binary and waits for it, never for ever.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::Measurement;

/// A run that has not ended by then never will: the longest takes some seconds.
const PATIENCE: Duration = Duration::from_secs(30);

/// A command line being put together. All files are asked for, in a folder that goes
/// with the run.
pub struct Generator {
    folder: TempDir,
    urls: Vec<String>,
    options: Vec<OsString>,
    files: BTreeMap<&'static str, PathBuf>,
    descriptors: Option<u32>,
}

impl Generator {
    /// Against a URL, with options separated by spaces. Four connections, unless the
    /// options say otherwise.
    pub fn new(url: impl Into<String>, options: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let files = ["json", "hlog", "hgrm", "records"]
            .map(|kind| (kind, folder.path().join(format!("run.{kind}"))));
        let generator = Self {
            files: files.into(),
            folder,
            urls: vec![url.into()],
            options: Vec::new(),
            descriptors: None,
        };
        let options: Vec<_> = options.split_whitespace().collect();
        if options.contains(&"--connections") {
            generator.options(&options)
        } else {
            generator.options(&["--connections", "4"]).options(&options)
        }
    }

    fn options(mut self, options: &[&str]) -> Self {
        self.options.extend(options.iter().map(OsString::from));
        self
    }

    /// A further server that shares the load.
    pub fn and_also(mut self, url: impl Into<String>) -> Self {
        self.urls.push(url.into());
        self
    }

    /// One more option, whose value may hold spaces.
    pub fn option(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.options.push(name.into());
        self.options.push(value.into());
        self
    }

    /// One of the files (`json`, `hlog`, `hgrm`, `records`) is to be elsewhere.
    pub fn writing(mut self, kind: &'static str, path: impl Into<PathBuf>) -> Self {
        self.files.insert(kind, path.into());
        self
    }

    /// A file of requests, one JSON object a line.
    pub fn traffic(self, lines: &str) -> Self {
        let path = self.path("traffic.jsonl");
        std::fs::write(&path, lines).unwrap();
        self.option("--traffic", path)
    }

    /// No more file descriptors than this.
    pub fn with_descriptors(mut self, limit: u32) -> Self {
        self.descriptors = Some(limit);
        self
    }

    /// A file in the folder that goes with the run.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Starts it.
    pub fn start(self) -> Running {
        let binary = env!("CARGO_BIN_EXE_runfair-load");
        let mut command = match self.descriptors {
            None => Command::new(binary),
            Some(limit) => {
                let mut shell = Command::new("sh");
                let script = format!("ulimit -n {limit} && exec \"$0\" \"$@\"");
                shell.arg("-c").arg(script).arg(binary);
                shell
            }
        };
        for (kind, path) in &self.files {
            command.arg(format!("--{kind}")).arg(path);
        }
        let stdout = self.path("stdout");
        let stderr = self.path("stderr");
        let child = command
            .args(&self.options)
            .args(&self.urls)
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stdout(File::create(stdout).unwrap())
            .stderr(File::create(stderr).unwrap())
            .spawn()
            .unwrap();
        Running {
            child,
            generator: self,
        }
    }

    /// Starts it and waits for its end.
    pub fn finish(self) -> Finished {
        self.start().finish()
    }

    /// Runs it and reads what it measured.
    ///
    /// # Panics
    /// It measured nothing, or something is true of no run that is ([`Measurement`]).
    pub fn measure(self) -> Measurement {
        Measurement::of(self.finish())
    }
}

/// A generator that runs.
pub struct Running {
    child: Child,
    generator: Generator,
}

impl Running {
    /// Sends it a signal by name: `INT`, `STOP`, `CONT`.
    pub fn signal(&self, name: &str) {
        // By the shell, whose `kill` is there everywhere and needs no unsafe code.
        let status = Command::new("sh")
            .arg("-c")
            .arg(format!("kill -{name} {}", self.child.id()))
            .status()
            .unwrap();
        assert!(status.success(), "the signal {name} could not be sent");
    }

    /// Lets it open descriptors below this number only.
    pub fn limit_descriptors(&self, limit: u32) {
        let status = Command::new("prlimit")
            .arg(format!("--pid={}", self.child.id()))
            .arg(format!("--nofile={limit}:"))
            .status()
            .unwrap();
        assert!(status.success(), "the limit {limit} could not be set");
    }

    /// Waits for its end.
    ///
    /// # Panics
    /// It does not come.
    pub fn finish(mut self) -> Finished {
        let deadline = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if Instant::now() > deadline {
                self.child.kill().unwrap();
                self.child.wait().unwrap();
                let said = read(&self.generator.path("stderr"));
                panic!("the run had not ended after {PATIENCE:?}; it said: {said}");
            }
            thread::sleep(Duration::from_millis(2));
        };
        let stderr = read(&self.generator.path("stderr"));
        assert!(!stderr.contains("panicked"), "a bug: {stderr}");
        Finished {
            status: status.code(),
            stdout: read(&self.generator.path("stdout")),
            stderr,
            files: self.generator.files,
            _folder: self.generator.folder,
        }
    }
}

/// A generator that has ended.
pub struct Finished {
    /// Its exit status; `None` if a signal ended it.
    pub status: Option<i32>,
    /// What it said for people.
    pub stdout: String,
    /// What it complained of.
    pub stderr: String,
    /// Its files by kind.
    pub files: BTreeMap<&'static str, PathBuf>,
    /// The folder of the files, which lasts as long as this.
    _folder: TempDir,
}

impl Finished {
    /// The one line in which it says what is wrong.
    ///
    /// # Panics
    /// It is not one line, or does not say who speaks.
    pub fn line(&self) -> &str {
        let line = self.stderr.trim_end_matches('\n');
        assert!(
            !line.is_empty() && !line.contains('\n'),
            "one line was due (exit status {:?}): {:?}",
            self.status,
            self.stderr
        );
        assert!(
            line.starts_with("runfair-load: ") || line.starts_with("error:"),
            "nobody speaks: {line}"
        );
        line
    }

    /// The one line of a user's mistake, of which nothing came: exit status 2.
    ///
    /// # Panics
    /// It ended otherwise, or left a result.
    pub fn mistake(&self) -> &str {
        assert_eq!(self.status, Some(2), "{}{}", self.stderr, self.stdout);
        let json = &self.files["json"];
        assert!(!json.is_file(), "a result of nothing: {}", json.display());
        self.line()
    }
}

fn read(path: &Path) -> String {
    String::from_utf8(std::fs::read(path).unwrap()).unwrap()
}
