//! HTTP/1.1 requests as the bytes on the wire (RFC 9112).

use super::digits::append_decimal;
use super::feed::{Feed, Place};
use super::keyspace::KeySpace;
use super::request::{pattern, Body, RequestError, RequestSpec};
use super::selection::{Order, Selection};
use super::template::{FieldMaker, Template};
use super::traffic::Encoded;
use crate::protocol::expectation::Expectation;

/// What the generator calls itself.
pub(super) const USER_AGENT: &str = concat!("runfair-load/", env!("CARGO_PKG_VERSION"));

/// HTTP traffic as described.
#[derive(Clone, Debug, PartialEq)]
pub struct HttpSpec {
    /// The requests; at least one.
    pub requests: Vec<RequestSpec>,
    /// Host and, if it is not the scheme's own, port: the Host header of
    /// requests that give none.
    pub authority: String,
    /// In which order requests are used.
    pub order: Order,
    /// The key space that `${key}` draws from.
    pub keys: Option<KeySpace>,
    /// The rows that `${feed:NAME}` takes its values from.
    pub feed: Option<Feed>,
    /// The seed of every random draw.
    pub seed: u64,
}

impl HttpSpec {
    /// The requests' names, for people.
    pub(super) fn names(&self) -> Box<[String]> {
        let name = |request: &RequestSpec| format!("{} {}", request.method, request.path);
        self.requests.iter().map(name).collect()
    }

    /// Which of them is sent when.
    pub(super) fn selection(&self) -> Selection {
        let weights: Vec<f64> = self.requests.iter().map(|request| request.weight).collect();
        Selection::new(self.order, &weights, self.seed)
    }
}

/// Every request made ready to be encoded.
pub(super) fn made<R>(
    spec: &HttpSpec,
    mut make: impl FnMut(&RequestSpec, &str, &mut FieldMaker<'_>) -> Result<R, RequestError>,
) -> Result<Box<[R]>, HttpError> {
    if spec.requests.is_empty() {
        return Err(HttpError::NoRequests);
    }
    if u32::try_from(spec.requests.len()).is_err() {
        return Err(HttpError::TooManyRequests(spec.requests.len()));
    }
    if spec.authority.is_empty() || !spec.authority.bytes().all(|b| b.is_ascii_graphic()) {
        return Err(HttpError::Authority(spec.authority.clone()));
    }
    spec.requests
        .iter()
        .map(|request| {
            let mut fields = FieldMaker::new(spec.seed, spec.keys, spec.feed.as_ref());
            make(request, &spec.authority, &mut fields).map_err(|source| HttpError::Request {
                place: request
                    .place
                    .clone()
                    .unwrap_or_else(|| format!("{} {}", request.method, request.path)),
                source,
            })
        })
        .collect()
}

/// Why a description makes no HTTP traffic.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the texts say it")]
pub enum HttpError {
    #[error("there is no request to send; give at least one request")]
    NoRequests,
    #[error("{0} requests are too many; give at most 4294967295")]
    TooManyRequests(usize),
    #[error("{0:?} is not a host")]
    Authority(String),
    #[error("{place}: {source}")]
    Request { place: String, source: RequestError },
}

/// HTTP traffic ready to be encoded.
#[derive(Clone, Debug)]
pub(super) struct HttpTraffic {
    requests: Box<[WireRequest]>,
    selection: Selection,
}

/// One request ready to be encoded.
#[derive(Clone, Debug)]
struct WireRequest {
    /// Everything, or everything before the number of a Content-Length that
    /// differs from request to request.
    start: Template,
    /// The body whose length is counted for each request.
    counted_body: Option<Template>,
    head: bool,
    expect: Expectation,
}

impl HttpTraffic {
    pub fn new(spec: HttpSpec) -> Result<Self, HttpError> {
        let requests = made(&spec, WireRequest::new)?;
        Ok(Self {
            requests,
            selection: spec.selection(),
        })
    }

    #[inline]
    pub fn encode(&self, index: u64, out: &mut Vec<u8>) -> Encoded {
        let template = self.selection.template(index);
        let request = &self.requests[template as usize];
        request.append(index, out);
        Encoded {
            template,
            head: request.head,
        }
    }

    pub fn expectation(&self, template: u32) -> &Expectation {
        &self.requests[template as usize].expect
    }
}

impl WireRequest {
    fn new(
        spec: &RequestSpec,
        authority: &str,
        fields: &mut FieldMaker<'_>,
    ) -> Result<Self, RequestError> {
        spec.check()?;
        let mut start = Template::default();
        start.push_literal(spec.method.as_bytes());
        start.push_literal(b" ");
        let path = ("the path", Place::Path);
        append_text(&mut start, &spec.path, path, fields)?;
        start.push_literal(b" HTTP/1.1\r\n");

        // RFC 9112, section 3.2: Host had best be first.
        if spec.header("host").is_none() {
            start.push_literal(format!("Host: {authority}\r\n").as_bytes());
        }
        for (name, value) in [("User-Agent", USER_AGENT), ("Accept", "*/*")] {
            if spec.header(name).is_none() {
                start.push_literal(format!("{name}: {value}\r\n").as_bytes());
            }
        }
        for (name, value) in &spec.headers {
            start.push_literal(format!("{name}: ").as_bytes());
            let part = format!("the header {name}");
            append_text(&mut start, value, (&part, Place::Header), fields)?;
            start.push_literal(b"\r\n");
        }

        let body = body(spec, fields)?;
        let mut counted_body = None;
        match body.fixed_length() {
            // RFC 9110, section 8.6: methods that expect a body say its length
            // even where it is 0.
            Some(0) if !matches!(spec.method.as_str(), "POST" | "PUT" | "PATCH") => {
                start.push_literal(b"\r\n");
            }
            Some(length) => {
                start.push_literal(format!("Content-Length: {length}\r\n\r\n").as_bytes());
                start.push_template(body);
            }
            None => {
                start.push_literal(b"Content-Length: ");
                counted_body = Some(body);
            }
        }
        Ok(Self {
            start,
            counted_body,
            head: spec.is_head(),
            expect: spec.expect.clone(),
        })
    }

    #[inline]
    fn append(&self, index: u64, out: &mut Vec<u8>) {
        self.start.append(index, out);
        if let Some(body) = &self.counted_body {
            append_decimal(body.length(index) as u64, out);
            out.extend_from_slice(b"\r\n\r\n");
            body.append(index, out);
        }
    }
}

/// Appends a part of a request, its fields made for their place.
pub(super) fn append_text(
    to: &mut Template,
    text: &str,
    (part, place): (&str, Place),
    fields: &mut FieldMaker<'_>,
) -> Result<(), RequestError> {
    let made = to.push_pattern(&pattern(part, text)?, fields, place);
    made.map_err(|source| RequestError::Template {
        part: part.to_owned(),
        source,
    })
}

/// A request's body, its fields made.
pub(super) fn body(
    spec: &RequestSpec,
    fields: &mut FieldMaker<'_>,
) -> Result<Template, RequestError> {
    let mut body = Template::default();
    match &spec.body {
        Body::Empty => {}
        Body::Text(text) => append_text(&mut body, text, ("the body", Place::Body), fields)?,
        Body::Bytes(bytes) => body.push_literal(bytes),
    }
    Ok(body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn traffic(requests: Vec<RequestSpec>, order: Order) -> Result<HttpTraffic, HttpError> {
        HttpTraffic::new(spec(requests, order))
    }

    fn spec(requests: Vec<RequestSpec>, order: Order) -> HttpSpec {
        HttpSpec {
            requests,
            authority: "localhost:8080".to_owned(),
            order,
            keys: None,
            feed: None,
            seed: 3,
        }
    }

    fn wire(request: RequestSpec, index: u64) -> String {
        let mut out = Vec::new();
        let made = traffic(vec![request], Order::File).unwrap();
        made.encode(index, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_get_is_exactly_this() {
        assert_eq!(
            wire(RequestSpec::new("GET", "/plain"), 0),
            format!(
                "GET /plain HTTP/1.1\r\nHost: localhost:8080\r\nUser-Agent: runfair-load/{}\r\nAccept: */*\r\n\r\n",
                env!("CARGO_PKG_VERSION")
            )
        );
    }

    #[test]
    fn given_headers_replace_the_usual_ones() {
        let mut spec = RequestSpec::new("POST", "/x");
        spec.headers = [
            ("host", "other"),
            ("USER-AGENT", "me"),
            ("accept", "a/b"),
            ("X", "1"),
            ("X", "${sequence}"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec();
        spec.body = Body::Bytes(b"${sequence}".to_vec());
        assert_eq!(
            wire(spec, 7),
            "POST /x HTTP/1.1\r\nhost: other\r\nUSER-AGENT: me\r\naccept: a/b\r\nX: 1\r\nX: 7\r\nContent-Length: 11\r\n\r\n${sequence}"
        );
    }

    #[test]
    fn a_length_is_said_where_a_body_is_expected() {
        for (method, body, said) in [
            ("GET", Body::Empty, None),
            ("DELETE", Body::Empty, None),
            ("GET", Body::Text(String::new()), None),
            ("POST", Body::Empty, Some(0)),
            ("PUT", Body::Empty, Some(0)),
            ("PATCH", Body::Empty, Some(0)),
            ("DELETE", Body::Text("é".to_owned()), Some(2)),
        ] {
            let mut spec = RequestSpec::new(method, "/");
            spec.body = body;
            let text = wire(spec, 0);
            let line = text
                .lines()
                .find_map(|line| line.strip_prefix("Content-Length: "));
            assert_eq!(line.map(|length| length.parse().unwrap()), said, "{method}");
        }
    }

    #[test]
    fn head_is_marked() {
        let requests = vec![
            RequestSpec::new("GET", "/a"),
            RequestSpec::new("HEAD", "/b"),
        ];
        let names = spec(requests.clone(), Order::File).names();
        assert_eq!(names[..], ["GET /a", "HEAD /b"]);
        let made = traffic(requests, Order::File).unwrap();
        let mut out = Vec::new();
        let encoded: Vec<Encoded> = (0..3).map(|index| made.encode(index, &mut out)).collect();
        assert_eq!(
            encoded
                .iter()
                .map(|e| (e.template, e.head))
                .collect::<Vec<_>>(),
            [(0, false), (1, true), (0, false)]
        );
    }

    #[test]
    fn errors_name_the_request() {
        assert_eq!(
            traffic(vec![], Order::File).unwrap_err(),
            HttpError::NoRequests
        );
        let mut spec = RequestSpec::new("GET", "/${key}");
        let error = traffic(
            vec![RequestSpec::new("GET", "/"), spec.clone()],
            Order::File,
        );
        assert_eq!(
            error.unwrap_err().to_string(),
            "GET /${key}: the path: the field ${key} needs a key space; add --keys N"
        );
        spec.place = Some("traffic.jsonl:4".to_owned());
        let error = traffic(vec![spec], Order::File).unwrap_err().to_string();
        assert!(error.starts_with("traffic.jsonl:4: the path: "), "{error}");
        for authority in ["", "a b", "a\r\nX: y"] {
            let made = HttpTraffic::new(HttpSpec {
                requests: vec![RequestSpec::new("GET", "/")],
                authority: authority.to_owned(),
                order: Order::File,
                keys: None,
                feed: None,
                seed: 0,
            });
            assert_eq!(
                made.unwrap_err(),
                HttpError::Authority(authority.to_owned())
            );
        }
    }

    proptest! {
        #[test]
        fn a_parser_reads_back_what_was_described(
            method in "(GET|PUT|POST|PURGE)", path in "/[a-z0-9/?=&%]{0,20}",
            values in proptest::collection::vec("[!-~][ -~]{0,20}", 0..4), body in "[^$]{0,60}", index: u64,
        ) {
            let mut spec = RequestSpec::new(method.as_str(), path.as_str());
            spec.headers = values.iter().map(|value| ("X-V".to_owned(), value.replace('$', "S"))).collect();
            spec.body = Body::Text(format!("{body}${{sequence}}"));
            let headers = spec.headers.clone();
            let text = wire(spec, index);

            let mut room = [httparse::EMPTY_HEADER; 16];
            let mut parsed = httparse::Request::new(&mut room);
            let length = parsed.parse(text.as_bytes()).unwrap().unwrap();
            prop_assert_eq!(parsed.method, Some(method.as_str()));
            prop_assert_eq!(parsed.path, Some(path.as_str()));
            let header = |name: &str| parsed.headers.iter().filter(|h| h.name == name)
                .map(|h| String::from_utf8(h.value.to_vec()).unwrap()).collect::<Vec<_>>();
            let given: Vec<String> = headers.iter().map(|(_, v)| v.trim_end().to_owned()).collect();
            let read: Vec<String> = header("X-V").iter().map(|v| v.trim_end().to_owned()).collect();
            prop_assert_eq!(read, given);
            prop_assert_eq!(&text[length..], format!("{body}{index}"));
            prop_assert_eq!(header("Content-Length"), vec![(text.len() - length).to_string()]);
        }

        #[test]
        fn a_run_replays_and_seeds_differ(index: u64) {
            let spec = RequestSpec::new("GET", "/${random:0..18446744073709551615}");
            prop_assert_eq!(wire(spec.clone(), index), wire(spec.clone(), index));
            prop_assert_ne!(wire(spec.clone(), index), wire(spec, index ^ 1));
        }
    }
}
