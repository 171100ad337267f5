//! A user's mistakes, and disks that are full: one clear line each.

use crate::generator::Generator;
use crate::servers::Honest;

/// Nobody is asked: what is wrong is found before the first connection.
const URL: &str = "http://127.0.0.1:1/";

/// The line that a mistake gives.
fn line(url: &str, options: &str) -> String {
    Generator::new(url, options).finish().mistake().to_owned()
}

fn says(line: &str, words: &[&str]) {
    for word in words {
        assert!(line.contains(word), "{word:?} is not in: {line}");
    }
}

#[test]
fn a_name_that_does_not_resolve() {
    let line = line("http://no-such-host.invalid/", "--rate 10 --requests 1");
    says(&line, &["no-such-host.invalid", "resolve"]);
}

#[test]
fn urls_that_are_none() {
    says(
        &line("ftp://localhost/", "--rate 10 --requests 1"),
        &["ftp://localhost/", "scheme"],
    );
    says(
        &line("http://localhost:99999/", "--rate 10 --requests 1"),
        &["port"],
    );
}

#[test]
fn a_file_that_cannot_be_made_has_its_reason_once() {
    // /proc takes no file.
    let generator = Generator::new(URL, "--rate 10 --requests 1").writing("hlog", "/proc/no-file");
    let finished = generator.finish();
    let line = finished.mistake();
    says(line, &["/proc/no-file", "cannot be written"]);
    assert_eq!(line.matches("os error").count(), 1, "{line}");
}

#[test]
fn rates_that_send_nothing() {
    says(&line(URL, "--rate 0 --requests 1"), &["rate"]);
    says(&line(URL, "--rate fast --requests 1"), &["fast"]);
    says(&line(URL, "--rate -5 --requests 1"), &["-5"]);
    says(&line(URL, "--rate 10 --requests 0"), &["--requests 0"]);
    says(&line(URL, "--rate 10 --duration 0s"), &["duration"]);
    says(&line(URL, "--rate 10 --duration 10"), &["10s"]);
}

#[test]
fn options_that_contradict_each_other() {
    says(&line(URL, "--requests 10"), &["--rate", "--closed"]);
    says(&line(URL, "--rate 10 --closed"), &["--closed", "--rate"]);
    says(
        &line(URL, "--rate 10 --duration 1s --requests 10"),
        &["--duration", "--requests"],
    );
    says(
        &line(URL, "--rate 10 --requests 1 --connections 2 --threads 3"),
        &["--threads"],
    );
    says(
        &line(URL, "--rate 10 --requests 1 --connections 0"),
        &["--connections"],
    );
    says(
        &line(URL, "--rate 10 --duration 1s --warmup 1s"),
        &["--warmup"],
    );
    says(
        &line(URL, "--rate 10 --requests 1 --check-share 1.5"),
        &["--check-share"],
    );
    says(
        &line(URL, "--rate 10 --requests 1 --no-such-option"),
        &["--no-such-option"],
    );
}

/// A traffic file of these lines.
fn traffic(lines: &str) -> String {
    let run = Generator::new(URL, "--rate 10 --requests 1")
        .traffic(lines)
        .finish();
    run.mistake().to_owned()
}

#[test]
fn a_malformed_traffic_file_is_told_by_line_and_column() {
    says(
        &traffic("{\"path\":\"/\"}\n{\"path\":\"/\",}\n"),
        &["traffic.jsonl:2:13"],
    );
    says(
        &traffic("{\"path\":\"/\"}\n\n{\"pfad\":\"/\"}\n"),
        &["traffic.jsonl:3:", "pfad"],
    );
    says(
        &traffic("{\"path\":\"/\",\"method\":\"GE T\"}\n"),
        &["traffic.jsonl:1:"],
    );
    says(
        &traffic("{\"path\":\"/\",\"headers\":{\"A\":\"b\\r\\nC: d\"}}\n"),
        &["traffic.jsonl:1:"],
    );
    says(&traffic(""), &["traffic.jsonl"]);
    says(&traffic("\u{1b}[2J"), &["traffic.jsonl:1:1"]);
}

#[test]
fn no_line_carries_what_a_terminal_obeys() {
    let line = traffic("{\"path\":\"/\",\"\\u001b]0;owned\\u0007\":1}\n");
    assert!(line.chars().all(|c| !c.is_control()), "{line:?}");
}

#[test]
fn files_that_cannot_be_read() {
    let options = "--rate 10 --requests 1";
    let run = Generator::new(URL, options)
        .option("--traffic", "nowhere.jsonl")
        .finish();
    says(run.mistake(), &["nowhere.jsonl"]);
    let run = Generator::new(URL, options)
        .option("--traffic", ".")
        .finish();
    says(run.mistake(), &["directory"]);
    let run = Generator::new(URL, options)
        .option("--body-file", "nowhere.body")
        .finish();
    says(run.mistake(), &["nowhere.body"]);
    let run = Generator::new(URL, options)
        .option("--ca", "nowhere.pem")
        .finish();
    run.mistake();
}

#[test]
fn files_in_folders_that_do_not_exist_are_found_before_the_run() {
    let server = Honest::start();
    for kind in ["json", "hlog", "hgrm", "records"] {
        let run = Generator::new(server.url("/"), "--rate 10 --requests 1")
            .writing(kind, "nowhere/file")
            .finish();
        says(run.mistake(), &["nowhere"]);
    }
    assert_eq!(server.count(), 0, "nothing was sent");
}

#[test]
fn files_that_cannot_be_made_are_found_before_the_run() {
    let server = Honest::start();
    for kind in ["json", "hlog", "hgrm", "records"] {
        // A folder that is there and takes no file, whoever asks.
        let run = Generator::new(server.url("/"), "--rate 10 --requests 1")
            .writing(kind, "/proc/run")
            .finish();
        says(run.mistake(), &["/proc/run"]);
    }
    assert_eq!(server.count(), 0, "nothing was sent");
}

#[test]
fn a_server_that_cannot_be_reached_costs_no_earlier_run() {
    let generator = Generator::new(URL, "--rate 10 --requests 1");
    let kinds = ["json", "hlog", "hgrm", "records"];
    for kind in kinds {
        std::fs::write(generator.path(&format!("run.{kind}")), kind).unwrap();
    }
    let run = generator.finish();
    assert_eq!(run.status, Some(2));
    says(run.line(), &["127.0.0.1:1"]);
    for kind in kinds {
        assert_eq!(std::fs::read_to_string(&run.files[kind]).unwrap(), kind);
    }
    let folder = run.files["json"].parent().unwrap();
    let left = std::fs::read_dir(folder).unwrap().count();
    assert_eq!(left, kinds.len() + 2, "and the two that it speaks to");
}

#[test]
fn too_few_descriptors() {
    let server = Honest::start();
    let run = Generator::new(server.url("/"), "--rate 10 --requests 1 --connections 100")
        .with_descriptors(40)
        .finish();
    says(run.mistake(), &["descriptors"]);
    assert_eq!(server.count(), 0);
}

/// A device that is always full.
const FULL: &str = "/dev/full";

#[test]
fn a_full_disk_ends_one_file_and_not_the_others() {
    let server = Honest::start();
    for kind in ["hlog", "hgrm", "records", "json"] {
        let run = Generator::new(server.url("/"), "--rate 500 --requests 200")
            .writing(kind, FULL)
            .finish();
        assert!(
            !matches!(run.status, Some(0) | None),
            "{kind}: {:?}",
            run.status
        );
        says(run.line(), &[FULL]);
        if kind != "json" {
            let json = std::fs::read(&run.files["json"]).unwrap();
            let result: serde_json::Value = serde_json::from_slice(&json).unwrap();
            assert_eq!(result["requests"]["good"], 200);
        }
        if kind != "records" {
            let records = crate::generator::records::Records::read(&run.files["records"]);
            assert_eq!(records.all.len(), 200);
        }
        if kind != "hlog" {
            let log = crate::generator::interval_log::IntervalLog::read(&run.files["hlog"]);
            assert_eq!(log.whole("latency").len(), 200);
        }
    }
}
