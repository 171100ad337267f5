//! One line of a traffic file: its JSON form and its schema.

use std::fmt;

use base64::Engine as _;
use schemars::JsonSchema;
use serde::de::{Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::Deserialize;
use serde_json::Value as Json;

use super::checked_text::checked_text;
use super::expect::Expect;
use super::request::{self, Body, RequestSpec};

/// The JSON Schema (draft 2020-12) of one line of a traffic file.
pub fn traffic_schema() -> Json {
    schemars::schema_for!(Line).to_value()
}

/// One request of a traffic file (JSON Lines: one such object a line). Path,
/// header values and the bodies `body` and `body_json` may hold fields:
/// `${sequence}` is the request's index from 0, `${random:1..1000}` a number of
/// that range, `${key}` a key's twelve digits; `$${` is a plain `${`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "runfair-load traffic")]
pub(super) struct Line {
    /// The method; GET if it is left out.
    #[serde(default = "Method::get")]
    method: Method,
    /// The path with its query, from the / on.
    path: Path,
    /// Headers as an object, or as a list of name and value where a name
    /// comes again. Host, User-Agent and Accept are added where they are
    /// missing; Content-Length follows from the body.
    #[serde(default)]
    headers: Headers,
    /// The body as text.
    body: Option<TemplateText>,
    /// The body in base64; it has no fields.
    body_base64: Option<Base64>,
    /// The body as JSON, written without spaces and with sorted names; adds
    /// Content-Type: application/json where none is given.
    #[serde(default, deserialize_with = "present")]
    #[schemars(skip_serializing_if = "Option::is_none")]
    body_json: Option<Json>,
    /// How often the request is drawn, compared with others, where the order
    /// is random; 1 if it is left out.
    #[serde(default)]
    weight: Weight,
    /// When it was recorded, in nanoseconds from any origin.
    at_ns: Option<u64>,
    /// When it was recorded, in seconds from any origin.
    at_s: Option<Seconds>,
    /// What a good answer is; a status from 200 to 399 if it is left out.
    #[serde(default)]
    expect: Expect,
}

impl Line {
    /// The request described, or why its parts do not go together.
    pub fn into_spec(self) -> Result<RequestSpec, String> {
        let mut headers = self.headers.0;
        let bodies = [
            self.body.is_some(),
            self.body_base64.is_some(),
            self.body_json.is_some(),
        ];
        if bodies.into_iter().filter(|given| *given).count() > 1 {
            return Err("give one of body, body_base64 and body_json".to_owned());
        }
        let body = match (self.body, self.body_base64, self.body_json) {
            (Some(TemplateText(text)), _, _) => Body::Text(text),
            (_, Some(Base64(bytes)), _) => Body::Bytes(bytes),
            (_, _, Some(json)) => {
                if !headers
                    .iter()
                    .any(|(name, _)| name.eq_ignore_ascii_case("content-type"))
                {
                    headers.push(("Content-Type".to_owned(), "application/json".to_owned()));
                }
                Body::Text(json.to_string())
            }
            (None, None, None) => Body::Empty,
        };
        let at_ns = match (self.at_ns, self.at_s) {
            (Some(_), Some(_)) => return Err("give one of at_ns and at_s".to_owned()),
            (Some(at_ns), None) => Some(at_ns),
            (None, at_s) => at_s.map(|Seconds(at_ns)| at_ns),
        };
        let spec = RequestSpec {
            method: self.method.0,
            path: self.path.0,
            headers,
            body,
            weight: self.weight.0,
            at_ns,
            expect: self.expect.into(),
            place: None,
        };
        // What the parts could not tell alone: fields in a JSON body, HEAD with
        // a rule for the body.
        spec.check().map_err(|error| error.to_string())?;
        Ok(spec)
    }
}

/// Tells `null`, which is a JSON body, from nothing.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Json>, D::Error> {
    Json::deserialize(deserializer).map(Some)
}

checked_text!(
    #[schemars(extend("pattern" = "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"))]
    Method(String),
    |text: String| match request::check_method(&text) {
        Ok(()) => Ok(text),
        Err(error) => Err(error.to_string()),
    }
);

checked_text!(
    #[schemars(extend("pattern" = "^/[!\"$-~]*$"))]
    Path(String),
    |text: String| match request::check_path(&text) {
        Ok(()) => Ok(text),
        Err(error) => Err(error.to_string()),
    }
);

checked_text!(
    TemplateText(String),
    |text: String| match request::pattern("the body", &text) {
        Ok(_) => Ok(text),
        Err(error) => Err(error.to_string()),
    }
);

checked_text!(
    #[schemars(extend("contentEncoding" = "base64"))]
    Base64(Vec<u8>),
    |text: String| base64::engine::general_purpose::STANDARD
        .decode(text)
        .map_err(|error| format!("not valid base64: {error}"))
);

impl Method {
    fn get() -> Self {
        Self("GET".to_owned())
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "f64")]
#[schemars(extend("exclusiveMinimum" = 0))]
struct Weight(f64);

impl Default for Weight {
    fn default() -> Self {
        Self(1.0)
    }
}

impl TryFrom<f64> for Weight {
    type Error = String;

    fn try_from(weight: f64) -> Result<Self, String> {
        request::check_weight(weight).map_err(|error| error.to_string())?;
        Ok(Self(weight))
    }
}

// Read as seconds, held as nanoseconds.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "f64")]
#[schemars(extend("minimum" = 0))]
struct Seconds(#[schemars(with = "f64")] u64);

impl TryFrom<f64> for Seconds {
    type Error = String;

    fn try_from(seconds: f64) -> Result<Self, String> {
        let ns = (seconds * 1e9).round();
        if (0.0..u64::MAX as f64).contains(&ns) {
            Ok(Self(ns as u64))
        } else {
            Err(format!("{seconds} is not a time in seconds (0 or more)"))
        }
    }
}

/// Headers in the order they are written.
#[derive(Debug, Default)]
struct Headers(Vec<(String, String)>);

impl<'de> Deserialize<'de> for Headers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = Vec<(String, String)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of headers, or a list of [name, value]")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut headers = Vec::new();
                while let Some(header) = map.next_entry()? {
                    headers.push(header);
                }
                Ok(headers)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut headers = Vec::new();
                while let Some(header) = seq.next_element()? {
                    headers.push(header);
                }
                Ok(headers)
            }
        }

        let headers = deserializer.deserialize_any(Reader)?;
        request::check_headers(&headers).map_err(D::Error::custom)?;
        Ok(Self(headers))
    }
}

impl JsonSchema for Headers {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Headers".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "anyOf": [
                { "type": "object", "additionalProperties": { "type": "string" } },
                {
                    "type": "array",
                    "items": {
                        "type": "array",
                        "items": { "type": "string" },
                        "minItems": 2,
                        "maxItems": 2
                    }
                }
            ]
        })
    }
}
