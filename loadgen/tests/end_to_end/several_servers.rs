//! Several servers that share one load.

use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;

use crate::generator::{first_that, typical, undisturbed, Generator, Measurement};
use crate::servers::honest::Freeze;
use crate::servers::http::{answer, Requests};
use crate::servers::{rogue, Honest, Server, Store};

/// A number of one server's share.
fn of(run: &Measurement, number: usize, pointer: &str) -> u64 {
    run.count(&format!("/targets/{number}{pointer}"))
}

#[test]
fn each_gets_its_part_and_is_told_apart() {
    // In turn, as long as each answers before its turn comes again.
    let part = 150..=250;
    let once = || {
        let servers = [(); 3].map(|()| Honest::start());
        let options = "--rate 600 --requests 600 --connections 6";
        let run = Generator::new(servers[0].url("/"), options)
            .and_also(servers[1].url("/"))
            .and_also(servers[2].url("/"))
            .measure();
        (servers, run)
    };
    let (servers, run) = typical(
        || first_that(once, |(_, run)| run.is_undisturbed()),
        |(_, run)| (0..3).all(|number| part.contains(&of(run, number, "/good"))),
    );
    assert_eq!(run.fates(), (600, 600, 600, 600), "{:?}", run.failures());
    for (number, server) in servers.iter().enumerate() {
        assert_eq!(of(&run, number, "/connections"), 2);
        let got = of(&run, number, "/good");
        assert!(part.contains(&got), "server {number} got {got}");
        assert_eq!(got, server.count() as u64);
        assert_eq!(run.result["targets"][number]["url"], server.url("/"));
        assert!(run.run.stdout.contains(&server.url("/")));
        assert!(!run.findings("warning").contains(&"servers"));
    }
}

/// The first thread's only connection stands still for most of the run; the second thread's is
/// free. No request waits for a connection.
#[test]
fn a_thread_whose_connections_are_frozen_leaves_its_requests_to_others() {
    let freeze = Freeze {
        after: 50,
        lasts: Duration::from_millis(700),
    };
    let waited = |run: &Measurement| run.above_ms("queue_wait", 50);
    let once = || {
        let (frozen, free) = (Honest::freezing(freeze), Honest::start());
        let options = "--rate 400 --requests 400 --connections 2 --threads 2";
        Generator::new(frozen.url("/"), options)
            .and_also(free.url("/"))
            .measure()
    };
    let run = typical(|| undisturbed(once), |run| waited(run) <= 4);
    assert_eq!(run.fates().3, 400);
    assert!(run.above_ms("latency", 400) >= 1, "nothing was frozen");
    let waited = waited(&run);
    assert!(waited <= 4, "{waited} requests waited for a connection");
    assert!(of(&run, 1, "/good") >= 200);
}

#[test]
fn threads_share_their_connections_out_together() {
    // Each thread begins where the one before it ended: 2 and 2 of 4, not 3 and 1.
    let servers = [(); 2].map(|()| Honest::start());
    let run = Generator::new(
        servers[0].url("/"),
        "--rate 400 --requests 400 --connections 4 --threads 4",
    )
    .and_also(servers[1].url("/"))
    .measure();
    assert_eq!(run.fates().3, 400);
    for (number, server) in servers.iter().enumerate() {
        assert_eq!(of(&run, number, "/connections"), 2);
        // A thread that is late may leave a request to another.
        let got = server.count();
        assert!((100..=300).contains(&got), "server {number} got {got}");
    }
}

#[test]
fn a_lone_server_has_no_share() {
    let server = Honest::start();
    let run = Generator::new(server.url("/"), "--rate 100 --requests 20").measure();
    assert_eq!(run.result["targets"], Value::Array(vec![]));
}

#[test]
fn the_slow_one_is_told_from_the_fast_one() {
    const SLOW_NS: u64 = 20_000_000;
    let fast = Honest::start();
    let slow = rogue::always(|stream, _| {
        std::thread::sleep(Duration::from_nanos(SLOW_NS));
        std::io::Write::write_all(stream, &answer(200, rogue::TRUE))
    });
    let run = Generator::new(fast.url("/"), "--rate 100 --requests 200")
        .and_also(slow.url("/"))
        .measure();
    assert_eq!(run.fates().3, 200, "{:?}", run.failures());
    assert!(of(&run, 1, "/latency_ns/min") >= SLOW_NS);
    assert!(of(&run, 0, "/latency_ns/min") < SLOW_NS / 4);
    assert!(of(&run, 0, "/good") > 0 && of(&run, 1, "/good") > 0);
}

/// A server that can die with all its connections.
struct Mortal {
    server: Server,
    links: Arc<Mutex<Vec<TcpStream>>>,
}

impl Mortal {
    fn start() -> Self {
        let links: Arc<Mutex<Vec<TcpStream>>> = Arc::default();
        let kept = Arc::clone(&links);
        let server = Server::tcp(move |stream, _| {
            kept.lock().unwrap().push(stream.try_clone()?);
            let mut requests = Requests::of(stream);
            while requests.next()?.is_some() {
                std::io::Write::write_all(&mut requests.link, &answer(200, rogue::TRUE))?;
            }
            Ok(())
        });
        Self { server, links }
    }

    fn die(self) {
        drop(self.server);
        for link in self.links.lock().unwrap().drain(..) {
            // It may have been closed by the generator's end meanwhile.
            let _ = link.shutdown(Shutdown::Both);
        }
    }
}

#[test]
fn the_dead_one_is_told_from_the_living_one() {
    let dying = Mortal::start();
    let living = Honest::start();
    let running = Generator::new(living.url("/"), "--rate 500 --requests 1000")
        .and_also(dying.server.url("/"))
        .start();
    living.wait_for(100);
    dying.die();
    let run = Measurement::of(running.finish());
    assert_eq!(of(&run, 0, "/failed"), 0, "{:?}", run.result["targets"]);
    assert!(of(&run, 1, "/good") > 20);
    assert_eq!(of(&run, 0, "/good"), living.count() as u64);
    assert!(of(&run, 0, "/good") > 2 * of(&run, 1, "/good"));
    assert!(run.findings("warning").contains(&"servers"));
}

/// In the mode economy, requests become due between two ticks while connections to the dead server
/// are refused. The living server has many free connections.
#[test]
fn no_request_is_refused_while_a_connection_is_free() {
    let dying = Mortal::start();
    let living = Honest::start();
    let options = "--rate 100 --duration 3s --connections 400 --mode economy";
    let running = Generator::new(living.url("/"), options)
        .and_also(dying.server.url("/"))
        .start();
    living.wait_for(50);
    dying.die();
    let run = Measurement::of(running.finish());
    assert_eq!(run.failures().get("refused"), None, "{:?}", run.failures());
}

#[test]
fn one_that_is_dead_from_the_start_is_named() {
    let living = Honest::start();
    let dead = Honest::start().url("/");
    let run = Generator::new(living.url("/"), "--rate 10 --requests 10")
        .and_also(&dead)
        .finish();
    let address = dead.trim_start_matches("http://").trim_end_matches('/');
    assert!(run.mistake().contains(address), "{}", run.mistake());
}

#[test]
fn every_store_gets_its_keys() {
    let stores = [(); 2].map(|()| Store::start());
    let run = Generator::new(
        stores[0].url(),
        "--rate 500 --requests 100 --keys 50 --operations get --preload",
    )
    .and_also(stores[1].url())
    .measure();
    assert_eq!(run.count("/requests/misses"), 0);
    assert_eq!(stores.map(|store| store.keys()), [50, 50]);
}

#[test]
fn servers_that_cannot_share_are_refused() {
    let line = |first: &str, other: &str, options: &str| {
        let options = format!("--rate 10 --requests 1 {options}");
        let run = Generator::new(first, &options).and_also(other).finish();
        run.mistake().to_owned()
    };
    let first = "http://127.0.0.1:1/";
    for (other, options, says) in [
        ("redis://127.0.0.1:2", "", "differ in their scheme"),
        ("https://127.0.0.1:2/", "", "differ in their scheme"),
        ("http://127.0.0.1:2/a", "", "differ in their path"),
        (first, "", "given twice"),
        (
            "http://127.0.0.1:2/",
            "--connections 1",
            "at least --connections 2",
        ),
        ("http://127.0.0.1:2/", "--unix-socket /tmp/s", "one URL"),
    ] {
        let line = line(first, other, options);
        assert!(line.contains(says), "{says:?} is not in: {line}");
    }
}
