//! The recorded values of each query.

use std::io::{Read, Write};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::process::{Record, Relay, PATIENCE};
use super::servers::{echo, serving, store};

const DELAY_NS: u64 = 10_000_000;
const HALF_NS: u64 = DELAY_NS / 2;

/// The time of each part: the way there, the server, the way back.
fn parts(record: &Record) -> [u64; 3] {
    let [arrived_ns, forwarded_ns, answered_ns, delivered_ns] = record.instants;
    [
        forwarded_ns - arrived_ns,
        answered_ns - forwarded_ns,
        delivered_ns - answered_ns,
    ]
}

#[test]
fn each_pipelined_command_has_its_own_times() {
    let service = Duration::from_millis(4);
    let relay = Relay::to(store(service), "--delay 10ms --protocol redis");
    let mut client = relay.connect();
    client.write_all(b"one\r\nbad two\r\nthree\r\n").unwrap();
    let mut heard = [0; 24];
    client.read_exact(&mut heard).unwrap();
    assert_eq!(&heard, b"+one\r\n-bad two\r\n+three\r\n");
    drop(client);
    let finished = relay.finish();
    let queries = finished.report.queries;
    assert_eq!(
        (queries.answered, queries.failed, queries.unfinished),
        (3, 1, 0)
    );
    let outcomes: Vec<_> = finished.records.iter().map(|it| it.outcome).collect();
    assert_eq!(outcomes, [0, 1, 0]);
    let bytes: Vec<_> = finished.records.iter().map(|it| it.bytes).collect();
    assert_eq!(bytes, [[5, 6], [9, 10], [7, 8]]);
    for (place, record) in finished.records.iter().enumerate() {
        let [there_ns, server_ns, back_ns] = parts(record);
        assert!(there_ns >= HALF_NS && back_ns >= HALF_NS, "{record:?}");
        // All requests were sent together, and the server needed its time for each.
        let service_ns = service.as_nanos() as u64 * (place as u64 + 1);
        assert!(server_ns >= service_ns * 9 / 10, "{record:?}");
    }
    let times = finished.report.server_time_ns;
    assert!(times.count == 3 && times.min.unwrap() >= 3_600_000);
    assert!(finished.report.whole_time_ns.min.unwrap() >= DELAY_NS * 999 / 1_000);
}

#[test]
fn a_request_for_encryption_is_declined_and_goes_no_further() {
    // The echoed startup packet is not a valid answer of PostgreSQL.
    let relay = Relay::to(serving(echo), "--delay 20ms --protocol postgresql");
    let mut client = relay.connect();
    let asked = Instant::now();
    for code in [80_877_104_u32, 80_877_103] {
        client
            .write_all(&[8_u32.to_be_bytes(), code.to_be_bytes()].concat())
            .unwrap();
        let mut answer = [0];
        client.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"N");
    }
    // A handshake and two answers, all delayed by the round trip.
    assert!(asked.elapsed() >= Duration::from_millis(3 * 20 - 1));
    let startup = b"\0\0\0\x0d\0\x03\0\0user\0";
    client.write_all(startup).unwrap();
    let mut heard = [0; 13];
    client.read_exact(&mut heard).unwrap();
    assert_eq!(&heard, startup);
    let report = relay.finish().report;
    assert_eq!(report.queries.encryption_declined, 2);
    assert_eq!(report.bytes.to_target, 13);
    let reason = "the server does not speak PostgreSQL's protocol 3";
    assert_eq!(report.unparsed_streams.get(reason), Some(&1));
}

#[test]
fn another_protocol_than_declared_passes_as_plain_tcp_and_is_said() {
    let relay = Relay::to(serving(echo), "--delay 1ms --protocol postgresql");
    let mut client = relay.connect();
    for _ in 0..3 {
        client.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
        client.read_exact(&mut [0; 18]).unwrap();
    }
    let report = relay.finish().report;
    let reason = "the client does not speak PostgreSQL's protocol 3";
    assert_eq!(report.unparsed_streams.get(reason), Some(&1));
    assert_eq!(
        report.queries.answered, 2,
        "bursts are timed after the first bytes"
    );
}

#[test]
fn queries_that_are_under_way_at_the_end_are_counted() {
    let (seen, sights) = mpsc::channel();
    // A store that hears its clients, and answers nothing.
    let server = serving(move |mut stream| {
        let mut buffer = [0; 64];
        while let Ok(count @ 1..) = stream.read(&mut buffer) {
            let _ = seen.send(count);
        }
    });
    let relay = Relay::to(server, "--delay 0s --protocol redis");
    let mut client = relay.connect();
    client.write_all(b"one\r\ntwo\r\n").unwrap();
    let mut gone = relay.connect();
    gone.write_all(b"three\r\n").unwrap();
    let mut heard = 0;
    while heard < b"one\r\ntwo\r\nthree\r\n".len() {
        heard += sights.recv_timeout(PATIENCE).unwrap();
    }
    drop(gone);
    let finished = relay.finish();
    assert_eq!(finished.report.queries.unfinished, 3);
    assert!(finished
        .records
        .iter()
        .all(|it| it.outcome == 2 && it.instants[2] == 0));
    assert_eq!(finished.records.len(), 3);
}

#[test]
fn records_outlive_a_relay_that_is_killed() {
    let mut relay = Relay::to(store(Duration::ZERO), "--delay 0s --protocol redis");
    let mut client = relay.connect();
    let deadline = Instant::now() + PATIENCE;
    loop {
        client.write_all(b"ping\r\n").unwrap();
        client.read_exact(&mut [0; 7]).unwrap();
        if !Record::all(&std::fs::read(relay.records()).unwrap()).is_empty() {
            break;
        }
        assert!(
            Instant::now() < deadline,
            "records are not written as they come"
        );
    }
    relay.signal("KILL");
    assert_eq!(relay.wait(), None);
    assert!(!Record::all(&std::fs::read(relay.records()).unwrap()).is_empty());
}
