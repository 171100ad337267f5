//! Connections that are refused, reset, closed or ignored, each counted by its kind.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use runfair_measuring::kernel::clock::monotonic_ns;

use crate::generator::{Generator, Measurement};
use crate::half_failing::half_fail;
use crate::servers::http::{answer, last_answer, Requests};
use crate::servers::rogue::{always, close, every_second, reset, stay_silent, TRUE};
use crate::servers::Server;

#[test]
fn nobody_listens() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let run = Generator::new(format!("http://{address}/"), "--rate 10 --requests 5").finish();
    assert!(
        run.mistake().contains(&address.to_string()),
        "{}",
        run.stderr
    );
}

#[test]
fn nobody_listens_on_a_unix_socket() {
    let run = Generator::new("http://localhost/", "--rate 10 --requests 5")
        .option("--unix-socket", "none.socket")
        .finish();
    assert!(run.mistake().contains("none.socket"), "{}", run.stderr);
}

#[test]
fn reset_in_the_middle_of_a_body() {
    let server = every_second(|stream: &mut TcpStream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nthe beginning")?;
        reset(stream)
    });
    let run = half_fail(&server, 20, "--rate 200", "reset");
    assert_eq!(run.count("/reconnects"), 9);
}

#[test]
fn reset_before_an_answer() {
    half_fail(&every_second(reset), 20, "--rate 200", "reset");
}

#[test]
fn closed_before_an_answer() {
    let run = half_fail(&every_second(close), 20, "--rate 200", "closed");
    assert_eq!(run.count("/reconnects"), 9);
}

#[test]
fn silence_times_out() {
    let run = half_fail(
        &every_second(stay_silent),
        6,
        "--rate 2 --timeout 400ms",
        "timed_out",
    );
    for record in run.records.iter().filter(|record| !record.is_good()) {
        assert!(record.service_time_ns() >= 400_000_000, "{record:?}");
    }
}

#[test]
fn what_was_pipelined_behind_is_lost_with_the_connection() {
    let server = every_second(close);
    let options = "--closed --requests 40 --pipeline 4 --connections 1";
    let run = Generator::new(server.url("/"), options).measure();
    // One good answer a connection; its other three are closed, and the one sent after it.
    let good = run.count("/requests/good");
    assert!((8..=13).contains(&good), "{good}");
    assert_eq!(run.failures(), [("closed", 40 - good)].into());
}

/// A run against a server that gives 20 answers, each on a connection of its own, and
/// is gone.
fn the_listener_goes(options: &str) -> Measurement {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let serving = thread::spawn(move || {
        for _ in 0..20 {
            let (stream, _) = listener.accept().unwrap();
            let mut requests = Requests::of(stream);
            if requests.next().unwrap().is_some() {
                requests.link.write_all(&last_answer(200, TRUE)).unwrap();
            }
        }
    });
    let run = Generator::new(url, options).measure();
    serving.join().unwrap();
    run
}

#[test]
fn a_closed_loop_does_not_go_on_for_ever_against_a_dead_server() {
    let run = the_listener_goes(
        "--closed --requests 1M --connections 1 --timeout 200ms --connect-timeout 200ms",
    );
    assert_eq!(run.count("/requests/good"), 20);
    assert_eq!(run.result["ended"], "unanswered");
    assert_eq!(run.state(), "void");
    assert!(run.findings("fault").contains(&"unanswered"));
    // One request fails with each attempt, and pauses grow to 100 ms.
    assert!(run.count("/requests/scheduled") < 100, "{:?}", run.fates());
}

#[test]
fn want_of_a_descriptor_is_no_fault_of_the_server() {
    let answered = Arc::new(AtomicUsize::new(0));
    let counting = Arc::clone(&answered);
    let server = always(move |stream, _| {
        stream.write_all(&last_answer(200, TRUE))?;
        counting.fetch_add(1, Ordering::SeqCst);
        close(stream)
    });
    let options = "--rate 100 --requests 100 --connections 2 --timeout 500ms";
    let running = Generator::new(server.url("/"), options).start();
    while answered.load(Ordering::SeqCst) < 20 {
        thread::sleep(Duration::from_millis(1));
    }
    running.limit_descriptors(3);
    thread::sleep(Duration::from_millis(400));
    running.limit_descriptors(256);
    let run = Measurement::of(running.finish());
    let failures = run.failures();
    assert!(failures["no_socket"] >= 3, "{failures:?}");
    assert!(!failures.contains_key("refused"), "{failures:?}");
    assert!(run.count("/requests/good") >= 20, "{failures:?}");
    assert!(run.findings("fault").contains(&"no_socket"));
    assert!(run.run.stdout.contains("no_socket"), "{}", run.run.stdout);
}

#[test]
fn the_listener_goes_in_mid_run() {
    let run = the_listener_goes("--rate 100 --requests 60 --connections 1 --timeout 300ms");
    assert_eq!(run.count("/requests/good"), 20);
    let failures = run.failures();
    assert!(failures["refused"] >= 3, "{failures:?}");
    // The connection that came just before the listener went is reset or closed.
    assert!(
        failures
            .keys()
            .all(|kind| ["refused", "unsent", "reset", "closed"].contains(kind)),
        "{failures:?}"
    );
    // Pauses grow to 100 ms: no storm of attempts.
    assert!(
        run.count("/connections_opened") < 20 + 40,
        "{}",
        run.count("/connections_opened")
    );
}

#[test]
fn idle_connections_are_closed_by_the_server() {
    let server = Server::tcp(|stream, _| {
        stream.set_read_timeout(Some(Duration::from_millis(20)))?;
        let mut requests = Requests::of(stream);
        while let Ok(Some(_)) = requests.next() {
            requests.link.write_all(&answer(200, TRUE))?;
        }
        Ok(())
    });
    // Two connections used in turn, 100 ms apart each.
    let run = Generator::new(server.url("/"), "--rate 20 --requests 20 --connections 2").measure();
    let good = run.count("/requests/good");
    // On a busy machine the close may come just when a request is due.
    assert!(good >= 16, "{:?}", run.failures());
    let failures = run.failures();
    assert!(
        failures
            .keys()
            .all(|kind| ["closed", "reset"].contains(kind)),
        "{failures:?}"
    );
    assert!(
        run.count("/reconnects") >= 8,
        "{}",
        run.count("/reconnects")
    );
}

/// Like a server that closes idle connections while a later start is awaited: each but the last
/// connection, before any request. To the first, it says why.
#[test]
fn a_connection_that_is_closed_before_the_start_is_opened_again() {
    const CLOSED: usize = 2;
    let server = Server::tcp(|mut stream, number| {
        if number < CLOSED {
            thread::sleep(Duration::from_millis(100));
            return match number {
                0 => stream.write_all(&last_answer(408, b"no request came")),
                _ => Ok(()),
            };
        }
        let mut requests = Requests::of(stream);
        while requests.next()?.is_some() {
            requests.link.write_all(&answer(200, TRUE))?;
        }
        Ok(())
    });
    let start_ns = monotonic_ns() + 2_000_000_000;
    let options = format!("--rate 100 --requests 20 --connections 1 --start-at {start_ns}");
    let run = Generator::new(server.url("/"), &options).measure();
    assert_eq!(run.fates(), (20, 20, 20, 20), "{:?}", run.failures());
    assert_eq!(run.count("/reconnects"), 0);
    assert_eq!(run.count("/connections_opened"), 1);
    assert_eq!(run.count("/opening/connect_ns/count"), 1);
    assert_eq!(run.count("/requests/unasked"), 0);
    assert!(run.result["requests"]["complaint"].is_null());
    assert!(!run.findings("limitation").contains(&"connections"));
}

#[test]
fn one_connection_at_a_time() {
    let (stop, stopped) = channel::<()>();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let serving = thread::spawn(move || {
        let mut answered = 0;
        loop {
            let (stream, _) = listener.accept().unwrap();
            if stopped.try_recv().is_ok() {
                break;
            }
            let mut requests = Requests::of(stream);
            while let Ok(Some(_)) = requests.next() {
                if requests.link.write_all(&answer(200, TRUE)).is_ok() {
                    answered += 1;
                }
            }
        }
        answered
    });
    let options = "--rate 50 --requests 40 --connections 3 --timeout 150ms";
    let run = Generator::new(format!("http://{address}/"), options).measure();
    stop.send(()).unwrap();
    drop(TcpStream::connect(address));
    let answered: u64 = serving.join().unwrap();
    let good = run.count("/requests/good");
    assert!(
        good >= 10 && good <= answered,
        "{good} of {answered}: {:?}",
        run.failures()
    );
    let failures = run.failures();
    assert!(failures["timed_out"] >= 2, "{failures:?}");
    assert!(
        failures
            .keys()
            .all(|kind| ["timed_out", "unsent"].contains(kind)),
        "{failures:?}"
    );
}

#[test]
fn a_server_that_never_accepts_is_told_before_the_run() {
    // A full queue of one: further handshakes get no answer.
    let listener =
        socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    let any: std::net::SocketAddr = "127.0.0.1:0".parse().unwrap();
    listener.bind(&any.into()).unwrap();
    listener.listen(0).unwrap();
    let address = listener.local_addr().unwrap().as_socket().unwrap();
    let options = "--rate 10 --requests 5 --connections 8 --connect-timeout 300ms";
    let run = Generator::new(format!("http://{address}/"), options).finish();
    assert!(run.mistake().contains("connect"), "{}", run.stderr);
}
