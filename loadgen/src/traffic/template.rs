//! Texts with fields that differ from request to request.

use super::digits::{append_decimal, append_key, decimal_length, KEY_DIGITS};
use super::feed::{Column, Feed, FeedError, Place};
use super::keyspace::KeySpace;
use crate::schedule::{Draws, Stream};

/// Why a text is no template.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the texts say it")]
pub enum TemplateError {
    #[error("the field that begins at character {0} is never closed; close it with }}, or write $${{ for a plain ${{")]
    Unclosed(usize),
    #[error("{0:?} is not a field; the fields are ${{sequence}}, ${{random:1..1000}}, ${{key}} and ${{feed:NAME}}; write $${{ for a plain ${{")]
    Unknown(String),
    #[error("{0:?} is not a range; write, for example, ${{random:1..1000}}")]
    Range(String),
    #[error("the field ${{key}} needs a key space; add --keys N")]
    NoKeys,
    #[error("the field ${{feed:{}}} needs rows; add --feed FILE.csv or FILE.jsonl", .0.escape_debug())]
    NoFeed(String),
    #[error("the feed has no column {name:?}; its columns are {columns}")]
    NoColumn { name: String, columns: String },
    #[error(transparent)]
    Feed(#[from] FeedError),
}

/// What a field stands for: digits, or a feed's value made safe for its place, so that no field
/// can break out of the line it stands in.
#[derive(Clone, Debug, PartialEq, Eq)]
enum FieldKind {
    /// The request's index.
    Sequence,
    /// A number from `low`, of `count` numbers; 0 stands for 2⁶⁴.
    Random { low: u64, count: u64 },
    /// A key's twelve digits.
    Key,
    /// A value of the feed's row.
    Feed(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Literal(Vec<u8>),
    Field(FieldKind),
}

/// A template as written: `${sequence}` is the request's index, from 0;
/// `${random:A..B}` a number from A to B, both included; `${key}` twelve digits
/// of a key; `$${` a plain `${`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    pieces: Vec<Piece>,
}

impl Pattern {
    /// Finds the fields.
    pub fn parse(text: &[u8]) -> Result<Self, TemplateError> {
        let mut pieces = Vec::new();
        let mut literal = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let rest = &text[at..];
            if rest.starts_with(b"$${") {
                literal.extend_from_slice(b"${");
                at += 3;
            } else if rest.starts_with(b"${") {
                let length = memchr::memchr(b'}', rest).ok_or_else(|| {
                    TemplateError::Unclosed(
                        String::from_utf8_lossy(&text[..at]).chars().count() + 1,
                    )
                })?;
                if !literal.is_empty() {
                    pieces.push(Piece::Literal(std::mem::take(&mut literal)));
                }
                pieces.push(Piece::Field(parse_field(&rest[..=length])?));
                at += length + 1;
            } else {
                literal.push(rest[0]);
                at += 1;
            }
        }
        if !literal.is_empty() {
            pieces.push(Piece::Literal(literal));
        }
        Ok(Self { pieces })
    }
}

/// Reads `${…}`, whole.
fn parse_field(text: &[u8]) -> Result<FieldKind, TemplateError> {
    let written = String::from_utf8_lossy(text);
    let name = &written[2..written.len() - 1];
    match name {
        "sequence" => return Ok(FieldKind::Sequence),
        "key" => return Ok(FieldKind::Key),
        _ => {}
    }
    if let Some(column) = name.strip_prefix("feed:") {
        return Ok(FieldKind::Feed(column.to_owned()));
    }
    let range = name
        .strip_prefix("random:")
        .ok_or_else(|| TemplateError::Unknown(written.clone().into_owned()))?;
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    range
        .split_once("..")
        .filter(|(low, high)| digits(low) && digits(high))
        .and_then(|(low, high)| low.parse::<u64>().ok().zip(high.parse::<u64>().ok()))
        .filter(|(low, high)| low <= high)
        .map(|(low, high)| FieldKind::Random {
            low,
            count: (high - low).wrapping_add(1),
        })
        .ok_or_else(|| TemplateError::Range(written.into_owned()))
}

/// Hands out the fields of one request: numbers them and gives each its draws.
pub(super) struct FieldMaker<'a> {
    seed: u64,
    keys: Option<KeySpace>,
    feed: Option<&'a Feed>,
    made: u32,
}

impl<'a> FieldMaker<'a> {
    pub fn new(seed: u64, keys: Option<KeySpace>, feed: Option<&'a Feed>) -> Self {
        Self {
            seed,
            keys,
            feed,
            made: 0,
        }
    }

    fn column(&self, name: &str, place: Place) -> Result<Column, TemplateError> {
        let Some(feed) = self.feed else {
            return Err(TemplateError::NoFeed(name.to_owned()));
        };
        match feed.column(name, place) {
            Some(column) => Ok(column?),
            None => Err(TemplateError::NoColumn {
                name: name.to_owned(),
                columns: feed.columns().join(", "),
            }),
        }
    }

    fn field(&mut self, kind: &FieldKind, place: Place) -> Result<Field, TemplateError> {
        let draws = Draws::new(self.seed, Stream::Field(self.made));
        self.made = self.made.wrapping_add(1);
        Ok(match kind {
            FieldKind::Sequence => Field::Sequence,
            FieldKind::Random { low, count } => Field::Random {
                low: *low,
                count: *count,
                draws,
            },
            FieldKind::Feed(name) => Field::Feed(self.column(name, place)?),
            FieldKind::Key => Field::Key {
                keys: self.keys.ok_or(TemplateError::NoKeys)?,
                draws,
            },
        })
    }
}

/// A field ready to be filled in.
#[derive(Clone, Debug)]
enum Field {
    Sequence,
    Random { low: u64, count: u64, draws: Draws },
    Key { keys: KeySpace, draws: Draws },
    Feed(Column),
}

impl Field {
    #[inline]
    fn number(&self, index: u64) -> u64 {
        match self {
            Self::Sequence => index,
            Self::Random {
                count: 0, draws, ..
            } => draws.bits(index),
            Self::Random { low, count, draws } => low + draws.below(index, *count),
            Self::Key { keys, draws } => keys.key(draws, index),
            Self::Feed(_) => 0,
        }
    }

    #[inline]
    fn append(&self, index: u64, out: &mut Vec<u8>) {
        match self {
            Self::Key { .. } => append_key(self.number(index), out),
            Self::Sequence | Self::Random { .. } => append_decimal(self.number(index), out),
            Self::Feed(column) => out.extend_from_slice(column.value(index)),
        }
    }

    #[inline]
    fn length(&self, index: u64) -> usize {
        match self {
            Self::Key { .. } => KEY_DIGITS,
            Self::Sequence | Self::Random { .. } => decimal_length(self.number(index)),
            Self::Feed(column) => column.value(index).len(),
        }
    }
}

/// A template ready to be expanded: literal bytes, each followed by a field,
/// and literal bytes at the end.
#[derive(Clone, Debug, Default)]
pub(super) struct Template {
    fields: Vec<(Vec<u8>, Field)>,
    end: Vec<u8>,
}

impl Template {
    /// Appends bytes that are always the same.
    pub fn push_literal(&mut self, bytes: &[u8]) {
        self.end.extend_from_slice(bytes);
    }

    /// Appends a pattern.
    pub fn push_pattern(
        &mut self,
        pattern: &Pattern,
        fields: &mut FieldMaker<'_>,
        place: Place,
    ) -> Result<(), TemplateError> {
        for piece in &pattern.pieces {
            match piece {
                Piece::Literal(bytes) => self.push_literal(bytes),
                Piece::Field(kind) => {
                    let field = fields.field(kind, place)?;
                    self.fields.push((std::mem::take(&mut self.end), field));
                }
            }
        }
        Ok(())
    }

    /// Appends another template.
    pub fn push_template(&mut self, other: Template) {
        for (literal, field) in other.fields {
            self.push_literal(&literal);
            self.fields.push((std::mem::take(&mut self.end), field));
        }
        self.push_literal(&other.end);
    }

    /// The length in bytes if it is the same for every request.
    pub fn fixed_length(&self) -> Option<usize> {
        let fields = self.fields.iter().map(|(literal, field)| match field {
            Field::Key { .. } => Some(literal.len() + KEY_DIGITS),
            Field::Sequence | Field::Random { .. } | Field::Feed(_) => None,
        });
        fields
            .sum::<Option<usize>>()
            .map(|sum| sum + self.end.len())
    }

    /// The length in bytes for request `index`.
    #[inline]
    pub fn length(&self, index: u64) -> usize {
        let fields = self.fields.iter();
        let sum: usize = fields
            .map(|(literal, field)| literal.len() + field.length(index))
            .sum();
        sum + self.end.len()
    }

    /// Appends the text of request `index`.
    #[inline]
    pub fn append(&self, index: u64, out: &mut Vec<u8>) {
        for (literal, field) in &self.fields {
            out.extend_from_slice(literal);
            field.append(index, out);
        }
        out.extend_from_slice(&self.end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn template(text: &str) -> Template {
        let mut made = Template::default();
        let keys = KeySpace::new(1000).ok();
        made.push_pattern(
            &Pattern::parse(text.as_bytes()).unwrap(),
            &mut FieldMaker::new(1, keys, None),
            Place::Body,
        )
        .unwrap();
        made
    }

    fn expand(text: &str, index: u64) -> String {
        let mut out = Vec::new();
        template(text).append(index, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn fields_are_filled_in() {
        assert_eq!(
            expand("/items/${sequence}?x=${sequence}", 41),
            "/items/41?x=41"
        );
        assert_eq!(expand("a $ b $$ c $${key} {d}", 3), "a $ b $$ c ${key} {d}");
        let key = expand("key:${key}", 3);
        assert_eq!(key.len(), 16);
        assert!(key["key:".len()..].parse::<u64>().unwrap() < 1000);
        assert_eq!(expand("", 0), "");
    }

    #[test]
    fn a_range_holds_both_its_ends_and_nothing_else() {
        let drawn: std::collections::BTreeSet<u64> = (0..1000)
            .map(|index| expand("${random:3..7}", index).parse().unwrap())
            .collect();
        assert_eq!(drawn.into_iter().collect::<Vec<_>>(), [3, 4, 5, 6, 7]);
        assert_eq!(expand("${random:5..5}", 9), "5");
        let widest = "${random:0..18446744073709551615}";
        assert_ne!(expand(widest, 1), expand(widest, 2));
    }

    #[test]
    fn fields_of_one_request_are_drawn_apart() {
        let same = (0..1000)
            .filter(|&index| {
                let text = expand("${random:1..1000} ${random:1..1000}", index);
                let (a, b) = text.split_once(' ').unwrap();
                a == b
            })
            .count();
        // One in a thousand by chance; all of them if the draws were shared.
        assert!(same < 20, "{same}");
    }

    #[test]
    fn errors_say_what_to_write() {
        let error = |text: &str| Pattern::parse(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(
            error("é${key"),
            "the field that begins at character 2 is never closed; close it with }, or write $${ for a plain ${"
        );
        assert_eq!(
            error("${user}"),
            "\"${user}\" is not a field; the fields are ${sequence}, ${random:1..1000}, ${key} and ${feed:NAME}; write $${ for a plain ${"
        );
        for range in [
            "5..1",
            "1",
            "..",
            "1..x",
            "-1..5",
            "1..99999999999999999999",
            "+1..2",
        ] {
            let text = format!("${{random:{range}}}");
            assert_eq!(
                Pattern::parse(text.as_bytes()),
                Err(TemplateError::Range(text))
            );
        }
        let key = Pattern::parse(b"${key}").unwrap();
        let made = Template::default().push_pattern(
            &key,
            &mut FieldMaker::new(1, None, None),
            Place::Path,
        );
        assert_eq!(made, Err(TemplateError::NoKeys));
    }

    #[test]
    fn a_fixed_length_is_known() {
        assert_eq!(template("abc").fixed_length(), Some(3));
        assert_eq!(template("a${key}b").fixed_length(), Some(14));
        assert_eq!(template("a${sequence}b").fixed_length(), None);
    }

    proptest! {
        #[test]
        fn the_length_is_that_of_the_text(index: u64, parts in proptest::collection::vec(
            prop_oneof![Just("${sequence}"), Just("${key}"), Just("${random:1..100000}"), Just("x"), Just("$")], 0..9,
        )) {
            let text = parts.concat();
            let made = template(&text);
            let mut out = Vec::new();
            made.append(index, &mut out);
            prop_assert_eq!(made.length(index), out.len());
            prop_assert!(made.fixed_length().is_none_or(|length| length == out.len()));
        }

        #[test]
        fn text_without_fields_stays_as_it_is(text in "[^$]{0,40}", index: u64) {
            prop_assert_eq!(expand(&text, index), text);
        }

        #[test]
        fn no_bytes_panic(text in proptest::collection::vec(prop_oneof![Just(b'$'), Just(b'{'), Just(b'}'), any::<u8>()], 0..30)) {
            let _ = Pattern::parse(&text);
        }
    }
}
