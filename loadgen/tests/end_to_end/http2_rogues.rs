//! HTTP/2 against servers that reset streams, go away or break the protocol: each failure counted
//! by its kind, and what is not concerned goes on.

use std::io;
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use runfair_measuring::kernel::clock::{monotonic_ns, sleep_until};

use crate::generator::{Generator, Measurement};
use crate::servers::frames::{
    each, field, Frames, CONTINUATION, DATA, END_HEADERS, END_STREAM, HEADERS, PADDED, RST_STREAM,
    STATUS_200,
};
use crate::servers::Server;

const REFUSED_STREAM: u32 = 7;
const ENHANCE_YOUR_CALM: u32 = 11;

type Link = Frames<TcpStream>;

/// So many requests on one connection with four streams.
fn measure(server: &Server, options: &str) -> Measurement {
    measure_with(server, 4, options)
}

fn measure_with(server: &Server, streams: u64, options: &str) -> Measurement {
    let options = format!("--http2 --streams {streams} --rate 500 --connections 1 {options}");
    Generator::new(server.url("/"), &options).measure()
}

/// A server whose every third answer is `misbehave`.
fn every_third(misbehave: fn(&mut Link, u32) -> io::Result<()>) -> Server {
    each(&[], move |frames, stream, number| match number % 3 {
        2 => misbehave(frames, stream),
        _ => frames.answer(stream, b"good"),
    })
}

/// A third of the requests fails in this way, without the loss of the connection.
fn third_fails(misbehave: fn(&mut Link, u32) -> io::Result<()>, kind: &str) -> Measurement {
    let run = measure(&every_third(misbehave), "--requests 60");
    assert_eq!(run.failures(), [(kind, 20)].into());
    assert_eq!(run.fates().3, 40);
    assert_eq!(run.count("/reconnects"), 0);
    run
}

#[test]
fn a_reset_stream_is_one_failure() {
    let run = third_fails(
        |frames, stream| frames.write(RST_STREAM, 0, stream, &REFUSED_STREAM.to_be_bytes()),
        "stream_reset",
    );
    assert_eq!(run.count("/streams/resets/REFUSED_STREAM"), 20);
}

#[test]
fn a_reset_in_the_middle_of_an_answer_is_one_failure() {
    third_fails(
        |frames, stream| {
            frames.write(HEADERS, END_HEADERS, stream, STATUS_200)?;
            frames.write(DATA, 0, stream, b"the beginning")?;
            frames.write(RST_STREAM, 0, stream, &[0, 0, 0, 2])
        },
        "stream_reset",
    );
}

/// A third of the answers breaks the protocol, and each of them ends its connection.
fn third_is_malformed(misbehave: fn(&mut Link, u32) -> io::Result<()>) {
    let run = measure(&every_third(misbehave), "--requests 60");
    let failures = run.failures();
    assert_eq!(failures.keys().collect::<Vec<_>>(), [&"malformed"]);
    // Those in flight beside it go with the connection.
    let malformed = failures["malformed"];
    assert!((15..=45).contains(&malformed), "{malformed}");
    assert!(run.count("/reconnects") >= malformed / 4);
    assert!(run.result["requests"]["complaint"].is_string());
}

#[test]
fn a_length_that_is_not_kept_is_malformed() {
    third_is_malformed(|frames, stream| {
        let fields = [STATUS_200, &field("content-length", "9")].concat();
        frames.write(HEADERS, END_HEADERS, stream, &fields)?;
        frames.write(DATA, END_STREAM, stream, b"short")
    });
}

#[test]
fn a_body_without_a_header_is_malformed() {
    third_is_malformed(|frames, stream| frames.write(DATA, END_STREAM, stream, b"no header"));
}

#[test]
fn a_stream_that_never_ends_times_out_alone() {
    let server = every_third(|frames, stream| {
        frames.write(HEADERS, END_HEADERS, stream, STATUS_200)?;
        frames.write(DATA, 0, stream, b"the beginning")
    });
    // Three of the four streams are stuck at times, and are free again after the time-out.
    let run = measure(&server, "--requests 12 --timeout 800ms");
    assert_eq!(run.failures(), [("timed_out", 4)].into());
    assert_eq!(run.count("/reconnects"), 0);
}

/// A server that answers no request of its first connection, but says farewell. The next
/// connection takes over after the time-out.
fn first_is_silent(farewell: fn(&mut Link, u32) -> io::Result<()>, options: &str) {
    let server = Server::tcp(move |stream, number| {
        let mut frames = Frames::begin(stream, &[])?;
        while let Some(stream) = frames.next_request()? {
            match number {
                0 => farewell(&mut frames, stream)?,
                _ => frames.answer(stream, b"good")?,
            }
        }
        Ok(())
    });
    let options = format!("--http2 --closed --requests 20 --connections 1 {options}");
    let run = Generator::new(server.url("/"), &options).measure();
    assert_eq!(run.failures(), [("timed_out", 1)].into());
    assert_eq!(run.fates().3, 19);
}

#[test]
fn a_connection_whose_last_request_times_out_is_replaced() {
    let options = "--timeout 800ms --new-connection-every 1";
    first_is_silent(|_, _| Ok(()), options);
}

#[test]
fn a_connection_that_is_silent_after_a_go_away_is_replaced() {
    first_is_silent(
        |frames, stream| frames.go_away(stream, 0),
        "--timeout 800ms",
    );
}

/// Like a server that sends idle connections away while a later start is awaited.
#[test]
fn a_connection_that_goes_away_before_the_start_is_opened_again() {
    let server = Server::tcp(|stream, number| {
        let mut frames = Frames::begin(stream, &[])?;
        if number == 0 {
            thread::sleep(Duration::from_millis(100));
            frames.go_away(0, 0)?;
        }
        while let Some(stream) = frames.next_request()? {
            frames.answer(stream, b"good")?;
        }
        Ok(())
    });
    let start_ns = monotonic_ns() + 2_000_000_000;
    let run = measure(&server, &format!("--requests 20 --start-at {start_ns}"));
    assert_eq!(run.fates(), (20, 20, 20, 20), "{:?}", run.failures());
    assert_eq!(run.count("/reconnects"), 0);
    assert_eq!(run.result["streams"]["go_aways"], serde_json::json!({}));
}

/// Like a server that is far away: it has not answered the handshake yet when the start comes.
#[test]
fn a_connection_that_is_being_opened_at_the_start_is_not_opened_anew() {
    let start_ns = monotonic_ns() + 2_000_000_000;
    let accepted = Arc::new(AtomicUsize::new(0));
    let server = Server::tcp({
        let accepted = Arc::clone(&accepted);
        move |stream, number| {
            accepted.fetch_add(1, Ordering::Relaxed);
            if number > 0 {
                sleep_until(start_ns + 100_000_000);
            }
            let mut frames = Frames::begin(stream, &[])?;
            if number == 0 {
                sleep_until(start_ns - 500_000_000);
                return Ok(());
            }
            while let Some(stream) = frames.next_request()? {
                frames.answer(stream, b"good")?;
            }
            Ok(())
        }
    });
    let run = measure(&server, &format!("--requests 20 --start-at {start_ns}"));
    assert_eq!(run.fates(), (20, 20, 20, 20), "{:?}", run.failures());
    assert_eq!(accepted.load(Ordering::Relaxed), 2);
    assert_eq!(run.count("/connections_opened"), 1);
    assert_eq!(run.count("/opening/connect_ns/count"), 1);
}

#[test]
fn requests_after_the_last_stream_of_a_go_away_fail() {
    // Answers three, and refuses what is beyond them.
    let server = Server::tcp(|stream, _| {
        let mut frames = Frames::begin(stream, &[])?;
        let mut last = 0;
        for _ in 0..3 {
            let Some(stream) = frames.next_request()? else {
                return Ok(());
            };
            frames.answer(stream, b"good")?;
            last = stream;
        }
        if frames.next_request()?.is_some() {
            frames.go_away(last, ENHANCE_YOUR_CALM)?;
        }
        while frames.next_request()?.is_some() {}
        Ok(())
    });
    let run = measure(&server, "--requests 40");
    assert_eq!(run.fates().3, 40 - run.failures()["gone_away"]);
    assert_eq!(run.failures().len(), 1, "{:?}", run.failures());
    assert!(run.failures()["gone_away"] >= 5);
    assert!(run.count("/streams/go_aways/ENHANCE_YOUR_CALM") >= 5);
    assert!(run.count("/reconnects") >= 5);
}

#[test]
fn a_graceful_go_away_loses_nothing() {
    let server = each(&[], |frames, stream, number| {
        if number == 4 {
            frames.go_away(i32::MAX as u32, 0)?;
        }
        frames.answer(stream, b"good")
    });
    let run = measure(&server, "--requests 40");
    assert_eq!(run.fates(), (40, 40, 40, 40), "{:?}", run.failures());
    // Three more requests may be on their way when the fifth is read.
    assert!(run.count("/reconnects") >= 40 / 8 - 1);
    assert!(run.count("/streams/go_aways/NO_ERROR") >= 40 / 8);
}

#[test]
fn a_connection_that_closes_in_an_answer() {
    let server = Server::tcp(|stream, _| {
        let mut frames = Frames::begin(stream, &[])?;
        if let Some(stream) = frames.next_request()? {
            frames.write(HEADERS, END_HEADERS, stream, STATUS_200)?;
        }
        Ok(())
    });
    let run = measure_with(&server, 1, "--requests 10");
    assert_eq!(run.failures(), [("short", 10)].into());
}

#[test]
fn padding_and_continuation_change_nothing() {
    let server = each(&[], |frames, stream, _| {
        let padded = |content: &[u8]| [&[7], content, &[0; 7]].concat();
        let flags = PADDED;
        frames.write(HEADERS, flags, stream, &padded(STATUS_200))?;
        let fields = field("x-filler", "more of the header");
        let (one, other) = fields.split_at(9);
        frames.write(CONTINUATION, 0, stream, one)?;
        frames.write(CONTINUATION, END_HEADERS, stream, other)?;
        frames.write(DATA, PADDED, stream, &padded(b"some "))?;
        frames.write(DATA, PADDED | END_STREAM, stream, &padded(b"body"))
    });
    let run = measure(&server, "--requests 50 --expect-body-contains body");
    assert_eq!(run.fates(), (50, 50, 50, 50), "{:?}", run.failures());
    assert!(run.records.iter().all(|record| record.answer_bytes == 9));
}

#[test]
fn an_interim_answer_is_not_the_answer() {
    let server = each(&[], |frames, stream, _| {
        let interim = field(":status", "103");
        frames.write(HEADERS, END_HEADERS, stream, &interim)?;
        frames.answer(stream, b"good")
    });
    let run = measure(&server, "--requests 50 --expect-status 200");
    assert_eq!(run.fates(), (50, 50, 50, 50), "{:?}", run.failures());
}

#[test]
fn a_flood_of_continuations_ends_the_connection() {
    let server = each(&[], |frames, stream, _| {
        frames.write(HEADERS, 0, stream, STATUS_200)?;
        loop {
            frames.write(CONTINUATION, 0, stream, &field("x", "y"))?;
        }
    });
    let run = measure_with(&server, 1, "--requests 5");
    assert_eq!(run.failures(), [("malformed", 5)].into());
}

#[test]
fn a_flood_of_interim_answers_is_no_answer() {
    let server = each(&[], |frames, stream, _| loop {
        frames.write(HEADERS, END_HEADERS, stream, &field(":status", "103"))?;
    });
    let run = measure_with(&server, 1, "--requests 5 --timeout 200ms");
    assert_eq!((run.fates().0, run.fates().3), (5, 0));
    // After the first time-out, its connection may be lost in the flood.
    assert!(run.failures()["timed_out"] > 0, "{:?}", run.failures());
}

#[test]
fn a_server_of_http_2_alone_is_malformed_to_http_1() {
    let server = Server::tcp(|mut stream, _| {
        let mut request = [0; 24];
        io::Read::read_exact(&mut stream, &mut request)?;
        const EMPTY_SETTINGS: [u8; 9] = [0, 0, 0, 4, 0, 0, 0, 0, 0];
        io::Write::write_all(&mut stream, &EMPTY_SETTINGS)
    });
    let options = "--rate 500 --connections 1 --requests 10";
    let run = Generator::new(server.url("/"), options).measure();
    assert_eq!(run.failures(), [("malformed", 10)].into());
}

#[test]
fn a_window_of_zero_for_ever_times_out() {
    const INITIAL_WINDOW_SIZE: u16 = 4;
    let server = each(&[(INITIAL_WINDOW_SIZE, 0)], |_, _, _| Ok(()));
    let run = measure(&server, "--requests 4 --timeout 200ms --body text");
    assert_eq!(run.failures(), [("timed_out", 4)].into());
}

#[test]
fn a_server_that_takes_no_stream_gets_none() {
    const MAX_CONCURRENT_STREAMS: u16 = 3;
    let server = each(&[(MAX_CONCURRENT_STREAMS, 0)], |_, _, _| Ok(()));
    let run = measure(&server, "--requests 4 --timeout 200ms");
    assert_eq!(run.failures(), [("unsent", 4)].into());
    assert_eq!(run.count("/streams/allowed"), 0);
}

#[test]
fn a_broken_length_prefix_is_a_wrong_body() {
    let server = each(&[], |frames, stream, _| {
        frames.write(HEADERS, END_HEADERS, stream, STATUS_200)?;
        frames.write(DATA, 0, stream, &[0, 0, 0, 0, 9, 1])?;
        let trailers = field("grpc-status", "0");
        frames.write(HEADERS, END_HEADERS | END_STREAM, stream, &trailers)
    });
    let run = measure(&server, "--requests 10 --grpc a.B/C");
    assert_eq!(run.failures(), [("wrong_body", 10)].into());
    let complaint = run.result["requests"]["complaint"].as_str().unwrap();
    assert!(
        complaint.contains("9 bytes long by its prefix"),
        "{complaint}"
    );
}
