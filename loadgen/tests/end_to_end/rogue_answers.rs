//! Answers that are not what they should be, each counted under its own kind.

use std::io::{self, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::generator::{Generator, Measurement};
use crate::half_failing::half_fail;
use crate::servers::http::{answer, chunked, last_answer, realtime_ns, Requests};
use crate::servers::rogue::{always, close, drip, every_second, write_for_ever, TRUE};
use crate::servers::{Honest, Server};

/// The rogue's second answer is these bytes, after which it closes.
fn half_say(bytes: &'static [u8], kind: &str) -> Measurement {
    let server = every_second(move |stream: &mut TcpStream| {
        stream.write_all(bytes)?;
        close(stream)
    });
    half_fail(&server, 20, "--rate 200", kind)
}

#[test]
fn garbage() {
    half_say(b"\x00\x01 what is this? \xff\xfe\r\n\r\n", "malformed");
}

#[test]
fn a_header_line_that_is_none() {
    half_say(b"HTTP/1.1 200 OK\r\nno colon here\r\n\r\n", "malformed");
}

#[test]
fn two_lengths_that_differ() {
    half_say(
        b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\ntrue!",
        "malformed",
    );
}

#[test]
fn a_chunk_that_has_no_size() {
    half_say(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\ntrue\r\n0\r\n\r\n",
        "malformed",
    );
}

#[test]
fn an_upgrade_that_nobody_asked_for() {
    half_say(
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
        "malformed",
    );
}

#[test]
fn a_body_shorter_than_said() {
    half_say(
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\ntrue",
        "short",
    );
}

#[test]
fn chunks_without_an_end() {
    half_say(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ntrue\r\n",
        "short",
    );
}

#[test]
fn half_a_header() {
    half_say(b"HTTP/1.1 200 OK\r\nContent-Le", "short");
}

#[test]
fn a_body_longer_than_said() {
    let run = half_say(
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\ntrue",
        "unexpected",
    );
    assert_eq!(run.count("/requests/unasked"), 10);
}

#[test]
fn two_answers_to_one_request() {
    half_say(
        b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ntrueHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ntrue",
        "unexpected",
    );
}

#[test]
fn a_header_without_an_end() {
    let server = every_second(|stream: &mut TcpStream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\n")?;
        write_for_ever(
            stream,
            &b"X-Padding: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\r\n".repeat(100),
        )
    });
    half_fail(&server, 10, "--rate 200", "malformed");
}

#[test]
fn a_header_line_without_an_end() {
    let server = every_second(|stream: &mut TcpStream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nX-Padding: ")?;
        write_for_ever(stream, &[b'x'; 4096])
    });
    half_fail(&server, 10, "--rate 200", "malformed");
}

#[test]
fn a_body_without_an_end() {
    let server = every_second(|stream: &mut TcpStream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")?;
        let mut chunk = b"8000\r\n".to_vec();
        chunk.resize(6 + 0x8000, b'x');
        chunk.extend_from_slice(b"\r\n");
        write_for_ever(stream, &chunk)
    });
    let run = half_fail(&server, 6, "--rate 2 --timeout 400ms", "timed_out");
    assert!(
        run.count("/bytes/received") > 1 << 20,
        "{}",
        run.count("/bytes/received")
    );
}

/// Answers that nobody had asked for: before and after each was written,
/// CLOCK_REALTIME, ns.
#[derive(Clone, Default)]
struct Unasked(Arc<Mutex<Vec<(u64, u64)>>>);

impl Unasked {
    fn speak(&self, stream: &mut TcpStream) -> io::Result<()> {
        let before_ns = realtime_ns();
        stream.write_all(&last_answer(200, b"early"))?;
        self.0.lock().unwrap().push((before_ns, realtime_ns()));
        Ok(())
    }

    /// Runs with answers that are known by their bodies. One that came while a request
    /// was on its way is taken for its answer, which nobody can tell; none that had
    /// come before is.
    fn measure(&self, server: &Server, options: &str) -> Measurement {
        /// Two readings of the realtime clock may differ so much, ns.
        const CLOCK_ERROR_NS: u64 = 200_000;
        let run = Generator::new(server.url("/"), options)
            .option("--expect-body-contains", "true")
            .measure();
        let start_ns = run.count("/started/realtime_ns");
        let spoken = self.0.lock().unwrap();
        let wrong = run
            .records
            .iter()
            .filter(|record| record.kind == "wrong_body");
        for record in wrong {
            let sent_ns = start_ns + record.sent_ns - CLOCK_ERROR_NS;
            let done_ns = start_ns + record.done_ns + CLOCK_ERROR_NS;
            assert!(
                spoken
                    .iter()
                    .any(|&(before_ns, after_ns)| sent_ns <= after_ns && before_ns <= done_ns),
                "an answer that came before its request was taken for its answer: {record:?}, {}",
                run.result["requests"]
            );
        }
        assert!(
            run.count("/requests/unasked") >= 2,
            "{}",
            run.result["requests"]
        );
        run
    }
}

#[test]
fn an_answer_ahead_of_its_request() {
    // Each connection speaks again 13 ms after its true answer: between two of its
    // requests, which at 100/s and two connections are 20 ms apart.
    let unasked = Unasked::default();
    let speaker = unasked.clone();
    let server = always(move |stream, _| {
        stream.write_all(&answer(200, TRUE))?;
        std::thread::sleep(Duration::from_millis(13));
        speaker.speak(stream)
    });
    let run = unasked.measure(&server, "--rate 100 --requests 60 --connections 2");
    assert!(run.count("/requests/good") >= 10, "{:?}", run.failures());
    assert!(
        run.count("/reconnects") >= 5,
        "{}",
        run.count("/reconnects")
    );
}

/// The first two connections are good for one answer; all later ones speak as soon as
/// they are open.
fn speaks_first(
    speak: impl Fn(&mut TcpStream) -> io::Result<()> + Send + Sync + 'static,
) -> Server {
    Server::tcp(move |stream, number| {
        let mut requests = Requests::of(stream);
        if number >= 2 {
            speak(&mut requests.link)?;
        } else if requests.next()?.is_some() {
            requests.link.write_all(&last_answer(200, TRUE))?;
        }
        close(&mut requests.link)
    })
}

const TO_THOSE_WHO_SPEAK_FIRST: &str = "--rate 100 --requests 30 --connections 2 --timeout 300ms";

fn causes_no_storm(run: &Measurement) {
    assert_eq!(run.count("/requests/good"), 2, "{:?}", run.failures());
    // Pauses between attempts that come to nothing grow to 100 ms.
    assert!(
        run.count("/connections_opened") < 60,
        "{}",
        run.count("/connections_opened")
    );
}

#[test]
fn connections_that_speak_first() {
    let unasked = Unasked::default();
    let speaker = unasked.clone();
    let server = speaks_first(move |stream| speaker.speak(stream));
    causes_no_storm(&unasked.measure(&server, TO_THOSE_WHO_SPEAK_FIRST));
}

#[test]
fn connections_that_babble_first() {
    let server = speaks_first(|stream| stream.write_all(b"220 mail.example ESMTP\r\n"));
    let run = Generator::new(server.url("/"), TO_THOSE_WHO_SPEAK_FIRST).measure();
    causes_no_storm(&run);
}

#[test]
fn a_wrong_status_is_complete_and_failed() {
    let server = every_second(|stream: &mut TcpStream| {
        stream.write_all(&last_answer(503, b"overloaded"))?;
        close(stream)
    });
    let run = half_fail(&server, 20, "--rate 200", "wrong_status");
    assert_eq!(run.result["requests"]["statuses"]["200"], 10);
    assert_eq!(run.result["requests"]["statuses"]["503"], 10);
}

#[test]
fn a_status_may_be_expected() {
    let server = Honest::start();
    let options = "--rate 500 --requests 50 --expect-status 404";
    let run = Generator::new(server.url("/status/404"), options).measure();
    assert_eq!(run.fates(), (50, 50, 50, 50));
    let options = "--rate 500 --requests 50 --expect-status 2xx";
    let run = Generator::new(server.url("/status/404"), options).measure();
    assert_eq!(run.failures(), [("wrong_status", 50)].into());
    assert_eq!(run.state(), "void");
}

/// A body that the rule accepts, and one that it does not.
fn half_are_wrong(rule: &str, value: &str, wrong: &'static [u8]) {
    let server = every_second(move |stream: &mut TcpStream| {
        stream.write_all(&last_answer(200, wrong))?;
        close(stream)
    });
    let run = half_fail(
        &server,
        20,
        &format!("--rate 200 {rule} {value}"),
        "wrong_body",
    );
    assert_eq!(run.count("/requests/checked"), 20);
}

#[test]
fn a_wrong_digest() {
    let digest = "b5bea41b6c623f7c09f1bf24dcae58ebab3c0cdd90ad966bc43a45b44867e12b";
    half_are_wrong("--expect-body-sha256", digest, b"True");
}

#[test]
fn a_text_that_is_not_there() {
    half_are_wrong("--expect-body-contains", "ru", b"false");
}

#[test]
fn a_wrong_value_in_json() {
    half_are_wrong("--expect-json", "=true", b"false");
    half_are_wrong("--expect-json", "=true", b"{no json");
}

#[test]
fn without_a_rule_no_body_is_called_checked() {
    let server = Honest::start();
    let run = Generator::new(server.url("/"), "--rate 500 --requests 50").measure();
    assert_eq!(run.count("/requests/checked"), 0);
    let noted = run.findings("limitation");
    assert!(noted.contains(&"checked_share"), "{noted:?}");
}

#[test]
fn bodies_are_checked_at_the_share_asked_for() {
    let server = Honest::start();
    let run = Generator::new(server.url("/json"), "--rate 1000 --requests 400")
        .option("--expect-json", "/items/0/id=8")
        .option("--check-share", "0.25")
        .measure();
    let checked = run.count("/requests/checked");
    // 100 are expected, by 9 more or less; all that were looked at were wrong.
    assert!((60..=140).contains(&checked), "{checked}");
    assert_eq!(run.failures(), [("wrong_body", checked)].into());
    assert_eq!(run.count("/requests/checkable"), 400);
    assert_eq!(run.count("/requests/wrong_of_checked"), checked);
    // So are those that nobody looked at.
    assert!(run.findings("fault").contains(&"checked_share"));
}

/// Answers that are unusual and right.
fn all_good(server: &Server, requests: u64, options: &str) -> Measurement {
    let options = format!("--rate 200 --requests {requests} {options}");
    let run = Generator::new(server.url("/"), &options)
        .option("--expect-body-contains", "true")
        .measure();
    let all = (requests, requests, requests, requests);
    assert_eq!(run.fates(), all, "{:?}", run.failures());
    run.has_no_fault_of_the_server();
    run
}

#[test]
fn interim_answers_come_before_the_answer() {
    let server = always(|stream, _| {
        stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        stream.write_all(b"HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n")?;
        stream.write_all(&answer(200, TRUE))
    });
    let run = all_good(&server, 40, "");
    assert_eq!(run.result["requests"]["statuses"]["200"], 40);
}

#[test]
fn bytes_that_drip() {
    let server = always(|stream, request| {
        let bytes = if request.path.len() > 1 {
            chunked(TRUE, 1)
        } else {
            answer(200, TRUE)
        };
        drip(stream, &bytes, Duration::from_micros(500))
    });
    let run = all_good(&server, 20, "--connections 8");
    // At least 70 bytes with pauses of half a millisecond.
    assert!(run
        .records
        .iter()
        .all(|record| record.service_time_ns() > 30_000_000));
}

#[test]
fn no_body_where_there_is_none() {
    let server = always(|stream, _| stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n"));
    let run = Generator::new(server.url("/"), "--rate 500 --requests 50").measure();
    assert_eq!(run.fates(), (50, 50, 50, 50));
    assert_eq!(run.count("/reconnects"), 0);
}

/// Good answers each of which closes its connection.
fn each_on_its_own_connection(said: &'static [u8]) {
    let server = always(move |stream, _| -> io::Result<()> {
        stream.write_all(said)?;
        close(stream)
    });
    let run = all_good(&server, 40, "");
    assert!(
        run.count("/reconnects") >= 36,
        "{}",
        run.count("/reconnects")
    );
}

#[test]
fn closing_tells_the_length() {
    each_on_its_own_connection(b"HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\ntrue");
}

#[test]
fn http_1_0_closes_after_each_answer() {
    each_on_its_own_connection(b"HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\ntrue");
}

#[test]
fn connection_close_is_obeyed() {
    each_on_its_own_connection(
        b"HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 4\r\n\r\ntrue",
    );
}
