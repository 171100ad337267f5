//! HTTP answers generated from the grammar, and bytes that only resemble them.

use proptest::collection::vec;
use proptest::prelude::*;

use super::tests_reading::{cut, read};
use super::*;

/// How a generated answer says where its body ends.
#[derive(Debug, Clone)]
enum Framed {
    Length {
        repeats: usize,
    },
    Chunks {
        cuts: Vec<usize>,
        extension: String,
        trailers: Vec<(String, String)>,
    },
}

/// An answer and what a reader has to make of it.
#[derive(Debug, Clone)]
struct Generated {
    interim: bool,
    code: u16,
    fields: Vec<(String, String)>,
    close: bool,
    line_end: &'static str,
    framed: Framed,
    body: Vec<u8>,
}

impl Generated {
    fn write(&self, out: &mut Vec<u8>) {
        let end = self.line_end;
        let mut head = String::new();
        if self.interim {
            head += &format!("HTTP/1.1 100 Continue{end}{end}");
        }
        head += &format!("HTTP/1.1 {} Some Reason{end}", self.code);
        for (name, value) in &self.fields {
            head += &format!("{name}: {value}{end}");
        }
        if self.close {
            head += &format!("Connection: x, Close{end}");
        }
        match &self.framed {
            Framed::Length { repeats } => {
                for _ in 0..*repeats {
                    head += &format!("Content-Length: {}{end}", self.body.len());
                }
                out.extend_from_slice((head + end).as_bytes());
                out.extend_from_slice(&self.body);
            }
            Framed::Chunks {
                cuts,
                extension,
                trailers,
            } => {
                head += &format!("Transfer-Encoding: CHUNKED{end}");
                out.extend_from_slice((head + end).as_bytes());
                for piece in cut(&self.body, cuts) {
                    if !piece.is_empty() {
                        out.extend_from_slice(
                            format!("{:X}{extension}\r\n", piece.len()).as_bytes(),
                        );
                        out.extend_from_slice(piece);
                        out.extend_from_slice(b"\r\n");
                    }
                }
                out.extend_from_slice(format!("0{extension}\r\n").as_bytes());
                for (name, value) in trailers {
                    out.extend_from_slice(format!("{name}:{value}{end}").as_bytes());
                }
                out.extend_from_slice(end.as_bytes());
            }
        }
    }

    fn expected(&self) -> (Answer, Vec<u8>) {
        let answer = Answer {
            status: Status::Http(self.code),
            body_bytes: self.body.len() as u64,
            reusable: !self.close,
        };
        (answer, self.body.clone())
    }
}

fn fields(most: usize) -> impl Strategy<Value = Vec<(String, String)>> {
    // Names begin with an x, so that none frames the answer by chance.
    vec(
        (
            "[xX][!#$%&'*+.^_`|~0-9A-Za-z-]{0,20}",
            "[ \t!-~\u{e0}-\u{ff}]{0,40}",
        ),
        0..most,
    )
}

fn framed() -> impl Strategy<Value = Framed> {
    prop_oneof![
        (1..4usize).prop_map(|repeats| Framed::Length { repeats }),
        (
            vec(any::<usize>(), 0..6),
            prop_oneof![Just(String::new()), "[ \t]{0,2};[ -~]{0,20}"],
            fields(4)
        )
            .prop_map(|(cuts, extension, trailers)| Framed::Chunks {
                cuts,
                extension,
                trailers
            }),
    ]
}

fn generated() -> impl Strategy<Value = Generated> {
    (
        any::<bool>(),
        (200..=999u16).prop_filter("codes with a body", |code| !matches!(code, 204 | 304)),
        fields(12),
        any::<bool>(),
        prop_oneof![Just("\r\n"), Just("\n")],
        framed(),
        vec(any::<u8>(), 0..300),
    )
        .prop_map(
            |(interim, code, fields, close, line_end, framed, body)| Generated {
                interim,
                code,
                fields,
                close,
                line_end,
                framed,
                body,
            },
        )
}

/// Bytes that often look like the beginning of an answer.
fn nearly_http() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        Just(b"HTTP/1.1 200 OK\r\n".to_vec()),
        Just(b"HTTP/1.0 100 \n".to_vec()),
        Just(b"Content-Length: 3\r\n".to_vec()),
        Just(b"Transfer-Encoding: chunked\r\n".to_vec()),
        Just(b"Connection: close\r\n".to_vec()),
        Just(b"A: b\r\n c\r\n".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"3\r\nabc\r\n0\r\n".to_vec()),
        vec(any::<u8>(), 0..8),
        vec(prop::sample::select(b"\r\n :;,0a".to_vec()), 0..8),
    ];
    (any::<bool>(), vec(part, 0..12)).prop_map(|(begin, parts)| {
        let start: &[u8] = if begin { b"HTTP/1.1 200 OK\r\n" } else { b"" };
        [start, &parts.concat()].concat()
    })
}

proptest! {
    #[test]
    fn generated_answers_are_read_back_however_cut(
        different in vec(generated(), 1..4),
        order in vec(any::<prop::sample::Index>(), 1..12),
        places in vec(any::<usize>(), 0..12),
    ) {
        // The same answers again and again, as servers give them.
        let answers: Vec<_> = order.iter().map(|index| index.get(&different)).collect();
        let mut stream = Vec::new();
        for answer in &answers {
            answer.write(&mut stream);
        }
        let reading = read(Parser::http(), cut(&stream, &places), |_| false);
        prop_assert_eq!(reading.end, Ok(Ending::NothingPending));
        let expected: Vec<_> = answers.iter().map(|answer| answer.expected()).collect();
        prop_assert_eq!(reading.answers, expected);
    }

    #[test]
    fn how_any_bytes_are_cut_changes_nothing(
        stream in prop_oneof![nearly_http(), vec(any::<u8>(), 0..200)],
        places in vec(any::<usize>(), 0..12),
        to_head: bool,
    ) {
        let in_one = read(Parser::http(), [&stream[..]], |_| to_head);
        let in_pieces = read(Parser::http(), cut(&stream, &places), |_| to_head);
        prop_assert_eq!(in_one, in_pieces);
    }

    /// An independent reader of the same grammar agrees on heads, but for what
    /// this one refuses knowingly.
    #[test]
    fn heads_are_judged_as_httparse_judges_them(
        line in prop_oneof![
            Just(b"HTTP/1.1 200 OK".to_vec()),
            "HTTP/1\\.[012] {1,2}[2-9][0-9]{1,3} ?[ -~\t\r]{0,5}".prop_map(String::into_bytes),
        ],
        fields in vec(
            ("[ a-zA-Z:(\t-]{0,8}", "[: ]{0,2}", "[ -~\t\r\0\u{7f}\u{ff}]{0,10}"),
            0..6,
        ),
    ) {
        let fields: Vec<String> = fields.into_iter().map(|(a, b, c)| a + &b + &c).collect();
        // Folds are read by rules of our own, and an empty line would end the
        // head early for both.
        prop_assume!(fields.iter().all(|field| {
            !field.starts_with([' ', '\t']) && !field.trim_end_matches('\r').is_empty()
        }));
        let mut stream = line;
        for field in &fields {
            stream.extend_from_slice(b"\r\n");
            stream.extend_from_slice(field.as_bytes());
        }
        stream.extend_from_slice(b"\r\n\r\n");
        let mut headers = [httparse::EMPTY_HEADER; 16];
        let mut other = httparse::Response::new(&mut headers);
        let others = other.parse(&stream).map(|_| other.code.map(Status::Http));
        let ours = read(Parser::http(), [&stream[..]], |_| true);
        let ours = ours.end.map(|_| ours.answers.first().map(|(answer, _)| answer.status));
        prop_assert_eq!(ours.is_ok(), others.is_ok(), "{:?} {:?}", ours, others);
        if let (Ok(ours), Ok(others)) = (ours, others) {
            prop_assert_eq!(ours, others);
        }
    }
}
