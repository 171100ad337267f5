//! Replays the inputs kept from fuzzing, without a fuzzer.

use std::fs;
use std::path::Path;

#[path = "../fuzz/src/lib.rs"]
mod fuzzed;

/// Gives every kept input of a target to it.
fn replay(target: &str, check: fn(&[u8]), at_least: usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/corpus")
        .join(target);
    let mut inputs = 0;
    for entry in fs::read_dir(&folder).unwrap_or_else(|error| panic!("{folder:?}: {error}")) {
        let path = entry.unwrap_or_else(|error| panic!("{error}")).path();
        let data = fs::read(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        println!("{}", path.display());
        check(&data);
        inputs += 1;
    }
    assert!(inputs >= at_least, "only {inputs} inputs in {folder:?}");
}

#[test]
fn http_answers() {
    replay("http_answer", fuzzed::http_answer, 20);
}

#[test]
fn resp_answers() {
    replay("resp_answer", fuzzed::resp_answer, 15);
}

#[test]
fn http2_answers() {
    replay("http2_answer", fuzzed::http2_answer, 25);
}

#[test]
fn grpc_answers() {
    replay("grpc_answer", fuzzed::grpc_answer, 10);
}

#[test]
fn traffic_files() {
    replay("traffic_file", fuzzed::traffic_file, 10);
}
