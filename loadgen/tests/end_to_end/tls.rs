//! HTTP inside TLS, with an authority that a run may trust or not.

use std::io::{Read, Write};

use crate::generator::{Generator, Measurement};
use crate::servers::http::{answer, Requests};
use crate::servers::{Authority, Honest, Server};

fn https(server: &Server, host: &str) -> String {
    format!("https://{host}:{}/", server.address().port())
}

#[test]
fn a_trusted_authority() {
    let authority = Authority::new();
    let server = Honest::tls(&authority, "localhost");
    let url = https(&server.server, "localhost");
    let generator = Generator::new(url, "--rate 1000 --requests 1000");
    let ca = generator.path("ca.pem");
    authority.write(&ca);
    let run = generator.option("--ca", ca).measure();
    assert_eq!(
        run.fates(),
        (1_000, 1_000, 1_000, 1_000),
        "{:?}",
        run.failures()
    );
    assert_eq!(run.result["tls"], true);
    assert_eq!(run.count("/connections_opened"), 4);
    assert_eq!(server.count(), 1_000);
}

#[test]
fn pipelined_and_closed() {
    let authority = Authority::new();
    let server = Honest::tls(&authority, "localhost");
    let options = "--closed --requests 500 --pipeline 4 --insecure";
    let run = Generator::new(https(&server.server, "127.0.0.1"), options).measure();
    assert_eq!(run.fates(), (500, 500, 500, 500));
}

#[test]
fn a_body_of_many_records() {
    let authority = Authority::new();
    let server = Honest::tls(&authority, "localhost");
    let url = format!("{}echo", https(&server.server, "127.0.0.1"));
    let generator = Generator::new(url, "--rate 50 --requests 10 --insecure");
    let body = generator.path("body");
    std::fs::write(&body, vec![b'x'; 500_000]).unwrap();
    let run = generator.option("--body-file", body).measure();
    assert_eq!(run.fates(), (10, 10, 10, 10), "{:?}", run.failures());
    assert!(run
        .records
        .iter()
        .all(|record| record.answer_bytes == 500_000));
}

#[test]
fn an_unknown_authority_is_refused_in_one_line() {
    let authority = Authority::new();
    let server = Honest::tls(&authority, "localhost");
    let url = https(&server.server, "localhost");
    let generator = Generator::new(url, "--rate 100 --requests 10");
    let ca = generator.path("ca.pem");
    Authority::new().write(&ca);
    let run = generator.option("--ca", ca).finish();
    assert!(run.mistake().contains("TLS"), "{}", run.stderr);
    assert_eq!(server.count(), 0);
}

#[test]
fn a_certificate_for_another_name_is_refused_in_one_line() {
    let authority = Authority::new();
    let server = Honest::tls(&authority, "elsewhere.example");
    let ask = |options: &str| {
        let url = https(&server.server, "localhost");
        let generator = Generator::new(url, &format!("--rate 500 --requests 50 {options}"));
        let ca = generator.path("ca.pem");
        authority.write(&ca);
        generator.option("--ca", ca)
    };
    let run = ask("").finish();
    assert!(run.mistake().contains("TLS"), "{}", run.stderr);
    let run = ask("--server-name elsewhere.example").measure();
    assert_eq!(run.fates(), (50, 50, 50, 50));
}

#[test]
fn a_file_that_is_no_certificate() {
    let generator = Generator::new("https://127.0.0.1:1/", "--rate 10 --requests 1");
    let ca = generator.path("ca.pem");
    std::fs::write(&ca, "no certificate at all").unwrap();
    let run = generator.option("--ca", ca).finish();
    assert!(run.mistake().contains("ca.pem"), "{}", run.stderr);
}

#[test]
fn a_server_that_speaks_no_tls() {
    let server = Honest::start();
    let url = https(&server.server, "localhost");
    let run = Generator::new(
        url,
        "--rate 100 --requests 10 --insecure --connect-timeout 1s",
    )
    .finish();
    run.mistake();
}

/// Ten answers without a length, each of which ends with its connection. `notify`: whether TLS
/// is told first.
fn bodies_of_unknown_length(notify: bool) -> Measurement {
    let authority = Authority::new();
    let acceptor = authority.acceptor("localhost");
    let server = Server::tcp(move |stream, _| {
        let mut requests = Requests::of(acceptor.accept(stream)?);
        if requests.next()?.is_some() {
            let link = &mut requests.link;
            link.write_all(b"HTTP/1.1 200 OK\r\n\r\nas long as it is")?;
            if notify {
                link.conn.send_close_notify();
                link.flush()?;
            }
        }
        Ok(())
    });
    let options = "--closed --requests 10 --insecure --connections 1";
    Generator::new(https(&server, "127.0.0.1"), options).measure()
}

#[test]
fn only_a_close_notify_completes_a_body_without_a_length() {
    let run = bodies_of_unknown_length(true);
    assert_eq!(run.fates(), (10, 10, 10, 10), "{:?}", run.failures());
    let run = bodies_of_unknown_length(false);
    assert_eq!(run.failures(), [("short", 10)].into());
}

#[test]
fn a_session_that_breaks_later_is_counted() {
    let authority = Authority::new();
    let acceptor = authority.acceptor("localhost");
    // The first connection is good for one answer; all others talk nonsense.
    let server = Server::tcp(move |mut stream, number| {
        if number == 0 {
            let mut requests = Requests::of(acceptor.accept(stream)?);
            while requests.next()?.is_some() {
                let bytes = answer(200, b"bye");
                let head = String::from_utf8_lossy(&bytes).replacen(
                    "\r\n",
                    "\r\nConnection: close\r\n",
                    1,
                );
                requests.link.write_all(head.as_bytes())?;
            }
            return Ok(());
        }
        let mut hello = [0; 1024];
        while stream.read(&mut hello)? > 0 {
            stream.write_all(b"this is no TLS record, and never was")?;
        }
        Ok(())
    });
    let options = "--rate 100 --requests 30 --insecure --connections 1 --timeout 300ms";
    let run = Generator::new(https(&server, "127.0.0.1"), options).measure();
    assert_eq!(run.fates().3, 1);
    assert!(run.failures()["tls"] >= 3, "{:?}", run.failures());
    assert!(
        run.failures()
            .keys()
            .all(|kind| ["tls", "unsent"].contains(kind)),
        "{:?}",
        run.failures()
    );
}
