//! How many connections there are, how long they last, and whose turn it is.

use std::io::Write;
use std::net::TcpStream;
use std::sync::{Arc, Mutex};

use crate::generator::{typical, undisturbed, Generator, Measurement};
use crate::servers::http::{answer, Requests};
use crate::servers::{rogue, Authority, Honest, Server};

/// How many requests each connection of a server carried.
#[derive(Clone, Default)]
struct Carried(Arc<Mutex<Vec<usize>>>);

impl Carried {
    fn server(&self) -> Server {
        let carried = self.clone();
        Server::tcp(move |stream, number| {
            let mut requests = Requests::of(stream);
            while requests.next()?.is_some() {
                carried.note(number);
                requests.link.write_all(&answer(200, rogue::TRUE))?;
            }
            Ok(())
        })
    }

    fn note(&self, number: usize) {
        let mut carried = self.0.lock().unwrap();
        if carried.len() <= number {
            carried.resize(number + 1, 0);
        }
        carried[number] += 1;
    }

    fn each(&self) -> Vec<usize> {
        self.0.lock().unwrap().clone()
    }
}

/// At 50/s and 200 ms each, ten requests are under way.
const TEN_UNDER_WAY: &str = "--rate 50 --requests 60 --connections 1";

#[test]
fn the_pool_grows_by_those_who_wait() {
    let waited = |run: &Measurement| run.above_ms("queue_wait", 100);
    let once = || {
        let server = Honest::start();
        let options = format!("{TEN_UNDER_WAY} --max-connections 100");
        Generator::new(server.url("/slow/200"), &options).measure()
    };
    let run = typical(|| undisturbed(once), |run| waited(run) <= 3);
    assert_eq!(run.fates(), (60, 60, 60, 60), "{:?}", run.failures());
    let added = run.count("/connections_added");
    assert!((5..60).contains(&added), "{added} were added");
    assert_eq!(run.count("/connections_opened"), 1 + added);
    assert_eq!(run.count("/reconnects"), 0);
    assert_eq!(run.count("/max_connections"), 100);
    assert!(!run.findings("limitation").contains(&"connections"));
    let waited = waited(&run);
    assert!(waited <= 3, "{waited} requests waited for a connection");
    assert_eq!(run.count("/opening/connect_ns/count"), 1 + added);
}

#[test]
fn the_pool_grows_no_further_than_it_may() {
    let server = Honest::start();
    let options = format!("{TEN_UNDER_WAY} --max-connections 4 --threads 1");
    let run = Generator::new(server.url("/slow/200"), &options).measure();
    assert_eq!(run.fates().3, 60, "{:?}", run.failures());
    assert_eq!(run.count("/connections_added"), 3);
    assert_eq!(run.count("/connections_opened"), 4);
    assert!(run.above_ms("queue_wait", 100) >= 20);
}

#[test]
fn the_pool_of_several_threads_grows_together() {
    let server = Honest::start();
    let options =
        "--rate 50 --requests 60 --connections 2 --threads 2 --max-connections 5 --arrivals poisson";
    let run = Generator::new(server.url("/slow/200"), options).measure();
    assert_eq!(run.fates().3, 60, "{:?}", run.failures());
    assert_eq!(run.count("/connections_added"), 3);
    assert_eq!(run.count("/connections_opened"), 5);
}

#[test]
fn the_pool_stays_as_it_is_by_default() {
    let server = Honest::start();
    let run = Generator::new(
        server.url("/slow/50"),
        "--rate 40 --requests 20 --connections 1",
    );
    let run = run.measure();
    assert_eq!(run.count("/connections_added"), 0);
    assert_eq!(run.count("/connections_opened"), 1);
    assert!(run.above_ms("queue_wait", 100) >= 5);
}

#[test]
fn a_server_that_refuses_what_is_added_fails_one_request_each() {
    // It listens until its first connection has come.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let serving = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        drop(listener);
        let mut requests = Requests::of(stream);
        while requests.next().is_ok_and(|request| request.is_some()) {
            std::thread::sleep(std::time::Duration::from_millis(100));
            if requests.link.write_all(&answer(200, rogue::TRUE)).is_err() {
                break;
            }
        }
    });
    let options = "--rate 50 --requests 50 --connections 1 --max-connections 3";
    let run = Generator::new(url, options).measure();
    serving.join().unwrap();
    assert_eq!(run.count("/connections_added"), 2);
    assert!(run.failures()["refused"] >= 2, "{:?}", run.failures());
    assert!(run.fates().3 >= 1);
}

#[test]
fn connections_are_replaced_after_their_requests() {
    let carried = Carried::default();
    let server = carried.server();
    let options = "--rate 400 --requests 200 --connections 2 --new-connection-every 5";
    let run = Generator::new(server.url("/"), options).measure();
    assert_eq!(run.fates(), (200, 200, 200, 200), "{:?}", run.failures());
    let each = carried.each();
    assert_eq!(each.iter().sum::<usize>(), 200);
    assert!(each.iter().all(|carried| *carried <= 5), "{each:?}");
    let replaced = run.count("/connections_replaced");
    assert!((38..=40).contains(&replaced), "{replaced} were replaced");
    assert_eq!(run.count("/connections_opened"), 2 + replaced);
    assert_eq!(run.count("/reconnects"), 0);
    assert_eq!(run.count("/new_connection_every"), 5);
    assert!(!run.findings("limitation").contains(&"connections"));
}

#[test]
fn pipelined_requests_too_are_no_more_than_a_connection_may_carry() {
    let carried = Carried::default();
    let server = carried.server();
    let options = "--closed --requests 120 --connections 2 --pipeline 4 --new-connection-every 6";
    let run = Generator::new(server.url("/"), options).measure();
    assert_eq!(run.fates(), (120, 120, 120, 120), "{:?}", run.failures());
    let each = carried.each();
    assert!(each.iter().all(|carried| *carried <= 6), "{each:?}");
    assert!(run.count("/connections_replaced") >= 18);
}

#[test]
fn each_new_connection_agrees_on_keys_of_its_own() {
    let authority = Authority::new();
    let server = Honest::tls(&authority, "localhost");
    let url = format!("https://{}/", server.server.address());
    let options = "--rate 200 --requests 40 --connections 2 --new-connection-every 1 --insecure";
    let run = Generator::new(url, options).measure();
    assert_eq!(run.fates(), (40, 40, 40, 40), "{:?}", run.failures());
    let opened = run.count("/connections_opened");
    assert!(opened >= 40, "{opened} were opened");
    let handshakes = "/opening/tls_handshake_ns";
    assert!(run.count(&format!("{handshakes}/count")) >= 40);
    assert!(run.count(&format!("{handshakes}/min")) > 0);
    let words: Vec<_> = run.run.stdout.split_whitespace().collect();
    assert!(words.join(" ").contains("TLS handshake p50"), "{words:?}");
}

#[test]
fn an_endless_body_starves_nobody() {
    let endless = rogue::always(|stream: &mut TcpStream, _| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n")?;
        let piece = vec![b'x'; 1 << 20];
        loop {
            stream.write_all(&piece)?;
        }
    });
    let honest = Honest::start();
    let options = "--rate 200 --requests 600 --timeout 1s";
    let run = Generator::new(honest.url("/"), options)
        .and_also(endless.url("/"))
        .measure();
    let of = |number: usize, what: &str| run.count(&format!("/targets/{number}/{what}"));
    assert_eq!(of(0, "failed"), 0, "{}", run.result["targets"]);
    assert!(of(0, "good") >= 300, "{}", run.result["targets"]);
    assert_eq!(of(0, "good"), honest.count() as u64);
    assert_eq!(of(1, "good"), 0);
    assert!(run.failures()["timed_out"] >= 2, "{:?}", run.failures());
    assert!(run.count("/bytes/received") > 1 << 20);
}
