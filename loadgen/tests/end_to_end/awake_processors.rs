//! Processors that are kept awake while a run lasts, and sleep again after it.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use crate::generator::{Generator, Measurement, Running};
use crate::servers::Honest;

/// The word of Linux for a processor that may not sleep.
const AWAKE: &str = "n/a";

/// One of the processors that the tests may use, and the file with its limit.
struct Processor {
    number: usize,
    file: String,
    /// Its limit before the test; empty where the system has none.
    before: String,
    /// Whether a run can keep it awake.
    can: bool,
}

impl Processor {
    fn any() -> Self {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let allowed = status
            .lines()
            .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))
            .unwrap();
        let number = allowed.trim().split([',', '-']).next_back().unwrap();
        let file = format!("/sys/devices/system/cpu/cpu{number}/power/pm_qos_resume_latency_us");
        let before = fs::read_to_string(&file).unwrap_or_default();
        let may_write = fs::OpenOptions::new().write(true).open(&file).is_ok();
        Self {
            number: number.parse().unwrap(),
            can: may_write || before.trim_end() == AWAKE,
            file,
            before,
        }
    }

    fn limit(&self) -> String {
        fs::read_to_string(&self.file).unwrap_or_default()
    }

    /// A run on it, once requests have come.
    fn run(&self, server: &Honest, options: &str) -> Running {
        let before = server.count();
        let running = Generator::new(server.url("/"), options)
            .option("--cpus", self.number.to_string())
            .start();
        server.wait_for(before + 20);
        running
    }

    fn expect_back(&self) {
        let deadline = Instant::now() + Duration::from_secs(10);
        while self.limit() != self.before {
            assert!(Instant::now() < deadline, "left at {:?}", self.limit());
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// One test, since all of it is about one processor of the machine.
#[test]
fn a_processor_is_kept_awake_for_the_exact_modes_and_left_as_it_was() {
    let processor = Processor::any();
    let server = Honest::start();
    for (options, wanted) in [
        ("--rate 200 --requests 100 --keep-awake", true),
        (
            "--rate 200 --requests 100 --mode precise --keep-awake",
            true,
        ),
        ("--rate 200 --requests 100", false),
        (
            "--rate 200 --requests 100 --mode economy --keep-awake",
            false,
        ),
    ] {
        let running = processor.run(&server, options);
        let meanwhile = processor.limit();
        let run = Measurement::of(running.finish());
        assert_eq!(processor.limit(), processor.before, "after {options}");
        let kept = wanted && processor.can;
        if kept {
            assert_eq!(meanwhile.trim_end(), AWAKE, "{options}");
        } else {
            assert_eq!(meanwhile, processor.before, "{options}");
        }
        assert_eq!(run.result["generator"]["threads"][0]["kept_awake"], kept);
        let told = run.run.stdout.contains("| kept awake");
        assert_eq!(told, kept, "{}", run.run.stdout);
    }
    for signal in ["KILL", "TERM", "INT"] {
        let running = processor.run(&server, "--rate 200 --duration 20s --keep-awake");
        if processor.can {
            assert_eq!(processor.limit().trim_end(), AWAKE, "before {signal}");
        }
        running.signal(signal);
        processor.expect_back();
        drop(running);
    }
}
