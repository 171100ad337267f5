//! HTTP answers, each rule by hand.

use super::tests_reading::{read, Reading};
use super::*;

fn whole(stream: &[u8]) -> Reading {
    let reading = read(Parser::http(), [stream], |_| false);
    let bytewise = read(Parser::http(), stream.chunks(1), |_| false);
    assert_eq!(reading, bytewise, "one piece and one byte at a time differ");
    reading
}

/// The one answer in the stream, after which nothing is pending.
fn only(stream: &str) -> (u16, String, bool) {
    let mut reading = whole(stream.as_bytes());
    assert_eq!(reading.end, Ok(Ending::NothingPending), "{stream:?}");
    assert_eq!(reading.answers.len(), 1, "{stream:?}");
    let (answer, body) = reading.answers.remove(0);
    (
        code(&answer),
        String::from_utf8(body).unwrap(),
        answer.reusable,
    )
}

fn code(answer: &Answer) -> u16 {
    match answer.status {
        Status::Http(code) => code,
        Status::Reply(kind) => panic!("a {kind:?} in HTTP"),
    }
}

fn malformed(stream: &str) -> Malformed {
    let reading = whole(stream.as_bytes());
    assert_eq!(reading.answers, [], "{stream:?}");
    reading.end.expect_err(stream)
}

fn good(code: u16, body: &str, reusable: bool) -> (u16, String, bool) {
    (code, body.to_owned(), reusable)
}

#[test]
fn a_body_of_known_length() {
    assert_eq!(
        only("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
        good(200, "hello", true)
    );
    assert_eq!(
        only("HTTP/1.1 404 Not Found\r\ncontent-LENGTH:\t0 \r\n\r\n"),
        good(404, "", true)
    );
}

#[test]
fn what_looks_like_the_head_before_is_none_in_the_midst_of_another() {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    // Cut just there: within a line, and between two.
    for begun in [
        "HTTP/1.1 404 No\r\nX: ",
        "HTTP/1.1 404 No\r\nContent-Length: 0\r\n",
    ] {
        let whole = [head, begun, head].concat();
        let in_one = read(Parser::http(), [whole.as_bytes()], |_| false);
        let pieces = [head, begun, head].map(str::as_bytes);
        assert_eq!(read(Parser::http(), pieces, |_| false), in_one, "{begun:?}");
    }
}

#[test]
fn the_reason_may_be_missing_or_odd() {
    for line in ["200 ", "200", "200 a b\tc", "200 \u{fc}"] {
        let stream = format!("HTTP/1.1 {line}\r\nContent-Length: 0\r\n\r\n");
        assert_eq!(only(&stream), good(200, "", true));
    }
}

#[test]
fn garbage_is_seen_in_its_first_bytes() {
    let garbage = [
        "S",
        "HX",
        "HTTP/2",
        "HTTP/1,",
        "http/1.1",
        "\r\n",
        " ",
        "HTTP/1x",
        "\u{16}\u{3}\u{1}",
    ];
    for text in garbage {
        assert_eq!(malformed(text), Malformed::StatusLine, "{text:?}");
    }
    assert_eq!(whole(b"HTTP/1.").end, Ok(Ending::Short));
}

#[test]
fn wrong_status_lines() {
    let lines = [
        "HTTP/1.2 200 OK",
        "HTTP/1.1  200 OK",
        "HTTP/1.1 20 OK",
        "HTTP/1.1 2000 OK",
        "HTTP/1.1 099 OK",
        "HTTP/1.1 2x0 OK",
        "HTTP/1.1 -20 OK",
        "HTTP/1.1",
        "HTTP/1.1 200\tOK",
        "HTTP/1.1 200 O\rK",
        "HTTP/1.1 200 O\0K",
        "HTTP/1.10 200 OK",
    ];
    for line in lines {
        let stream = format!("{line}\r\nContent-Length: 0\r\n\r\n");
        assert_eq!(malformed(&stream), Malformed::StatusLine, "{line:?}");
    }
}

#[test]
fn wrong_fields() {
    let fields = [
        "no colon",
        ": no name",
        "na me: v",
        "name : v",
        "name\u{e9}: v",
        "n: a\rb",
        "n: a\0b",
        "n: \u{7f}",
        " folded first: v",
        "\tfolded",
        "(n): v",
    ];
    for field in fields {
        let stream = format!("HTTP/1.1 200 OK\r\n{field}\r\n\r\n");
        assert_eq!(malformed(&stream), Malformed::Field, "{field:?}");
    }
}

#[test]
fn bare_line_feeds_end_header_lines() {
    assert_eq!(
        only("HTTP/1.1 200 OK\nA: b\nContent-Length: 2\n\nhi"),
        good(200, "hi", true)
    );
    assert_eq!(
        only("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n2\r\nhi\r\n0\r\nA: b\n\n"),
        good(200, "hi", true)
    );
}

#[test]
fn folded_fields_are_passed_over_unless_they_frame() {
    assert_eq!(
        only("HTTP/1.1 200 OK\r\nA: b\r\n c: d\r\n\te\r\nContent-Length: 0\r\n\r\n"),
        good(200, "", true)
    );
    for field in [
        "Content-Length: 1\r\n 0",
        "Transfer-Encoding: gzip,\r\n chunked",
        "Connection: a,\r\n close",
    ] {
        let stream = format!("HTTP/1.1 200 OK\r\n{field}\r\n\r\n");
        assert_eq!(malformed(&stream), Malformed::FoldedFraming, "{field:?}");
    }
}

#[test]
fn which_connections_persist() {
    let cases = [
        ("1.1", "", true),
        ("1.1", "Connection: close\r\n", false),
        ("1.1", "CONNECTION: Close\r\n", false),
        ("1.1", "Connection: keep-alive\r\n", true),
        ("1.1", "Connection: keep-alive, CLOSE ,x\r\n", false),
        ("1.1", "Connection: foo\r\nConnection: ,,close\r\n", false),
        ("1.1", "Connection: closed\r\n", true),
        ("1.1", "X-Connection: close\r\n", true),
        ("1.0", "", false),
        ("1.0", "Connection: Keep-Alive\r\n", true),
        ("1.0", "Connection: x, keep-alive\r\n", true),
        ("1.0", "Connection: keep-alive, close\r\n", false),
    ];
    for (version, field, reusable) in cases {
        let stream = format!("HTTP/{version} 200 OK\r\n{field}Content-Length: 1\r\n\r\nx");
        assert_eq!(
            only(&stream),
            good(200, "x", reusable),
            "{version} {field:?}"
        );
    }
}

#[test]
fn content_lengths_have_to_agree() {
    for fields in [
        "Content-Length: 2\r\nContent-Length: 2",
        "Content-Length: 2, 2",
        "Content-Length: 02\r\nA: b\r\nContent-Length: 2 ,2",
    ] {
        let stream = format!("HTTP/1.1 200 OK\r\n{fields}\r\n\r\nhi");
        assert_eq!(only(&stream), good(200, "hi", true), "{fields:?}");
    }
    for fields in [
        "Content-Length: 2\r\nContent-Length: 3",
        "Content-Length: 2,3",
    ] {
        let stream = format!("HTTP/1.1 200 OK\r\n{fields}\r\n\r\nhi");
        assert_eq!(malformed(&stream), Malformed::ConflictingLengths);
    }
    for value in [
        "",
        "-1",
        "+1",
        "1.0",
        "0x1",
        "a",
        "1 1",
        "1,",
        "18446744073709551616",
    ] {
        let stream = format!("HTTP/1.1 200 OK\r\nContent-Length: {value}\r\n\r\n");
        assert_eq!(malformed(&stream), Malformed::ContentLength, "{value:?}");
    }
}

#[test]
fn an_endless_length_is_only_short() {
    let stream = b"HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551615\r\n\r\nabc";
    let reading = whole(stream);
    assert_eq!(
        (reading.end, reading.rest),
        (Ok(Ending::Short), b"abc".to_vec())
    );
}

#[test]
fn chunks_with_extensions_and_trailers() {
    assert_eq!(
        only("HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n5;a=\"b\"\r\nhello\r\n00a \r\n, world!!!\r\n000;x\r\nA: b\r\n\tc\r\n\r\n"),
        good(200, "hello, world!!!", true)
    );
    assert_eq!(
        only("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
        good(200, "", true)
    );
    assert_eq!(
        only("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        good(200, "", true)
    );
}

#[test]
fn wrong_chunks() {
    let cases = [
        ("x\r\n", Malformed::ChunkSize),
        ("\r\n", Malformed::ChunkSize),
        ("2\nhi", Malformed::ChunkSize),
        ("11112222333344445\r\n", Malformed::ChunkSize),
        ("2\r\nhiX", Malformed::ChunkEnd),
        ("2\r\nhi\n", Malformed::ChunkEnd),
        ("2\r\nhi\rX", Malformed::ChunkEnd),
        ("0\r\nno colon\r\n", Malformed::Field),
        ("0\r\n folded: first\r\n", Malformed::Field),
    ];
    for (body, complaint) in cases {
        let stream = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{body}");
        assert_eq!(malformed(&stream), complaint, "{body:?}");
    }
}

#[test]
fn a_transfer_coding_wins_over_a_length_and_ends_the_connection() {
    assert_eq!(
        only("HTTP/1.1 200 OK\r\nContent-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"),
        good(200, "a", false)
    );
    assert_eq!(
        only("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        good(200, "", false)
    );
}

#[test]
fn transfer_encodings_that_cannot_be_read() {
    for value in ["", ",", "chunked, chunked", "chunked, gzip, chunked"] {
        let stream = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: {value}\r\n\r\n");
        assert_eq!(malformed(&stream), Malformed::TransferEncoding, "{value:?}");
    }
}

#[test]
fn bodies_that_end_with_the_connection() {
    for fields in [
        "",
        "Transfer-Encoding: gzip\r\n",
        "Transfer-Encoding: chunked, gzip\r\nContent-Length: 1\r\n",
        "Connection: keep-alive\r\n",
    ] {
        let stream = format!("HTTP/1.1 200 OK\r\n{fields}\r\nHTTP/1.1 200 OK\r\n\r\n");
        let reading = whole(stream.as_bytes());
        let answer = Answer {
            status: Status::Http(200),
            body_bytes: 19,
            reusable: false,
        };
        assert_eq!(reading.end, Ok(Ending::Complete(answer)), "{fields:?}");
        assert_eq!(reading.rest, b"HTTP/1.1 200 OK\r\n\r\n");
    }
}

#[test]
fn answers_without_a_body() {
    for code in [204, 304] {
        for fields in [
            "",
            "Content-Length: 5\r\n",
            "Transfer-Encoding: chunked\r\n",
        ] {
            let stream = format!("HTTP/1.1 {code} X\r\n{fields}\r\n");
            assert_eq!(only(&stream), good(code, "", true), "{code} {fields:?}");
        }
    }
    let stream = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhiHTTP/1.1 200 OK\r\n\r\n";
    let reading = read(Parser::http(), [&stream[..]], |index| index != 1);
    let bodies: Vec<&[u8]> = reading.answers.iter().map(|(_, body)| &body[..]).collect();
    assert_eq!(bodies, [&b""[..], b"hi", b""]);
    assert_eq!(reading.end, Ok(Ending::NothingPending));
}

#[test]
fn interim_answers_are_passed_over() {
    assert_eq!(
        only("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\nConnection: close\r\nContent-Length: 7\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"),
        good(200, "x", true)
    );
    let interim_only = whole(b"HTTP/1.1 100 Continue\r\n\r\n");
    assert_eq!(
        (interim_only.answers.len(), interim_only.end),
        (0, Ok(Ending::Short))
    );
    assert_eq!(
        malformed("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"),
        Malformed::SwitchedProtocols
    );
}

#[test]
fn a_connection_closed_anywhere_within_an_answer_is_short() {
    let streams = [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a\r\nhello\r\n0\r\nA: b\r\n\r\n",
    ];
    for stream in streams {
        assert_eq!(whole(b"").end, Ok(Ending::NothingPending));
        for length in 1..stream.len() {
            let reading = whole(&stream.as_bytes()[..length]);
            assert_eq!(
                reading.end,
                Ok(Ending::Short),
                "{length} bytes of {stream:?}"
            );
        }
    }
}

#[test]
fn pipelined_answers_are_told_apart() {
    let stream = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na".repeat(100);
    let reading = whole(stream.as_bytes());
    assert_eq!(reading.answers.len(), 100);
    assert!(reading
        .answers
        .iter()
        .all(|(answer, body)| answer.reusable && body == b"a"));
}

/// A head of exactly so many bytes.
fn head_of(bytes: usize) -> String {
    let begin = "HTTP/1.1 204 No Content\r\nA: ";
    format!("{begin}{}\r\n\r\n", "a".repeat(bytes - begin.len() - 4))
}

#[test]
fn heads_have_a_limit() {
    assert_eq!(only(&head_of(65_536)), good(204, "", true));
    assert_eq!(malformed(&head_of(65_536 + 1)), Malformed::HeadTooLong);
    let endless_line = "HTTP/1.1 200 ".to_owned() + &"a".repeat(65_536);
    assert_eq!(malformed(&endless_line), Malformed::HeadTooLong);

    let fields = |count| "A: b\r\n".repeat(count);
    let most = 128;
    let stream = |count| format!("HTTP/1.1 204 X\r\n{}\r\n", fields(count));
    assert_eq!(only(&stream(most)), good(204, "", true));
    assert_eq!(malformed(&stream(most + 1)), Malformed::TooManyFields);
}

#[test]
fn interim_heads_count_each_for_itself() {
    let stream = head_of(65_536).replace("204", "102") + &head_of(65_536);
    assert_eq!(only(&stream), good(204, "", true));
}

#[test]
fn chunk_lines_and_trailers_have_a_limit() {
    let begin = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let extension = "1;".to_owned() + &"x".repeat(16 * 1024);
    assert_eq!(
        malformed(&(begin.to_owned() + &extension)),
        Malformed::ChunkLineTooLong
    );
    let most = 128;
    let trailer = |count| format!("{begin}0\r\n{}\r\n", "A: b\r\n".repeat(count));
    assert_eq!(only(&trailer(most)), good(200, "", true));
    assert_eq!(malformed(&trailer(most + 1)), Malformed::TrailerTooLong);
    let folds = format!("{begin}0\r\nA: b\r\n{}", " x\r\n".repeat(65_536 / 4));
    assert_eq!(malformed(&folds), Malformed::TrailerTooLong);
}

#[test]
fn a_parser_that_failed_reads_the_next_connection() {
    let mut parser = HttpParser::default();
    let mut sink = Inspection::default();
    let wrong = b"HTTP/1.1 100 X\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n";
    assert_eq!(
        parser.advance(false, wrong, &mut sink),
        Err(Malformed::ChunkSize)
    );
    let right = b"HTTP/1.1 204 No Content\r\n\r\n";
    let answer = Answer {
        status: Status::Http(204),
        body_bytes: 0,
        reusable: true,
    };
    let read = parser.advance(false, right, &mut sink);
    assert_eq!(read, Ok((right.len(), Step::Complete(answer))));
}
