//! HTTP/2 and gRPC against servers that keep to them.

use crate::generator::Generator;
use crate::servers::frames::{each, Frames};
use crate::servers::{Authority, Honest, Multiplexed, Server};

/// More than a server may ever have asked for.
const MANY: u32 = 1_000;

#[test]
fn streams_share_connections() {
    let server = Multiplexed::start(MANY);
    let options = "--http2 --streams 8 --rate 2000 --requests 600 --connections 2";
    let run = Generator::new(server.url("/bytes/11"), options).measure();
    assert_eq!(run.fates(), (600, 600, 600, 600), "{:?}", run.failures());
    assert_eq!(run.result["protocol"], "http2");
    assert_eq!(run.count("/streams/allowed"), 8);
    assert_eq!(run.count("/connections_opened"), 2);
    assert_eq!(run.result["generator"]["reads_at_once"], true);
    assert!(run.findings("limitation").contains(&"unstamped"));
    assert!(run.records.iter().all(|record| record.answer_bytes == 11));
    assert_eq!(server.count(), 600);
}

#[test]
fn a_closed_loop_keeps_every_stream_busy() {
    let server = Multiplexed::start(MANY);
    let options = "--http2 --closed --streams 16 --requests 2000 --connections 1";
    let run = Generator::new(server.url("/bytes/100"), options).measure();
    assert_eq!(run.fates(), (2_000, 2_000, 2_000, 2_000));
    assert_eq!(server.most_under_way(), 16);
}

#[test]
fn a_server_that_takes_fewer_streams_gets_no_more() {
    let server = Multiplexed::start(3);
    let options = "--http2 --closed --streams 16 --requests 500 --connections 1";
    let run = Generator::new(server.url("/bytes/100"), options).measure();
    assert_eq!(run.fates(), (500, 500, 500, 500), "{:?}", run.failures());
    assert_eq!(run.count("/streams/allowed"), 3);
    assert_eq!(server.most_under_way(), 3);
}

#[test]
fn answers_larger_than_every_window() {
    let server = Multiplexed::start(MANY);
    let options = "--http2 --streams 2 --closed --requests 6 --connections 1";
    let run = Generator::new(server.url("/bytes/9000000"), options).measure();
    assert_eq!(run.fates(), (6, 6, 6, 6), "{:?}", run.failures());
    let whole = |record: &crate::generator::records::Record| record.answer_bytes == 9_000_000;
    assert!(run.records.iter().all(whole));
}

#[test]
fn bodies_larger_than_the_server_s_window() {
    let server = Multiplexed::start(MANY);
    let options = "--http2 --streams 4 --closed --requests 20 --connections 1";
    let generator = Generator::new(server.url("/echo"), options);
    let body = generator.path("body");
    std::fs::write(&body, vec![b'b'; 300_000]).unwrap();
    let run = generator.option("--body-file", body).measure();
    assert_eq!(run.fates(), (20, 20, 20, 20), "{:?}", run.failures());
    assert!(run
        .records
        .iter()
        .all(|record| record.answer_bytes == 300_000));
}

#[test]
fn bodies_are_checked_as_in_http_1() {
    let server = Multiplexed::start(MANY);
    let ask = |text: &str| {
        let options = "--http2 --streams 4 --rate 500 --requests 50";
        Generator::new(server.url("/echo"), options)
            .option("--body", "order ${sequence}")
            .option("--expect-body-contains", text)
            .measure()
    };
    assert_eq!(ask("order ").fates(), (50, 50, 50, 50));
    let run = ask("another");
    assert_eq!(run.failures()["wrong_body"], 50);
    assert_eq!(run.fates().3, 0);
}

#[test]
fn connections_are_replaced_after_their_requests() {
    let server = Multiplexed::start(MANY);
    let options = "--http2 --streams 4 --closed --requests 100 --connections 1 \
                   --new-connection-every 10";
    let run = Generator::new(server.url("/bytes/1"), options).measure();
    assert_eq!(run.fates(), (100, 100, 100, 100), "{:?}", run.failures());
    assert!(run.count("/connections_replaced") >= 9);
}

#[test]
fn unary_calls() {
    let server = Multiplexed::start(MANY);
    let options = "--grpc test.Echo/Say --streams 4 --rate 500 --requests 50";
    let run = Generator::new(server.url("/"), options)
        .option("--body", "message")
        .option("--expect-body-contains", "message")
        .measure();
    assert_eq!(run.fates(), (50, 50, 50, 50), "{:?}", run.failures());
    assert_eq!(run.result["protocol"], "grpc");
    assert_eq!(run.count("/streams/grpc_statuses/OK"), 50);
    assert!(run.records.iter().all(|record| record.answer_bytes == 12));
}

#[test]
fn the_requests_of_a_file_are_calls() {
    let server = Multiplexed::start(MANY);
    let options = "--protocol grpc --streams 4 --rate 500 --requests 60";
    let ask = |expected: &str| {
        let generator = Generator::new(server.url("/"), options);
        let file = generator.path("calls.jsonl");
        let line = |method: &str, message: &str| {
            format!(
                r#"{{"method":"POST","path":"/test.Echo/{method}","body":"{message}","expect":{{"body_contains":"{expected}"}}}}"#
            )
        };
        let lines = [
            line("Say", "one of a file"),
            line("SayAgain", "another of a file"),
        ];
        std::fs::write(&file, lines.join("\n")).unwrap();
        generator.option("--traffic", file).measure()
    };
    let run = ask("of a file");
    assert_eq!(run.fates(), (60, 60, 60, 60), "{:?}", run.failures());
    assert_eq!(run.result["protocol"], "grpc");
    assert_eq!(run.count("/streams/grpc_statuses/OK"), 60);
    let run = ask("another");
    assert_eq!(run.failures()["wrong_body"], 30);
    assert_eq!(run.fates().3, 30);
}

#[test]
fn calls_that_fail_are_counted_by_status() {
    let server = Multiplexed::start(MANY);
    let options = "--grpc test.Echo/Say --streams 4 --rate 500 --requests 50";
    let run = Generator::new(server.url("/"), options)
        .option("--header", "x-status: 14")
        .measure();
    assert_eq!(run.failures()["grpc_status"], 50);
    assert_eq!(run.count("/streams/grpc_statuses/UNAVAILABLE"), 50);
    assert!(run.run.stdout.contains("UNAVAILABLE"), "{}", run.run.stdout);
}

#[test]
fn an_answer_without_a_call_s_status_is_a_failure() {
    // Echoes the message and forgets the trailers.
    let server = each(&[], |frames, stream, _| frames.answer(stream, &[0; 5]));
    let options = "--grpc test.Echo/Say --rate 500 --requests 20";
    let run = Generator::new(server.url("/"), options).measure();
    assert_eq!(run.failures()["grpc_status"], 20);
    assert_eq!(run.count("/streams/grpc_statuses/MISSING"), 20);
}

#[test]
fn inside_tls() {
    let authority = Authority::new();
    let acceptor = authority.acceptor("localhost").speaking(b"h2");
    let server = Server::tcp(move |stream, _| {
        let mut frames = Frames::begin(acceptor.accept(stream)?, &[])?;
        while let Some(stream) = frames.next_request()? {
            frames.answer(stream, b"inside")?;
        }
        Ok(())
    });
    let url = format!("https://localhost:{}/", server.address().port());
    let options = "--http2 --streams 4 --rate 500 --requests 100 --insecure";
    let run = Generator::new(url, options).measure();
    assert_eq!(run.fates(), (100, 100, 100, 100), "{:?}", run.failures());
    assert_eq!(run.count("/opening/tls_handshake_ns/count"), 4);
}

#[test]
fn tls_without_an_agreement_is_told_in_one_line() {
    let authority = Authority::new();
    for protocol in [None, Some(&b"http/1.1"[..])] {
        let acceptor = authority.acceptor("localhost");
        let server = Honest::inside(match protocol {
            Some(protocol) => acceptor.speaking(protocol),
            None => acceptor,
        });
        let url = format!("https://localhost:{}/", server.server.address().port());
        let options = "--http2 --rate 500 --requests 100 --insecure";
        let run = Generator::new(url, options).finish();
        assert!(run.mistake().contains("ALPN"), "{}", run.stderr);
    }
}

#[test]
fn a_server_of_http_1_alone_is_told_in_one_line() {
    let honest = Server::tcp(|mut stream, _| {
        let mut preface = [0; 24];
        std::io::Read::read_exact(&mut stream, &mut preface)?;
        let refusal = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n";
        std::io::Write::write_all(&mut stream, refusal)
    });
    let silent = Server::tcp(|mut stream, _| {
        let mut preface = [0; 24];
        std::io::Read::read_exact(&mut stream, &mut preface)
    });
    for server in [honest, silent] {
        let options = "--http2 --rate 500 --requests 100";
        let run = Generator::new(server.url("/"), options).finish();
        assert!(run.mistake().contains("h2c"), "{}", run.stderr);
    }
}
