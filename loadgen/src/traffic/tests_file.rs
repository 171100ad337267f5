//! Tests of traffic files: what is read, what is refused and where.

use super::*;
use crate::protocol::expectation::{BodyRule, Expectation, StatusRule};
use crate::traffic::Body;
use proptest::prelude::*;
use serde_json::json;

/// Lines that are read. The lab's tests find that the schema allows them, and refuses those of `BAD`.
const GOOD: &str = include_str!("../../tests/vectors/traffic_good.jsonl");
const BAD: &str = include_str!("../../tests/vectors/traffic_bad.jsonl");

fn good(index: usize) -> &'static str {
    GOOD.lines().nth(index).unwrap()
}

fn parse(text: &str) -> Result<TrafficFile, FileError> {
    TrafficFile::parse("traffic.jsonl", text.as_bytes())
}

fn one(line: &str) -> RequestSpec {
    parse(line).unwrap().into_requests().remove(0)
}

fn refused(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

#[test]
fn a_line_says_all_that_a_request_can() {
    let spec = one(good(1));
    assert_eq!(spec.method, "POST");
    assert_eq!(spec.path, "/x?y=${random:1..9}");
    let headers = [("K", "v"), ("A", "b")].map(|(n, v)| (n.to_owned(), v.to_owned()));
    assert_eq!(spec.headers, headers);
    assert_eq!(spec.body, Body::Text("n=${sequence}".to_owned()));
    assert_eq!((spec.weight, spec.at_ns), (1.5, Some(123)));
    assert_eq!(spec.expect, Expectation::default());
    assert_eq!(spec.place.as_deref(), Some("traffic.jsonl:1"));

    let repeated = one(good(2));
    assert_eq!(repeated.method, "GET");
    assert_eq!(repeated.headers.len(), 2);
    assert_eq!(repeated.at_ns, Some(1_250_000_000));
}

#[test]
fn bodies_come_in_three_forms() {
    assert_eq!(one(good(3)).body, Body::Bytes(vec![0, 1, 2, 255]));
    let json = one(good(4));
    assert_eq!(
        json.body,
        Body::Text(r#"{"a":"${key}","b":[1,null]}"#.to_owned())
    );
    let content_type = ("Content-Type".to_owned(), "application/json".to_owned());
    assert_eq!(json.headers, [content_type]);
    assert_eq!(one(good(5)).body, Body::Text("null".to_owned()));
    let own = one(r#"{"path":"/","headers":{"content-type":"a/b"},"body_json":1}"#);
    assert_eq!(own.headers, [("content-type".to_owned(), "a/b".to_owned())]);
}

#[test]
fn expectations_are_compiled() {
    assert_eq!(one(good(6)).expect.status, StatusRule::OneOf(vec![200]));
    let several = one(good(7)).expect;
    assert_eq!(several.status, StatusRule::OneOf(vec![200, 404]));
    assert_eq!(
        several.body,
        [
            BodyRule::Contains(b"ok".to_vec()),
            BodyRule::Json(vec![
                (String::new(), json!({})),
                ("/a/0".to_owned(), json!(1))
            ]),
        ]
    );
    let digest = one(good(8)).expect;
    assert_eq!(digest.status, StatusRule::Class(2));
    let [BodyRule::Sha256(bytes)] = digest.body.as_slice() else {
        panic!("no digest: {:?}", digest.body);
    };
    assert_eq!((bytes[0], bytes[31]), (0xe3, 0x55));
}

#[test]
fn blank_lines_are_skipped_but_counted() {
    let file = parse("\n{\"path\":\"/a\"}\r\n  \n{\"path\":\"/b\"}\n\n").unwrap();
    let places: Vec<_> = file
        .requests()
        .iter()
        .filter_map(|r| r.place.as_deref())
        .collect();
    assert_eq!(places, ["traffic.jsonl:2", "traffic.jsonl:4"]);
}

#[test]
fn errors_carry_line_and_column() {
    let (good, class) = (
        r#"{"path":"/"}"#,
        "a status (200), a list of them ([200, 404]) or a class (\"2xx\")",
    );
    for (text, message) in [
        (String::new(), "traffic.jsonl: the file contains no request".to_owned()),
        (" \n\n".to_owned(), "traffic.jsonl: the file contains no request".to_owned()),
        (
            format!("{good}\n{{\"path\":\"/\",\"colour\":1}}"),
            "traffic.jsonl:2:20: unknown field `colour`, expected one of `method`, `path`, `headers`, `body`, `body_base64`, `body_json`, `weight`, `at_ns`, `at_s`, `expect`".to_owned(),
        ),
        (
            format!("{good}\n\n{{\"path\":\"/\""),
            "traffic.jsonl:3:11: EOF while parsing an object".to_owned(),
        ),
        ("{}".to_owned(), "traffic.jsonl:1:2: missing field `path`".to_owned()),
        (
            r#"{"path":"/","method":"get"}"#.to_owned(),
            "traffic.jsonl:1:27: HTTP methods are case-sensitive: write GET, not get".to_owned(),
        ),
        (
            r#"{"path":"x","weight":1}"#.to_owned(),
            "traffic.jsonl:1:11: the path \"x\" does not begin with /".to_owned(),
        ),
        (
            r#"{"path":"/","expect":{"status":700}}"#.to_owned(),
            "traffic.jsonl:1:34: 700 is not a status (200 to 599)".to_owned(),
        ),
        (
            r#"{"path":"/","expect":{"status":"ok"}}"#.to_owned(),
            format!("traffic.jsonl:1:35: invalid value: string \"ok\", expected {class}"),
        ),
        (
            r#"{"path":"/","body":"a","body_json":1}"#.to_owned(),
            "traffic.jsonl:1:1: give one of body, body_base64 and body_json".to_owned(),
        ),
        (
            r#"{"path":"/","at_ns":1,"at_s":1}"#.to_owned(),
            "traffic.jsonl:1:1: give one of at_ns and at_s".to_owned(),
        ),
    ] {
        assert_eq!(refused(&text), message, "for {text:?}");
    }
}

#[test]
fn values_that_make_no_sense_are_refused() {
    for (line, part) in [
        (
            r#"{"path":"/","headers":{"X":"a\r\nY: b"}}"#,
            "would end or break its line",
        ),
        (r#"{"path":"/","headers":{"X":1}}"#, "expected a string"),
        (
            r#"{"path":"/","headers":"X: 1"}"#,
            "expected an object of headers",
        ),
        (r#"{"path":"/","headers":[["X"]]}"#, "invalid length 1"),
        (
            r#"{"path":"/","body":"${x}"}"#,
            "the body: \"${x}\" is not a field",
        ),
        (
            r#"{"path":"/","body_json":{"a":"${x}"}}"#,
            "the body: \"${x}\" is not a field",
        ),
        (r#"{"path":"/","body_base64":"?"}"#, "not valid base64"),
        (
            r#"{"path":"/","weight":0}"#,
            "the weight 0 is not a positive number",
        ),
        (r#"{"path":"/","at_s":-1}"#, "-1 is not a time"),
        (r#"{"path":"/","at_ns":-1}"#, "expected u64"),
        (r#"{"path":"/","expect":{"status":[]}}"#, "allows no status"),
        (
            r#"{"path":"/","expect":{"status":"1xx"}}"#,
            "expected a status",
        ),
        (
            r#"{"path":"/","expect":{"body_sha256":"ab"}}"#,
            "64 hexadecimal digits",
        ),
        (
            r#"{"path":"/","expect":{"body_contains":""}}"#,
            "leave it out",
        ),
        (r#"{"path":"/","expect":{"json":{"a":1}}}"#, "write \"/a\""),
        (
            r#"{"path":"/","expect":{"json":{}}}"#,
            "nothing would be checked",
        ),
        (
            r#"{"path":"/","expect":{"colour":1}}"#,
            "unknown field `colour`",
        ),
        (
            r#"{"method":"HEAD","path":"/","expect":{"body_contains":"x"}}"#,
            "HEAD has no body",
        ),
        (r#"["/"]"#, "traffic.jsonl:1:"),
        ("nonsense", "traffic.jsonl:1:2: expected ident"),
        (
            r#"{"path":"/"} {"path":"/"}"#,
            "traffic.jsonl:1:14: trailing characters",
        ),
    ] {
        let message = refused(line);
        assert!(message.contains(part), "{line}: {message}");
        assert!(message.starts_with("traffic.jsonl:1:"), "{line}: {message}");
        assert!(!message.contains(" at line "), "{line}: {message}");
    }
}

#[test]
fn what_is_not_text_is_refused_where_it_stands() {
    let error = TrafficFile::parse("t", b"{\"path\":\"/\"}\n{\"path\":\"/\xff\"}").unwrap_err();
    assert_eq!(error.to_string(), "t:2:11: this is not UTF-8");
}

#[test]
fn files_that_cannot_be_read_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.jsonl");
    let error = TrafficFile::read(&missing).unwrap_err().to_string();
    assert!(
        error.contains("missing.jsonl: cannot be read: No such file"),
        "{error}"
    );
    assert!(TrafficFile::read(folder.path()).is_err());
    let present = folder.path().join("present.jsonl");
    std::fs::write(&present, GOOD).unwrap();
    assert_eq!(
        TrafficFile::read(&present).unwrap().requests().len(),
        GOOD.lines().count()
    );
}

#[test]
fn stamps_make_a_trace() {
    let file =
        parse("{\"path\":\"/\",\"at_ns\":5}\n\n{\"path\":\"/\",\"at_s\":0.000000105}").unwrap();
    assert_eq!(file.trace(2.0).unwrap().intended_ns(), [0, 50]);
    let without = parse("{\"path\":\"/\",\"at_ns\":5}\n{\"path\":\"/\"}").unwrap();
    assert_eq!(
        without.trace(1.0).unwrap_err().to_string(),
        "traffic.jsonl:2: the request has neither at_ns nor at_s; a trace needs one of them on every line"
    );
    let unsorted = parse("{\"path\":\"/\",\"at_ns\":5}\n{\"path\":\"/\",\"at_ns\":4}").unwrap();
    assert!(unsorted.trace(1.0).unwrap_err().to_string().starts_with(
        "traffic.jsonl: line 2: the time stamp 4 ns is earlier than the time stamp above it"
    ));
}

#[test]
fn good_lines_are_read_and_bad_ones_are_refused() {
    for line in GOOD.lines() {
        assert!(parse(line).is_ok(), "{line}");
    }
    for line in BAD.lines() {
        assert!(parse(line).is_err(), "{line}");
    }
}

#[test]
fn a_name_with_a_line_break_stays_on_its_line() {
    let error = parse(r#"{"path\r\nA: b":1}"#).unwrap_err().to_string();
    assert!(error.contains(r"path\r\nA: b"), "{error}");
    assert!(!error.contains(char::is_control), "{error:?}");
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
        let _ = TrafficFile::parse("t", &bytes);
    }

    #[test]
    fn no_cut_line_panics(at in 0usize..200, line in 0usize..10) {
        let text = good(line);
        let cut = &text[..at.min(text.len())];
        prop_assert!(cut.len() == text.len() || parse(cut).is_err());
    }
}
