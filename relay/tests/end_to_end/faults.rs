//! Broken connections, and servers that are restarted.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener};
use std::sync::{mpsc, Arc, Mutex};
use std::thread;

use super::process::{Relay, PATIENCE};
use super::servers::{echo, reset, serving};

#[test]
fn half_of_a_connection_can_be_closed() {
    let server = serving(|mut stream| {
        let mut heard = Vec::new();
        stream.read_to_end(&mut heard).unwrap();
        let answer = format!("{} bytes", heard.len());
        stream.write_all(answer.as_bytes()).unwrap();
    });
    let relay = Relay::to(server, "--delay 5ms");
    let mut client = relay.connect();
    client.write_all(&[1; 1_000]).unwrap();
    client.shutdown(Shutdown::Write).unwrap();
    let mut heard = String::new();
    client.read_to_string(&mut heard).unwrap();
    assert_eq!(heard, "1000 bytes");
    let connections = relay.finish().report.connections;
    assert_eq!((connections.reset, connections.open_at_end), (0, 0));
}

#[test]
fn a_reset_by_the_server_reaches_the_client_after_what_it_had_sent() {
    let (read, told) = mpsc::channel();
    let told = Arc::new(Mutex::new(told));
    let server = serving(move |mut stream| {
        stream.read_exact(&mut [0]).unwrap();
        stream.write_all(b"partial").unwrap();
        // A reset discards bytes that the receiver has not read, so the answer must be read
        // first.
        told.lock().unwrap().recv_timeout(PATIENCE).unwrap();
        reset(stream);
    });
    let relay = Relay::to(server, "--delay 5ms");
    let mut client = relay.connect();
    client.write_all(b"?").unwrap();
    client.read_exact(&mut [0; 7]).unwrap();
    read.send(()).unwrap();
    let error = client.read(&mut [0]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    assert_eq!(relay.finish().report.connections.reset, 1);
}

#[test]
fn a_reset_by_the_client_reaches_the_server() {
    let (seen, sights) = mpsc::channel();
    let server = serving(move |mut stream| {
        stream.read_exact(&mut [0]).unwrap();
        stream.write_all(b"!").unwrap();
        seen.send(stream.read(&mut [0]).map_err(|error| error.kind()))
            .unwrap();
    });
    let relay = Relay::to(server, "--delay 5ms");
    let mut client = relay.connect();
    client.write_all(b"?").unwrap();
    client.read_exact(&mut [0]).unwrap();
    reset(client);
    let seen = sights.recv_timeout(PATIENCE).unwrap();
    assert_eq!(seen, Err(ErrorKind::ConnectionReset));
    assert_eq!(relay.finish().report.connections.reset, 1);
}

#[test]
fn a_client_that_leaves_while_the_server_talks_is_told_to_the_server() {
    let (seen, sights) = mpsc::channel();
    let server = serving(move |mut stream| {
        let mut sent = 0_usize;
        while stream.write_all(&[7; 4096]).is_ok() {
            sent += 4096;
        }
        seen.send(sent).unwrap();
    });
    let relay = Relay::to(server, "--delay 1ms");
    let mut client = relay.connect();
    client.read_exact(&mut [0; 100]).unwrap();
    drop(client);
    assert!(sights.recv_timeout(PATIENCE).unwrap() > 0);
}

#[test]
fn a_target_that_refuses_gives_the_client_a_reset() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let target = free.local_addr().unwrap();
    drop(free);
    let relay = Relay::to(target, "--delay 5ms");
    for _ in 0..3 {
        let mut client = relay.connect();
        let error = client.read(&mut [0]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    }
    let connections = relay.finish().report.connections;
    assert_eq!((connections.accepted, connections.refused), (3, 3));
    assert_eq!(connections.open_at_end, 0);
}

#[test]
fn a_server_can_be_restarted() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let target = listener.local_addr().unwrap();
    let relay = Relay::to(target, "--delay 2ms");
    let mut client = relay.connect();
    let (stream, _) = listener.accept().unwrap();
    drop((listener, stream));
    assert_eq!(client.read(&mut [0]).unwrap(), 0, "the end passes through");
    let mut refused = relay.connect();
    assert!(refused.read(&mut [0]).is_err());
    let listener = TcpListener::bind(target).unwrap();
    thread::spawn(move || echo(listener.accept().unwrap().0));
    let mut client = relay.connect();
    client.write_all(b"again").unwrap();
    client.read_exact(&mut [0; 5]).unwrap();
    let connections = relay.finish().report.connections;
    assert_eq!((connections.accepted, connections.refused), (3, 1));
}

#[test]
fn too_few_descriptors_make_clients_wait_and_are_counted() {
    let target = serving(echo);
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report.json");
    let script = format!(
        "ulimit -n 24 && exec \"$0\" --listen 127.0.0.1:0 --to {target} --report {} --delay 0s",
        report.display()
    );
    let mut child = std::process::Command::new("sh")
        .args(["-c", &script, env!("CARGO_BIN_EXE_runfair-relay")])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut stdout = std::io::BufReader::new(child.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut stdout, &mut line).unwrap();
    let ready: serde_json::Value = serde_json::from_str(&line).unwrap();
    let port = u16::try_from(ready["port"].as_u64().unwrap()).unwrap();
    // More clients than descriptors: each is served when others have left.
    let asking: Vec<_> = (0..40)
        .map(|_| {
            thread::spawn(move || {
                let mut client = std::net::TcpStream::connect(("127.0.0.1", port)).unwrap();
                client.set_read_timeout(Some(PATIENCE)).unwrap();
                client.write_all(b"?").unwrap();
                let heard = client.read_exact(&mut [0]);
                thread::sleep(std::time::Duration::from_millis(300));
                heard.is_ok()
            })
        })
        .collect();
    let served = asking
        .into_iter()
        .filter_map(|it| it.join().ok())
        .filter(|ok| *ok);
    let served = served.count() as u64;
    let kill = format!("kill -TERM {}", child.id());
    std::process::Command::new("sh")
        .args(["-c", &kill])
        .status()
        .unwrap();
    assert!(child.wait().unwrap().success());
    let report: runfair_relay::accounting::Report =
        serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap();
    let connections = report.connections;
    assert!(
        connections.accept_failures + connections.refused > 0,
        "{connections:?}"
    );
    assert_eq!(served + connections.refused, 40, "{connections:?}");
}
