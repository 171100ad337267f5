//! What a good answer is, in its JSON form.

use std::fmt;

use schemars::JsonSchema;
use serde::de::{Deserializer, Error as _, SeqAccess, Visitor};
use serde::Deserialize;
use serde_json::Value as Json;

use super::checked_text::checked_text;
use crate::protocol::expectation::{BodyRule, Expectation, StatusRule};

/// Status codes of final answers (RFC 9110, section 15).
const FINAL_STATUSES: std::ops::RangeInclusive<u16> = 200..=599;

/// What a good answer is.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Expect {
    /// A status (200), a list of them ([200, 404]) or a class ("2xx").
    status: Option<Status>,
    /// The SHA-256 digest of the body, in hexadecimal digits.
    body_sha256: Option<Sha256Hex>,
    /// A text that occurs in the body.
    body_contains: Option<NonEmpty>,
    /// Values of the body read as JSON, by pointer (RFC 6901).
    json: Option<Pointers>,
}

impl From<Expect> for Expectation {
    fn from(expect: Expect) -> Self {
        let sha256 = expect.body_sha256.map(|hex| BodyRule::Sha256(hex.0));
        let contains = expect
            .body_contains
            .map(|text| BodyRule::Contains(text.0.into_bytes()));
        let json = expect.json.map(|pointers| BodyRule::Json(pointers.0));
        Self {
            status: expect.status.map_or(StatusRule::Success, |status| status.0),
            body: sha256.into_iter().chain(contains).chain(json).collect(),
        }
    }
}

checked_text!(
    #[schemars(extend("pattern" = "^[0-9A-Fa-f]{64}$"))]
    Sha256Hex([u8; 32]),
    |text: String| digest_of_hex(&text)
        .ok_or_else(|| "write a SHA-256 digest as 64 hexadecimal digits".to_owned())
);

checked_text!(
    #[schemars(extend("minLength" = 1))]
    NonEmpty(String),
    |text: String| if text.is_empty() {
        Err("every body contains an empty text; leave it out".to_owned())
    } else {
        Ok(text)
    }
);

/// A SHA-256 digest in hexadecimal digits.
pub fn digest_of_hex(text: &str) -> Option<[u8; 32]> {
    let mut digest = [0; 32];
    hex::decode_to_slice(text, &mut digest).ok()?;
    Some(digest)
}

#[derive(Debug)]
struct Status(StatusRule);

impl<'de> Deserialize<'de> for Status {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        fn code<E: serde::de::Error>(code: u64) -> Result<u16, E> {
            u16::try_from(code)
                .ok()
                .filter(|code| FINAL_STATUSES.contains(code))
                .ok_or_else(|| E::custom(format!("{code} is not a status (200 to 599)")))
        }

        impl<'de> Visitor<'de> for Reader {
            type Value = StatusRule;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a status (200), a list of them ([200, 404]) or a class (\"2xx\")")
            }

            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<StatusRule, E> {
                Ok(StatusRule::OneOf(vec![code(number)?]))
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<StatusRule, E> {
                match text.as_bytes() {
                    [class @ b'2'..=b'5', b'x' | b'X', b'x' | b'X'] => {
                        Ok(StatusRule::Class(u16::from(class - b'0')))
                    }
                    _ => Err(E::invalid_value(serde::de::Unexpected::Str(text), &self)),
                }
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<StatusRule, A::Error> {
                let mut codes = Vec::new();
                while let Some(number) = seq.next_element()? {
                    codes.push(code(number)?);
                }
                if codes.is_empty() {
                    return Err(A::Error::custom("an empty list allows no status at all"));
                }
                Ok(StatusRule::OneOf(codes))
            }
        }

        deserializer.deserialize_any(Reader).map(Self)
    }
}

impl JsonSchema for Status {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Status".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let (least, most) = (FINAL_STATUSES.start(), FINAL_STATUSES.end());
        schemars::json_schema!({
            "anyOf": [
                { "type": "integer", "minimum": least, "maximum": most },
                {
                    "type": "array",
                    "items": { "type": "integer", "minimum": least, "maximum": most },
                    "minItems": 1
                },
                { "type": "string", "pattern": "^[2-5][xX]{2}$" }
            ]
        })
    }
}

/// Expected values by JSON pointer.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "serde_json::Map<String, Json>")]
#[schemars(extend("minProperties" = 1, "propertyNames" = { "pattern": "^(/.*)?$" }))]
struct Pointers(#[schemars(with = "serde_json::Map<String, Json>")] Vec<(String, Json)>);

impl TryFrom<serde_json::Map<String, Json>> for Pointers {
    type Error = String;

    fn try_from(map: serde_json::Map<String, Json>) -> Result<Self, String> {
        if map.is_empty() {
            return Err(
                "there is no pointer, so nothing would be checked; leave it out".to_owned(),
            );
        }
        match map
            .keys()
            .find(|key| !key.is_empty() && !key.starts_with('/'))
        {
            Some(key) => Err(format!(
                "{key:?} is not a JSON pointer; write {:?}",
                format!("/{key}")
            )),
            None => Ok(Self(map.into_iter().collect())),
        }
    }
}
