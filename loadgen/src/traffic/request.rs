//! One HTTP request as described, and what may be said in it.

use super::template::{Pattern, TemplateError};
use crate::protocol::expectation::Expectation;
use crate::protocol::head::TOKEN;

/// One request as described: what is sent and what a good answer is. Path,
/// header values and a text body may hold fields: `${sequence}`,
/// `${random:1..1000}`, `${key}`; `$${` is a plain `${`.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestSpec {
    /// The method, such as `GET`.
    pub method: String,
    /// The path with its query, from the `/` on.
    pub path: String,
    /// Names and values, in order; a name may come again.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Body,
    /// How often this request is drawn, compared with others.
    pub weight: f64,
    /// When it was recorded, in nanoseconds from any origin.
    pub at_ns: Option<u64>,
    /// What a good answer is.
    pub expect: Expectation,
    /// Where it is described, for messages, such as `traffic.jsonl:3`.
    pub place: Option<String>,
}

/// What follows the headers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// Nothing.
    Empty,
    /// A text, whose fields are filled in.
    Text(String),
    /// Bytes sent as they are.
    Bytes(Vec<u8>),
}

/// Why a request cannot be sent.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the texts say it")]
pub enum RequestError {
    /// No token (RFC 9110, section 5.6.2).
    #[error("{0:?} is not a method; write, for example, GET")]
    Method(String),
    #[error("HTTP methods are case-sensitive: write {upper}, not {given}")]
    MethodCase { given: String, upper: String },
    #[error(
        "CONNECT opens a tunnel, so it has no answer that could be measured; give another method"
    )]
    Connect,
    /// Not the origin form (RFC 9112, section 3.2.1).
    #[error("the path {0:?} does not begin with /")]
    PathForm(String),
    #[error("the path {path:?} contains {character:?}; percent-encode this character")]
    PathCharacter { path: String, character: char },
    #[error("the path {0:?} has a fragment (#…), which is never sent to a server; leave it out")]
    PathFragment(String),
    #[error("{0:?} is not a header name")]
    HeaderName(String),
    #[error(
        "the value of the header {name} holds {character:?}, which would end or break its line"
    )]
    HeaderValue { name: String, character: char },
    /// Two hosts (RFC 9112, section 3.2).
    #[error("the header Host is given twice")]
    TwoHosts,
    #[error("the header {0} is computed from the body; leave it out")]
    Framing(String),
    /// A header of a connection, which HTTP/2 does not have (RFC 9113, section 8.2.2).
    #[error("HTTP/2 has no header {0}; leave it out")]
    NotInHttp2(String),
    #[error("{method} {path} is not a gRPC call; write \"method\": \"POST\" and a path such as /helloworld.Greeter/SayHello")]
    NoCall { method: String, path: String },
    #[error("{part}: {source}")]
    Template { part: String, source: TemplateError },
    #[error("the weight {0} is not a positive number")]
    Weight(f64),
    #[error(
        "an answer to HEAD has no body that could be checked; leave the rule for the body out"
    )]
    HeadBody,
}

/// The methods of RFC 9110, section 9, and PATCH of RFC 5789.
const KNOWN_METHODS: [&str; 9] = [
    "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH",
];

impl RequestSpec {
    /// A request without headers or body, whose answer is good by its status.
    pub fn new(method: impl Into<String>, path: impl Into<String>) -> Self {
        Self {
            method: method.into(),
            path: path.into(),
            headers: Vec::new(),
            body: Body::Empty,
            weight: 1.0,
            at_ns: None,
            expect: Expectation::default(),
            place: None,
        }
    }

    /// The first header of this name, in any case of its letters.
    pub fn header(&self, name: &str) -> Option<&(String, String)> {
        let mut headers = self.headers.iter();
        headers.find(|(own, _)| own.eq_ignore_ascii_case(name))
    }

    /// Whether the answer has no body whatever its headers say.
    pub fn is_head(&self) -> bool {
        self.method == "HEAD"
    }

    /// Checks everything but the fields' need of a key space.
    ///
    /// # Errors
    /// The first [`RequestError`] found, in the order of the request.
    pub fn check(&self) -> Result<(), RequestError> {
        check_method(&self.method)?;
        check_path(&self.path)?;
        check_headers(&self.headers)?;
        if let Body::Text(text) = &self.body {
            pattern("the body", text)?;
        }
        check_weight(self.weight)?;
        if self.is_head() && !self.expect.body.is_empty() {
            return Err(RequestError::HeadBody);
        }
        Ok(())
    }
}

/// A method that can be sent and answered.
pub(super) fn check_method(method: &str) -> Result<(), RequestError> {
    if !is_token(method) {
        return Err(RequestError::Method(method.to_owned()));
    }
    let upper = method.to_ascii_uppercase();
    if upper != method && KNOWN_METHODS.contains(&upper.as_str()) {
        return Err(RequestError::MethodCase {
            given: method.to_owned(),
            upper,
        });
    }
    if method == "CONNECT" {
        return Err(RequestError::Connect);
    }
    Ok(())
}

/// A path in origin form that stays on its line.
pub(super) fn check_path(path: &str) -> Result<(), RequestError> {
    if !path.starts_with('/') {
        return Err(RequestError::PathForm(path.to_owned()));
    }
    if let Some(character) = path.chars().find(|c| !c.is_ascii_graphic()) {
        return Err(RequestError::PathCharacter {
            path: path.to_owned(),
            character,
        });
    }
    if path.contains('#') {
        return Err(RequestError::PathFragment(path.to_owned()));
    }
    pattern("the path", path).map(drop)
}

/// Headers that stay on their lines and leave the framing alone.
pub(super) fn check_headers(headers: &[(String, String)]) -> Result<(), RequestError> {
    let mut hosts = 0;
    for (name, value) in headers {
        if !is_token(name) {
            return Err(RequestError::HeaderName(name.clone()));
        }
        if name.eq_ignore_ascii_case("content-length")
            || name.eq_ignore_ascii_case("transfer-encoding")
        {
            return Err(RequestError::Framing(name.clone()));
        }
        // RFC 9110, section 5.5: visible characters, spaces, tabs, and bytes
        // above ASCII.
        if let Some(character) = value.chars().find(|&c| c.is_ascii_control() && c != '\t') {
            return Err(RequestError::HeaderValue {
                name: name.clone(),
                character,
            });
        }
        hosts += usize::from(name.eq_ignore_ascii_case("host"));
        pattern(&format!("the header {name}"), value)?;
    }
    if hosts > 1 {
        return Err(RequestError::TwoHosts);
    }
    Ok(())
}

/// A weight to draw by.
pub(super) fn check_weight(weight: f64) -> Result<(), RequestError> {
    if weight.is_finite() && weight > 0.0 {
        Ok(())
    } else {
        Err(RequestError::Weight(weight))
    }
}

/// The text's fields, or which part of the request is wrong.
pub(super) fn pattern(part: &str, text: &str) -> Result<Pattern, RequestError> {
    Pattern::parse(text.as_bytes()).map_err(|source| RequestError::Template {
        part: part.to_owned(),
        source,
    })
}

/// RFC 9110, section 5.6.2.
fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| TOKEN[usize::from(byte)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::expectation::BodyRule;

    fn refused(change: impl FnOnce(&mut RequestSpec)) -> String {
        let mut spec = RequestSpec::new("GET", "/x");
        change(&mut spec);
        spec.check().unwrap_err().to_string()
    }

    fn header(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    #[test]
    fn ordinary_requests_pass() {
        for method in [
            "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "PURGE",
        ] {
            assert_eq!(
                RequestSpec::new(method, "/a?b=c&d=%20${key}").check(),
                Ok(())
            );
        }
        let mut spec = RequestSpec::new("POST", "/");
        spec.headers = vec![
            header("X-Name", "Zoë\tand ${sequence}"),
            header("x-name", ""),
        ];
        spec.body = Body::Bytes(b"${not a field\r\n\0".to_vec());
        assert_eq!(spec.check(), Ok(()));
    }

    #[test]
    fn methods_that_cannot_be_sent_are_refused() {
        for method in ["", "GE T", "GET\r\n", "G/T"] {
            let error = RequestSpec::new(method, "/").check();
            assert_eq!(error, Err(RequestError::Method(method.to_owned())));
        }
        assert_eq!(
            refused(|spec| spec.method = "get".to_owned()),
            "HTTP methods are case-sensitive: write GET, not get"
        );
        assert_eq!(
            RequestSpec::new("CONNECT", "/").check(),
            Err(RequestError::Connect)
        );
    }

    #[test]
    fn paths_that_leave_their_line_are_refused() {
        for path in ["", "x", "http://host/x", "*"] {
            let error = RequestSpec::new("GET", path).check();
            assert_eq!(error, Err(RequestError::PathForm(path.to_owned())));
        }
        for (path, character) in [
            ("/a b", ' '),
            ("/a\r\nX: y", '\r'),
            ("/é", 'é'),
            ("/\0", '\0'),
        ] {
            let error = RequestSpec::new("GET", path).check();
            let path = path.to_owned();
            assert_eq!(error, Err(RequestError::PathCharacter { path, character }));
        }
        assert_eq!(
            refused(|spec| spec.path = "/x#top".to_owned()),
            "the path \"/x#top\" has a fragment (#…), which is never sent to a server; leave it out"
        );
        assert!(refused(|spec| spec.path = "/${x}".to_owned()).starts_with("the path: \"${x}\""));
    }

    #[test]
    fn headers_cannot_be_injected() {
        assert_eq!(
            refused(|spec| spec.headers = vec![header("X", "a\r\nEvil: 1")]),
            "the value of the header X holds '\\r', which would end or break its line"
        );
        assert_eq!(
            refused(|spec| spec.headers = vec![header("X\nY", "a")]),
            "\"X\\nY\" is not a header name"
        );
        for name in ["", "a b", "a:", "é"] {
            assert!(refused(|spec| spec.headers = vec![header(name, "a")])
                .ends_with("is not a header name"));
        }
        for value in ["\n", "\0", "\x7f"] {
            assert!(
                refused(|spec| spec.headers = vec![header("X", value)]).contains("break its line")
            );
        }
    }

    #[test]
    fn headers_that_contradict_are_refused() {
        for name in ["Content-Length", "transfer-encoding"] {
            assert_eq!(
                refused(|spec| spec.headers = vec![header(name, "1")]),
                format!("the header {name} is computed from the body; leave it out")
            );
        }
        assert_eq!(
            refused(|spec| spec.headers = vec![header("Host", "a"), header("host", "b")]),
            "the header Host is given twice"
        );
    }

    #[test]
    fn weights_and_head_rules_are_checked() {
        for weight in [0.0, -1.0, f64::INFINITY] {
            assert_eq!(
                refused(|spec| spec.weight = weight),
                format!("the weight {weight} is not a positive number")
            );
        }
        assert!(refused(|spec| spec.weight = f64::NAN).contains("NaN"));
        assert_eq!(
            refused(|spec| {
                spec.method = "HEAD".to_owned();
                spec.expect.body = vec![BodyRule::Contains(b"x".to_vec())];
            }),
            "an answer to HEAD has no body that could be checked; leave the rule for the body out"
        );
    }
}
