//! HTTP/2 requests as fields and a body (RFC 9113), and unary gRPC calls, which are such.

use super::digits::append_decimal;
use super::feed::Place;
use super::http::{append_text, body, made, HttpError, HttpSpec, USER_AGENT};
use super::request::{RequestError, RequestSpec};
use super::selection::Selection;
use super::template::{FieldMaker, Template};
use super::traffic::Encoded;
use crate::protocol::expectation::Expectation;
use crate::protocol::grpc::{prefix, PREFIX_BYTES};

/// HTTP/2 traffic as described.
#[derive(Clone, Debug, PartialEq)]
pub struct Http2Spec {
    /// The requests.
    pub http: HttpSpec,
    /// The URL's scheme, `http` or `https`.
    pub scheme: &'static str,
    /// Whether they are gRPC calls: a body is a message then.
    pub calls: bool,
}

/// One request ready for a session. It keeps its room from request to request.
#[derive(Clone, Debug, Default)]
pub struct Message {
    text: Vec<u8>,
    /// Where names and values end in it, in turn.
    ends: Vec<usize>,
    /// The body, a gRPC message with its prefix.
    pub body: Vec<u8>,
    /// Whether it is a gRPC call.
    pub is_call: bool,
}

impl Message {
    fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
        self.body.clear();
    }

    /// Ends a name or a value.
    #[inline]
    fn end(&mut self) {
        self.ends.push(self.text.len());
    }

    /// Names and values, in order.
    pub fn fields(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let mut from = 0;
        self.ends.chunks_exact(2).map(move |ends| {
            let name = &self.text[from..ends[0]];
            let value = &self.text[ends[0]..ends[1]];
            from = ends[1];
            (name, value)
        })
    }
}

/// HTTP/2 traffic ready to be encoded.
#[derive(Clone, Debug)]
pub(super) struct Http2Traffic {
    requests: Box<[FieldedRequest]>,
    selection: Selection,
    calls: bool,
}

#[derive(Clone, Debug)]
struct FieldedRequest {
    fields: Vec<(Vec<u8>, Template)>,
    body: Template,
    /// Its length is one of the fields.
    tells_length: bool,
    head: bool,
    expect: Expectation,
}

impl Http2Traffic {
    pub fn new(spec: Http2Spec) -> Result<Self, HttpError> {
        let Http2Spec {
            http,
            scheme,
            calls,
        } = spec;
        let requests = made(&http, |request, authority, fields| {
            FieldedRequest::new(request, authority, scheme, calls, fields)
        })?;
        Ok(Self {
            requests,
            selection: http.selection(),
            calls,
        })
    }

    /// Which request it is.
    pub fn encoded(&self, index: u64) -> Encoded {
        let template = self.selection.template(index);
        Encoded {
            template,
            head: self.requests[template as usize].head,
        }
    }

    #[inline]
    pub fn encode(&self, index: u64, message: &mut Message) -> Encoded {
        let encoded = self.encoded(index);
        let request = &self.requests[encoded.template as usize];
        message.clear();
        message.is_call = self.calls;
        for (name, value) in &request.fields {
            message.text.extend_from_slice(name);
            message.end();
            value.append(index, &mut message.text);
            message.end();
        }
        if self.calls {
            let length = request.body.length(index);
            message.body.reserve(PREFIX_BYTES + length);
            message.body.extend_from_slice(&prefix(length));
        }
        request.body.append(index, &mut message.body);
        if request.tells_length {
            message.text.extend_from_slice(b"content-length");
            message.end();
            append_decimal(message.body.len() as u64, &mut message.text);
            message.end();
        }
        encoded
    }

    pub fn expectation(&self, template: u32) -> &Expectation {
        &self.requests[template as usize].expect
    }

    pub fn has_calls(&self) -> bool {
        self.calls
    }
}

impl FieldedRequest {
    fn new(
        spec: &RequestSpec,
        authority: &str,
        scheme: &str,
        calls: bool,
        maker: &mut FieldMaker<'_>,
    ) -> Result<Self, RequestError> {
        spec.check()?;
        if calls && !is_call(spec) {
            return Err(RequestError::NoCall {
                method: spec.method.clone(),
                path: spec.path.clone(),
            });
        }
        let mut filled = |place: Place, part: &str, text: &str| {
            let mut value = Template::default();
            append_text(&mut value, text, (part, place), maker)?;
            Ok(value)
        };
        let plain = |text: &str| {
            let mut value = Template::default();
            value.push_literal(text.as_bytes());
            value
        };
        // RFC 9113, section 8.3: pseudo-header fields come first.
        let mut fields = vec![
            (b":method".to_vec(), plain(&spec.method)),
            (b":scheme".to_vec(), plain(scheme)),
            (
                b":authority".to_vec(),
                match spec.header("host") {
                    Some((name, value)) => {
                        filled(Place::Header, &format!("the header {name}"), value)?
                    }
                    None => plain(authority),
                },
            ),
            (
                b":path".to_vec(),
                filled(Place::Path, "the path", &spec.path)?,
            ),
        ];
        let usual: &[(&str, &str)] = if calls {
            &[
                ("te", "trailers"),
                ("content-type", "application/grpc"),
                ("user-agent", USER_AGENT),
            ]
        } else {
            &[("user-agent", USER_AGENT), ("accept", "*/*")]
        };
        for (name, value) in usual {
            if spec.header(name).is_none() {
                fields.push((name.as_bytes().to_vec(), plain(value)));
            }
        }
        for (name, value) in &spec.headers {
            let lower = name.to_ascii_lowercase();
            match lower.as_str() {
                "host" => continue,
                "connection" | "proxy-connection" | "keep-alive" | "upgrade" => {
                    return Err(RequestError::NotInHttp2(name.clone()));
                }
                "te" if value.trim() != "trailers" => {
                    return Err(RequestError::NotInHttp2(format!("{name}: {value}")));
                }
                _ => {}
            }
            let value = filled(
                Place::Header,
                &format!("the header {name}"),
                // RFC 9113, section 8.2.1: no white space around a value.
                value.trim_matches([' ', '\t']),
            )?;
            fields.push((lower.into_bytes(), value));
        }
        let body = body(spec, maker)?;
        let expects_body = matches!(spec.method.as_str(), "POST" | "PUT" | "PATCH");
        Ok(Self {
            fields,
            tells_length: !calls && (expects_body || body.fixed_length() != Some(0)),
            body,
            head: spec.is_head(),
            expect: spec.expect.clone(),
        })
    }
}

/// Whether a request is a POST to `/SERVICE/METHOD` (the protocol's document "gRPC over HTTP/2").
fn is_call(spec: &RequestSpec) -> bool {
    let mut parts = spec.path.split('/').skip(1);
    let named = |part: Option<&str>| part.is_some_and(|part| !part.is_empty());
    spec.method == "POST" && named(parts.next()) && named(parts.next()) && parts.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::{Body, Order};

    fn traffic(request: RequestSpec, calls: bool) -> Result<Http2Traffic, HttpError> {
        Http2Traffic::new(Http2Spec {
            http: HttpSpec {
                requests: vec![request],
                authority: "localhost:8080".to_owned(),
                order: Order::File,
                keys: None,
                feed: None,
                seed: 3,
            },
            scheme: "http",
            calls,
        })
    }

    fn message(request: RequestSpec, calls: bool, index: u64) -> (String, Vec<u8>) {
        let mut message = Message::default();
        let traffic = traffic(request, calls).unwrap();
        // What another request has left must not show.
        traffic.encode(index + 1, &mut message);
        traffic.encode(index, &mut message);
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let lines = message
            .fields()
            .map(|(name, value)| format!("{}={}", text(name), text(value)));
        (lines.collect::<Vec<_>>().join(" "), message.body)
    }

    #[test]
    fn a_get_is_exactly_this() {
        let (fields, body) = message(RequestSpec::new("GET", "/a/${sequence}"), false, 7);
        assert_eq!(
            fields,
            format!(
                ":method=GET :scheme=http :authority=localhost:8080 :path=/a/7 \
                 user-agent={USER_AGENT} accept=*/*"
            )
        );
        assert!(body.is_empty());
    }

    #[test]
    fn names_are_small_and_the_host_is_the_authority() {
        let mut spec = RequestSpec::new("POST", "/x");
        spec.headers = [
            ("Host", "other"),
            ("ACCEPT", "a/b"),
            ("X-N", " ${sequence} "),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec();
        spec.body = Body::Text("n=${sequence}".to_owned());
        let (fields, body) = message(spec, false, 12);
        assert_eq!(
            fields,
            format!(
                ":method=POST :scheme=http :authority=other :path=/x user-agent={USER_AGENT} \
                 accept=a/b x-n=12 content-length=4"
            )
        );
        assert_eq!(body, b"n=12");
    }

    #[test]
    fn a_call_has_a_prefix_and_asks_for_trailers() {
        let mut spec = RequestSpec::new("POST", "/a.B/C");
        spec.body = Body::Bytes(b"message".to_vec());
        let (fields, body) = message(spec, true, 0);
        assert!(fields.contains(":path=/a.B/C te=trailers content-type=application/grpc"));
        assert!(!fields.contains("content-length"));
        assert_eq!(body, b"\0\0\0\0\x07message");
        let (_, body) = message(RequestSpec::new("POST", "/a.B/C"), true, 0);
        assert_eq!(body, [0; 5], "an empty message is a message");
    }

    #[test]
    fn a_request_that_is_no_call_is_refused() {
        for (method, path) in [
            ("GET", "/a.B/C"),
            ("POST", "/"),
            ("POST", "/a.B"),
            ("POST", "/a.B/"),
            ("POST", "//C"),
            ("POST", "/a.B/C/d"),
        ] {
            let error = traffic(RequestSpec::new(method, path), true).unwrap_err();
            let text = error.to_string();
            assert!(text.contains("is not a gRPC call"), "{text}");
            assert!(traffic(RequestSpec::new(method, path), false).is_ok());
        }
    }

    #[test]
    fn headers_of_a_connection_are_refused() {
        for (name, value) in [
            ("Connection", "close"),
            ("Upgrade", "h2c"),
            ("Keep-Alive", "timeout=5"),
            ("TE", "gzip"),
        ] {
            let mut spec = RequestSpec::new("GET", "/");
            spec.headers = vec![(name.to_owned(), value.to_owned())];
            let error = traffic(spec, false).unwrap_err().to_string();
            assert!(error.contains("HTTP/2 has no header"), "{error}");
        }
    }
}
