//! Traffic files: refused in one line, or requests that any server can read.

use runfair_load::traffic::{HttpSpec, KeySpace, Order, Traffic, TrafficFile};

const PATH: &str = "traffic.jsonl";

/// Most requests of a file that are encoded.
const ENCODED: usize = 8;

/// Any bytes as a traffic file.
pub fn traffic_file(data: &[u8]) {
    match TrafficFile::parse(PATH, data) {
        Err(error) => refused(&error.to_string()),
        Ok(file) => encode(file),
    }
}

/// A refusal is one line, which names the place.
fn refused(message: &str) {
    assert!(message.starts_with(PATH), "no place: {message:?}");
    assert!(
        !message.contains(['\n', '\r']),
        "several lines: {message:?}"
    );
}

fn encode(file: TrafficFile) {
    assert!(!file.requests().is_empty(), "a file without a request");
    let requests = file.into_requests();
    let methods: Vec<String> = requests
        .iter()
        .take(ENCODED)
        .map(|request| request.method.clone())
        .collect();
    let Ok(keys) = KeySpace::new(100) else {
        panic!("100 keys are refused");
    };
    let traffic = Traffic::http(HttpSpec {
        requests,
        authority: "example.test".to_owned(),
        order: Order::File,
        keys: Some(keys),
        feed: None,
        seed: 1,
    });
    let traffic = match traffic {
        Ok(traffic) => traffic,
        Err(error) => {
            // Values of a feed are the only thing that a file alone may lack.
            let message = error.to_string();
            refused(&message);
            assert!(
                message.contains("add --feed"),
                "not to be sent: {message:?}"
            );
            return;
        }
    };
    for (index, method) in (0..).zip(methods) {
        let mut wire = Vec::new();
        let encoded = traffic.encode(index, &mut wire);
        assert_eq!(encoded.head, method == "HEAD");
        readable(&wire, &method);
    }
}

/// An independent reader finds one request in the bytes, and nothing after it.
fn readable(wire: &[u8], method: &str) {
    let mut headers = vec![httparse::EMPTY_HEADER; wire.len()];
    let mut request = httparse::Request::new(&mut headers);
    let head_bytes = match request.parse(wire) {
        Ok(httparse::Status::Complete(head_bytes)) => head_bytes,
        other => panic!("{other:?} of {:?}", String::from_utf8_lossy(wire)),
    };
    assert_eq!(request.method, Some(method));
    let lengths: Vec<&[u8]> = request
        .headers
        .iter()
        .filter(|header| header.name.eq_ignore_ascii_case("content-length"))
        .map(|header| header.value)
        .collect();
    let body_bytes = wire.len() - head_bytes;
    match lengths[..] {
        [] => assert_eq!(body_bytes, 0, "a body without a length"),
        [length] => assert_eq!(length, body_bytes.to_string().as_bytes()),
        _ => panic!("several lengths"),
    }
    let hosts = request
        .headers
        .iter()
        .filter(|header| header.name.eq_ignore_ascii_case("host"));
    assert_eq!(hosts.count(), 1, "hosts");
}
