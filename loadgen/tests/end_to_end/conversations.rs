//! HTTP with an honest server: whatever is asked for is sent, and all of it is good.

use std::collections::BTreeMap;

use crate::generator::{Generator, Measurement};
use crate::servers::honest::GREETING;
use crate::servers::Honest;

/// All of `count` requests were sent and answered well, and the server saw as many.
fn all_good(run: &Measurement, count: u64) {
    assert_eq!(
        run.fates(),
        (count, count, count, count),
        "{:?}",
        run.failures()
    );
    run.has_no_fault_of_the_server();
}

fn against_an_honest_server(options: &str, count: u64) -> Measurement {
    let server = Honest::start();
    let run = Generator::new(server.url("/"), options).measure();
    all_good(&run, count);
    assert_eq!(server.count() as u64, count);
    assert_eq!(run.count("/connections_opened"), run.count("/connections"));
    run
}

#[test]
fn a_name_with_an_address_where_nobody_listens() {
    // Where this machine speaks IPv6, the name's first address is refused.
    let server = Honest::start();
    let url = format!("http://localhost:{}/", server.server.address().port());
    let run = Generator::new(url, "--rate 500 --requests 50 --threads 2").measure();
    assert_eq!(run.fates(), (50, 50, 50, 50));
    assert_eq!(run.count("/connections_opened"), 4);
}

#[test]
fn a_constant_rate() {
    let run = against_an_honest_server("--rate 1000 --duration 1s", 1_000);
    assert_eq!(run.result["loop"], "open");
    assert_eq!(run.result["arrivals"]["process"], "constant");
    assert_eq!(run.result["generator"]["reads_at_once"], false);
}

#[test]
fn poisson_arrivals() {
    let run = against_an_honest_server(
        "--rate 1000 --arrivals poisson --requests 1000 --seed 7",
        1_000,
    );
    assert_eq!(run.result["arrivals"]["process"], "poisson");
    assert_eq!(run.result["arrivals"]["seed"], 7);
}

#[test]
fn a_stepped_rate() {
    let run = against_an_honest_server("--rate 500:500ms,1500:500ms", 1_000);
    assert_eq!(run.result["arrivals"]["rate"], "500:500ms,1500:500ms");
    assert_eq!(run.count("/horizon_ns"), 1_000_000_000);
}

#[test]
fn a_ramp() {
    against_an_honest_server("--rate 0..2000:1s", 1_000);
}

#[test]
fn economy_sends_on_its_grid_and_says_so() {
    let run = against_an_honest_server("--rate 1000 --requests 500 --mode economy", 500);
    assert_eq!(run.result["mode"], "economy");
    // A tick of 1 ms and a wake's own lateness.
    let resolution_ns = run.count("/resolution_ns");
    assert!(
        (1_000_000..2_000_000).contains(&resolution_ns),
        "{resolution_ns}"
    );
    assert!(
        run.run.stdout.contains("resolution 1."),
        "{}",
        run.run.stdout
    );
}

#[test]
fn precise_spins_no_more_than_it_may() {
    let run = against_an_honest_server("--rate 500 --requests 300 --mode precise", 300);
    assert_eq!(run.result["mode"], "precise");
    // 60 µs a request at most are spun: 3% of a run at 500/s.
    let spun = run.result["generator"]["threads"][0]["spin_share"]
        .as_f64()
        .unwrap();
    assert!((0.0..0.06).contains(&spun), "{spun}");
}

#[test]
fn two_threads_share_one_schedule() {
    let run = against_an_honest_server("--rate 1000 --requests 1000 --threads 2", 1_000);
    assert_eq!(
        run.result["generator"]["threads"].as_array().unwrap().len(),
        2
    );
    let gaps = run
        .records
        .windows(2)
        .map(|pair| pair[1].intended_ns - pair[0].intended_ns);
    assert_eq!(gaps.collect::<Vec<_>>(), vec![1_000_000; 999]);
}

#[test]
fn a_closed_loop_is_called_closed() {
    let run = against_an_honest_server("--closed --requests 1000", 1_000);
    assert_eq!(run.result["loop"], "closed");
    assert_eq!(run.result["arrivals"], serde_json::Value::Null);
    assert!(run.run.stdout.contains("closed"), "{}", run.run.stdout);
    assert_ne!(
        run.state(),
        "fair",
        "percentiles of a closed loop are in doubt"
    );
}

#[test]
fn a_closed_loop_ends_with_its_time() {
    let server = Honest::start();
    let run = Generator::new(server.url("/slow/2"), "--closed --duration 200ms").measure();
    let (scheduled, sent, completed, good) = run.fates();
    assert!(scheduled >= 4, "{scheduled}");
    assert_eq!((sent, completed, good), (scheduled, scheduled, scheduled));
    assert_eq!(server.count() as u64, scheduled);
}

#[test]
fn pipelined_in_a_closed_loop() {
    let run = against_an_honest_server("--closed --requests 1000 --pipeline 8", 1_000);
    assert_eq!(run.count("/pipeline"), 8);
}

#[test]
fn pipelined_in_an_open_loop() {
    let options = "--rate 1000 --requests 1000 --pipeline 4 --connections 1";
    let run = against_an_honest_server(options, 1_000);
    assert_eq!(run.result["generator"]["reads_at_once"], true);
}

#[test]
fn over_a_unix_socket() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("http.socket");
    let server = Honest::unix(&path);
    let run = Generator::new("http://service.example/", "--rate 1000 --requests 1000")
        .option("--unix-socket", &path)
        .measure();
    all_good(&run, 1_000);
    assert_eq!(run.result["generator"]["reads_at_once"], true);
    assert!(server
        .seen()
        .iter()
        .all(|request| request.header("host") == Some("service.example")));
}

#[test]
fn every_method_and_every_way_to_tell_a_length() {
    let server = Honest::start();
    let lines = r#"
{"method":"GET","path":"/"}
{"method":"HEAD","path":"/"}
{"method":"HEAD","path":"/chunked"}
{"method":"POST","path":"/echo","body":"number ${sequence}"}
{"method":"PUT","path":"/echo","body_json":{"a":[1,2]}}
{"method":"PATCH","path":"/echo","body_base64":"AAEC"}
{"method":"DELETE","path":"/"}
{"method":"OPTIONS","path":"/"}
{"method":"POST","path":"/echo"}
{"method":"GET","path":"/chunked","expect":{"body_contains":"hello\n"}}
"#;
    let run = Generator::new(server.url("/"), "--rate 1000 --requests 500")
        .traffic(lines)
        .measure();
    all_good(&run, 500);
    let mut methods: BTreeMap<String, usize> = BTreeMap::new();
    for request in server.seen() {
        *methods.entry(request.method).or_default() += 1;
    }
    let due = [
        ("DELETE", 50),
        ("GET", 100),
        ("HEAD", 100),
        ("OPTIONS", 50),
        ("PATCH", 50),
        ("POST", 100),
        ("PUT", 50),
    ];
    assert_eq!(
        methods,
        due.map(|(method, count)| (method.to_owned(), count)).into()
    );
    let bodies: Vec<_> = server
        .seen()
        .into_iter()
        .map(|request| request.body)
        .collect();
    assert!(bodies.contains(&b"number 13".to_vec()));
    assert!(bodies.contains(&br#"{"a":[1,2]}"#.to_vec()));
    assert!(bodies.contains(&vec![0, 1, 2]));
    for record in &run.records {
        let due = match record.index % 10 {
            1 | 2 | 8 => 0,
            3 => format!("number {}", record.index).len() as u64,
            4 => 11,
            5 => 3,
            _ => GREETING.len() as u64,
        };
        assert_eq!(record.answer_bytes, due, "{record:?}");
        assert_eq!(record.template, record.index % 10);
        assert_eq!(record.status, 200);
    }
}

#[test]
fn a_large_body_there_and_back() {
    let server = Honest::start();
    let generator = Generator::new(server.url("/echo"), "--rate 50 --requests 20 --method POST");
    let body = generator.path("body");
    // More than a socket's buffer takes at once.
    let bytes: Vec<u8> = (0..3_000_000u32)
        .map(|number| (number % 251) as u8)
        .collect();
    std::fs::write(&body, &bytes).unwrap();
    let run = generator.option("--body-file", body).measure();
    all_good(&run, 20);
    assert!(run
        .records
        .iter()
        .all(|record| record.answer_bytes == bytes.len() as u64));
    assert!(server.seen().iter().all(|request| request.body == bytes));
}

#[test]
fn a_request_made_of_options() {
    let server = Honest::start();
    let run = Generator::new(
        server.url("/echo?n=${sequence}"),
        "--rate 500 --requests 50",
    )
    .option("--header", "X-Asked: twice")
    .option("--header", "Content-Type: text/plain")
    .option("--body", "${random:5..9} of ${key}")
    .option("--keys", "100")
    .option("--expect-body-contains", " of 0000000000")
    .option("--expect-status", "200,204")
    .measure();
    all_good(&run, 50);
    for request in server.seen() {
        assert_eq!(request.method, "POST");
        assert!(request.path.starts_with("/echo?n="), "{}", request.path);
        assert_eq!(request.header("x-asked"), Some("twice"));
        assert_eq!(request.body.len(), "5 of 000000000012".len());
        assert!((b'5'..=b'9').contains(&request.body[0]));
    }
}
