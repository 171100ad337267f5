//! Mistakes of the user: one line that says what to do, and exit status 2.

use std::net::TcpListener;
use std::path::Path;

use super::process::{command, run};

/// The error line of a relay that never became ready.
fn line(listen: &str, target: &str, report: &Path, more: &[&str]) -> String {
    let (status, said, complained) = run(command(listen, target, report).args(more));
    assert_eq!((status, said.as_str()), (Some(2), ""), "{complained}");
    let line = complained.trim_end_matches('\n');
    assert!(
        line.starts_with("runfair-relay: ") && !line.contains('\n'),
        "{complained}"
    );
    line.to_owned()
}

#[test]
fn what_cannot_be_had_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report.json");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let target = "127.0.0.1:1";
    assert!(line(&address, target, &report, &[]).contains("is in use"));
    assert!(line("192.0.2.1:0", target, &report, &[]).contains("cannot listen at"));
    let unknown = line("127.0.0.1:0", "no-such-name.invalid:1", &report, &[]);
    assert!(unknown.contains("does not resolve"), "{unknown}");
    let unwritable = line(
        "127.0.0.1:0",
        target,
        Path::new("/no/such/report.json"),
        &[],
    );
    assert!(unwritable.contains("cannot be written"), "{unwritable}");
    let folder_as_file = line("127.0.0.1:0", target, folder.path(), &[]);
    assert!(
        folder_as_file.contains("cannot be written"),
        "{folder_as_file}"
    );
    let records = line(
        "127.0.0.1:0",
        target,
        &report,
        &["--records", "/no/such/records"],
    );
    assert!(records.contains("--records"), "{records}");
    let processors = line("127.0.0.1:0", target, &report, &["--cpus", "1000"]);
    assert!(processors.contains("--cpus"), "{processors}");
    let delay = line("127.0.0.1:0", target, &report, &["--delay", "5"]);
    assert!(delay.contains("5s"), "{delay}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_full_disk_is_told_and_the_report_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report.json");
    let mut command = command("127.0.0.1:0", "127.0.0.1:1", &report);
    // Standard input ends at once.
    let (status, _, complained) = run(command.args(["--watch-stdin", "--records", "/dev/full"]));
    assert_eq!(status, Some(2));
    assert!(complained.contains("is not complete"), "{complained}");
    assert!(report.exists());
}
