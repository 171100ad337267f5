//! All bytes pass in order, and are delayed by the declared time in each direction.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::thread;
use std::time::{Duration, Instant};

use super::process::Relay;
use super::servers::{echo, serving};

/// Bytes without a repeating pattern, which could hide a mistake.
fn noise(count: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as u8
    };
    std::iter::repeat_with(&mut next).take(count).collect()
}

#[test]
fn bytes_come_back_as_they_went_and_no_sooner_than_declared() {
    let relay = Relay::to(serving(echo), "--delay 5ms");
    let mut client = relay.connect();
    let content = noise(300_000);
    let sent = content.clone();
    let mut writer = client.try_clone().unwrap();
    let writing = thread::spawn(move || {
        for piece in sent.chunks(7_001) {
            writer.write_all(piece).unwrap();
        }
        writer.shutdown(Shutdown::Write).unwrap();
    });
    let mut heard = Vec::new();
    client.read_to_end(&mut heard).unwrap();
    writing.join().unwrap();
    assert!(
        heard == content,
        "{} of {} bytes",
        heard.len(),
        content.len()
    );
    let mut client = relay.connect();
    let asked = Instant::now();
    for _ in 0..5 {
        client.write_all(b"?").unwrap();
        client.read_exact(&mut [0]).unwrap();
    }
    // The round trip of the handshake comes first.
    assert!(asked.elapsed() >= 6 * Duration::from_millis(5) - Duration::from_millis(1));
    let finished = relay.finish();
    assert_eq!(finished.report.bytes.to_target, 300_005);
    assert_eq!(finished.report.bytes.to_clients, 300_005);
    let error = finished.report.punctuality.delay_error_ns;
    assert!(error.count >= 10 && error.min.unwrap() < 1_000_000);
}

#[test]
fn what_is_pipelined_sees_the_wire_once() {
    let delay = Duration::from_millis(40);
    let relay = Relay::to(serving(echo), "--delay 40ms");
    let mut client = relay.connect();
    let begun = Instant::now();
    for _ in 0..200 {
        client.write_all(b"question").unwrap();
    }
    client.read_exact(&mut [0; 1600]).unwrap();
    let took = begun.elapsed();
    assert!(took >= delay && took < 200 * delay / 4, "{took:?}");
}

#[test]
fn a_thousand_connections_do_not_wait_for_one_another() {
    runfair_measuring::kernel::descriptors::raise();
    let relay = Relay::to(serving(echo), "--delay 20ms");
    let begun = Instant::now();
    let mut clients: Vec<_> = (0..1_000).map(|_| relay.connect()).collect();
    for (number, client) in clients.iter_mut().enumerate() {
        client.write_all(&(number as u32).to_be_bytes()).unwrap();
    }
    for (number, client) in clients.iter_mut().enumerate() {
        let mut heard = [0; 4];
        client.read_exact(&mut heard).unwrap();
        assert_eq!(u32::from_be_bytes(heard), number as u32);
    }
    assert!(begun.elapsed() < 1_000 * Duration::from_millis(20) / 2);
    let finished = relay.finish();
    assert_eq!(finished.report.connections.accepted, 1_000);
    assert_eq!(finished.report.connections.most_open, 1_000);
    assert_eq!(finished.report.connections.open_at_end, 1_000);
    assert_eq!(finished.report.queries.answered, 1_000);
    let mut connections: Vec<_> = finished.records.iter().map(|it| it.connection).collect();
    connections.sort_unstable();
    assert!(connections.into_iter().eq(0..1_000));
}

#[test]
fn the_delay_does_not_limit_throughput() {
    const BYTES: usize = 64 << 20;
    let source = serving(|mut stream| {
        let _ = stream.write_all(&noise(BYTES / 64).repeat(64));
    });
    let relay = Relay::to(source, "--delay 100ms");
    let begun = Instant::now();
    let mut heard = Vec::new();
    relay.connect().read_to_end(&mut heard).unwrap();
    assert_eq!(heard.len(), BYTES);
    assert!(heard
        .chunks(BYTES / 64)
        .all(|part| part == &heard[..BYTES / 64]));
    // With a window of 64 KiB in each round trip, it would take 100 s.
    assert!(begun.elapsed() < Duration::from_secs(25));
}

#[test]
fn a_reader_that_is_slow_makes_the_sender_wait_and_memory_stays_bounded() {
    const BYTES: usize = 48 << 20;
    let source = serving(|mut stream| {
        let _ = stream.write_all(&vec![9; BYTES]);
    });
    let relay = Relay::to(source, "--delay 1ms");
    let mut client = relay.connect();
    thread::sleep(Duration::from_secs(1));
    // Other connections are served meanwhile.
    let mut other = relay.connect();
    other.read_exact(&mut [0]).unwrap();
    drop(other);
    let mut heard = Vec::new();
    client.read_to_end(&mut heard).unwrap();
    assert_eq!(heard.len(), BYTES);
    let report = relay.finish().report;
    assert!(report.punctuality.held_back > 0);
    assert!(
        report.cost.peak_rss_bytes < BYTES as u64 / 2,
        "{:?}",
        report.cost
    );
}

#[test]
fn unix_sockets_on_both_sides() {
    let folder = tempfile::tempdir().unwrap();
    let (near, far) = (folder.path().join("near"), folder.path().join("far"));
    let listener = UnixListener::bind(&far).unwrap();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut heard = String::new();
        stream.read_to_string(&mut heard).unwrap();
        stream.write_all(heard.to_uppercase().as_bytes()).unwrap();
    });
    let listen = format!("unix:{}", near.display());
    let relay = Relay::between(&listen, format!("unix:{}", far.display()), "--delay 2ms");
    let mut client = UnixStream::connect(&near).unwrap();
    client.write_all(b"hello").unwrap();
    client.shutdown(Shutdown::Write).unwrap();
    let mut heard = String::new();
    client.read_to_string(&mut heard).unwrap();
    assert_eq!(heard, "HELLO");
    let finished = relay.finish();
    assert_eq!(finished.report.listen, listen);
    assert_eq!(finished.records.len(), 1);
    assert!(!near.exists());
}
