//! Where connections go to and come from, and what a client shows of itself.

use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};

use crate::generator::Generator;
use crate::servers::http::{answer, Requests};
use crate::servers::{rogue, Authority, Honest, Server};

const SHORT: &str = "--rate 200 --requests 20";

#[test]
fn a_host_that_no_resolver_knows_is_found_where_it_is_said_to_be() {
    let server = Honest::start();
    let port = server.server.address().port();
    let url = format!("http://no-such-name.invalid:{port}/");
    let run = Generator::new(&url, SHORT)
        .option(
            "--resolve",
            format!("no-such-name.invalid:{port}:127.0.0.1"),
        )
        .measure();
    assert_eq!(run.fates(), (20, 20, 20, 20), "{:?}", run.failures());
    let host = format!("no-such-name.invalid:{port}");
    let seen = server.seen();
    assert!(seen
        .iter()
        .all(|request| request.header("host") == Some(host.as_str())));
    assert!(Generator::new(&url, SHORT)
        .finish()
        .mistake()
        .contains("does not resolve"));
}

#[test]
fn connections_come_from_the_address_that_is_named() {
    let peers: Arc<Mutex<Vec<SocketAddr>>> = Arc::default();
    let seen = Arc::clone(&peers);
    let server = Server::tcp(move |stream, _| {
        seen.lock().unwrap().push(stream.peer_addr()?);
        let mut requests = Requests::of(stream);
        while requests.next()?.is_some() {
            requests.link.write_all(&answer(200, rogue::TRUE))?;
        }
        Ok(())
    });
    let options = format!("{SHORT} --source-address 127.0.0.5");
    let run = Generator::new(server.url("/"), &options).measure();
    assert_eq!(run.fates().3, 20, "{:?}", run.failures());
    let peers = peers.lock().unwrap();
    assert_eq!(peers.len(), 4);
    assert!(
        peers
            .iter()
            .all(|peer| peer.ip().to_string() == "127.0.0.5"),
        "{peers:?}"
    );
}

#[test]
fn a_source_address_that_cannot_be_is_one_line() {
    let server = Honest::start();
    for (address, says) in [("192.0.2.1", "this machine cannot use"), ("::1", "")] {
        let options = format!("{SHORT} --source-address {address}");
        let run = Generator::new(server.url("/"), &options).finish();
        let line = run.mistake();
        assert!(
            line.contains("--source-address") && line.contains(says),
            "{line}"
        );
    }
    assert_eq!(server.count(), 0);
}

#[test]
fn an_address_may_have_a_zone() {
    let Ok(listener) = TcpListener::bind("[::1]:0") else {
        return; // no IPv6 here
    };
    let port = listener.local_addr().unwrap().port();
    let serving = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut requests = Requests::of(stream);
        let mut hosts = Vec::new();
        while let Ok(Some(request)) = requests.next() {
            hosts.extend(request.header("host").map(str::to_owned));
            requests.link.write_all(&answer(200, rogue::TRUE)).unwrap();
        }
        hosts
    });
    // The loopback interface is the first of every machine.
    let url = format!("http://[::1%251]:{port}/");
    let run = Generator::new(url, "--rate 100 --requests 5 --connections 1").measure();
    assert_eq!(run.fates().3, 5, "{:?}", run.failures());
    let hosts = serving.join().unwrap();
    assert_eq!(hosts, vec![format!("[::1]:{port}"); 5]);
}

#[test]
fn a_server_that_asks_is_shown_the_clients_certificate() {
    let authority = Authority::new();
    let server = Honest::inside(authority.strict_acceptor("localhost"));
    let url = format!("https://localhost:{}/", server.server.address().port());
    let ask = |known: &Authority| {
        let generator = Generator::new(&url, &format!("{SHORT} --timeout 1s"));
        let [ca, certificate, key] = ["ca", "client", "key"].map(|name| generator.path(name));
        authority.write(&ca);
        known.write_client(&certificate, &key);
        generator
            .option("--ca", ca)
            .option("--certificate", certificate)
            .option("--key", key)
    };
    let run = ask(&authority).measure();
    assert_eq!(run.fates(), (20, 20, 20, 20), "{:?}", run.failures());
    assert_eq!(server.count(), 20);
    // One of an authority that the server does not know, and none at all.
    let unknown = ask(&Authority::new()).finish();
    let none = Generator::new(&url, &format!("{SHORT} --timeout 1s --insecure")).finish();
    for run in [unknown, none] {
        assert!(
            [Some(2), Some(3)].contains(&run.status),
            "{:?}: {}",
            run.status,
            run.stderr
        );
        let said = format!("{}{}", run.stdout, run.stderr);
        assert!(said.contains("TLS"), "{said}");
    }
    assert_eq!(server.count(), 20);
}

#[test]
fn a_certificate_and_a_key_that_are_none_are_one_line() {
    let authority = Authority::new();
    let generator = Generator::new("https://127.0.0.1:1/", &format!("{SHORT} --insecure"));
    let [certificate, key, other] = ["client", "key", "other"].map(|name| generator.path(name));
    authority.write_client(&certificate, &key);
    std::fs::write(&other, "no key at all").unwrap();
    let run = generator
        .option("--certificate", certificate)
        .option("--key", other)
        .finish();
    assert!(run.mistake().contains("other"), "{}", run.mistake());
}
