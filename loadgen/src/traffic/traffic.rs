//! All that is sent in a run, request by request.

use super::http::{HttpError, HttpSpec, HttpTraffic};
use super::http2::{Http2Spec, Http2Traffic, Message};
use super::redis::{RedisError, RedisSpec, RedisTraffic};
use super::reply::ReplyRule;
use crate::protocol::expectation::Expectation;

/// What was encoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Encoded {
    /// Which template it was, from 0; see [`Traffic::templates`].
    pub template: u32,
    /// A HEAD request: its answer has no body, whatever its headers say.
    pub head: bool,
}

/// What a good answer is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Expected<'a> {
    /// Rules for an HTTP answer.
    Http(&'a Expectation),
    /// The rule for a Redis reply.
    Reply(ReplyRule),
}

/// The traffic of a run: request `k` is the same bytes in every run of the same
/// description and seed.
#[derive(Clone, Debug)]
pub struct Traffic {
    kind: Kind,
    names: Box<[String]>,
}

#[derive(Clone, Debug)]
enum Kind {
    Http(HttpTraffic),
    Http2(Http2Traffic),
    Redis(RedisTraffic),
}

impl Traffic {
    /// HTTP requests.
    ///
    /// # Errors
    /// No request, or one that cannot be sent, with its place.
    pub fn http(spec: HttpSpec) -> Result<Self, HttpError> {
        let names = spec.names();
        let kind = Kind::Http(HttpTraffic::new(spec)?);
        Ok(Self { kind, names })
    }

    /// HTTP/2 requests, or gRPC calls.
    ///
    /// # Errors
    /// No request, or one that cannot be sent, with its place.
    pub fn http2(spec: Http2Spec) -> Result<Self, HttpError> {
        let names = spec.http.names();
        let kind = Kind::Http2(Http2Traffic::new(spec)?);
        Ok(Self { kind, names })
    }

    /// Redis commands.
    ///
    /// # Errors
    /// Values longer than Redis stores.
    pub fn redis(spec: RedisSpec) -> Result<Self, RedisError> {
        let names = spec.names();
        let kind = Kind::Redis(RedisTraffic::new(spec)?);
        Ok(Self { kind, names })
    }

    /// Appends the exact bytes of request `index`. Allocates nothing once `out`
    /// has grown to its size. HTTP/2 has messages in place of bytes: see
    /// [`Self::encode_message`].
    #[inline]
    pub fn encode(&self, index: u64, out: &mut Vec<u8>) -> Encoded {
        match &self.kind {
            Kind::Http(http) => http.encode(index, out),
            Kind::Redis(redis) => redis.encode(index, out),
            Kind::Http2(http2) => http2.encoded(index),
        }
    }

    /// Fills in the fields and the body of request `index`; of other protocols than HTTP/2
    /// nothing.
    #[inline]
    pub fn encode_message(&self, index: u64, message: &mut Message) -> Encoded {
        match &self.kind {
            Kind::Http2(http2) => http2.encode(index, message),
            Kind::Http(_) | Kind::Redis(_) => Encoded::default(),
        }
    }

    /// What a good answer to request `index` is, which [`Self::encode`] said to
    /// be of `template`.
    #[inline]
    pub fn expectation(&self, index: u64, template: u32) -> Expected<'_> {
        match &self.kind {
            Kind::Http(http) => Expected::Http(http.expectation(template)),
            Kind::Http2(http2) => Expected::Http(http2.expectation(template)),
            Kind::Redis(redis) => Expected::Reply(redis.rule(index, template)),
        }
    }

    /// Whether the requests are gRPC calls.
    pub fn has_calls(&self) -> bool {
        matches!(&self.kind, Kind::Http2(http2) if http2.has_calls())
    }

    /// The keys that [`Self::encode_preload`] sets before a run; none for HTTP.
    pub fn preload(&self) -> std::ops::Range<u64> {
        match &self.kind {
            Kind::Http(_) | Kind::Http2(_) => 0..0,
            Kind::Redis(redis) => 0..redis.keys().keys(),
        }
    }

    /// Appends the command that sets one key to its value, to be answered with
    /// [`ReplyRule::Ok`]; nothing for HTTP, which has no key to set.
    pub fn encode_preload(&self, key: u64, out: &mut Vec<u8>) {
        match &self.kind {
            Kind::Http(_) | Kind::Http2(_) => {}
            Kind::Redis(redis) => redis.encode_preload(key, out),
        }
    }

    /// The templates' names, such as `GET /items/${key}` or `SET`.
    pub fn templates(&self) -> &[String] {
        &self.names
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::expectation::StatusRule;
    use crate::traffic::{KeySpace, Order, RequestSpec};

    fn http() -> Traffic {
        let mut strict = RequestSpec::new("GET", "/b/${random:1..9}");
        strict.expect.status = StatusRule::Class(2);
        Traffic::http(HttpSpec {
            requests: vec![RequestSpec::new("GET", "/a"), strict],
            authority: "localhost".to_owned(),
            order: Order::Random,
            keys: None,
            feed: None,
            seed: 1,
        })
        .unwrap()
    }

    fn redis() -> Traffic {
        Traffic::redis(RedisSpec {
            keys: KeySpace::new(100).unwrap(),
            value_bytes: 64,
            operations: "set:1,get:1".parse().unwrap(),
            preloaded: false,
            seed: 1,
        })
        .unwrap()
    }

    #[test]
    fn each_template_brings_its_own_expectation() {
        let traffic = http();
        let mut out = Vec::new();
        for index in 0..100 {
            out.clear();
            let encoded = traffic.encode(index, &mut out);
            let Expected::Http(expectation) = traffic.expectation(index, encoded.template) else {
                panic!("an HTTP request with a Redis rule");
            };
            let strict = out.starts_with(b"GET /b/");
            assert_eq!(expectation.status == StatusRule::Class(2), strict);
        }
        assert_eq!(traffic.templates(), ["GET /a", "GET /b/${random:1..9}"]);
    }

    #[test]
    fn preloading_sets_every_key_that_is_read() {
        let traffic = redis();
        let mut loaded = std::collections::HashSet::new();
        for key in traffic.preload() {
            let mut out = Vec::new();
            traffic.encode_preload(key, &mut out);
            let text = String::from_utf8(out).unwrap();
            loaded.insert(text.split("\r\n").nth(4).unwrap().to_owned());
        }
        assert_eq!(loaded.len(), 100);
        for index in 0..1000 {
            let mut out = Vec::new();
            traffic.encode(index, &mut out);
            let text = String::from_utf8(out).unwrap();
            assert!(
                loaded.contains(text.split("\r\n").nth(4).unwrap()),
                "{text}"
            );
        }
        assert_eq!(http().preload(), 0..0);
    }

    #[test]
    fn a_buffer_that_has_grown_is_not_moved_again() {
        for traffic in [http(), redis()] {
            let mut out = Vec::with_capacity(4096);
            let room = out.as_ptr();
            for index in 0..10_000 {
                out.clear();
                traffic.encode(index, &mut out);
            }
            assert_eq!((out.as_ptr(), out.capacity()), (room, 4096));
        }
    }
}
