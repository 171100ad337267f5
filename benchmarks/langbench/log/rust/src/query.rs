//! Queries: what a line must hold, and how the index finds it.

use std::collections::HashSet;
use std::ops::Range;

use memchr::memmem::find;
use regex::bytes::{Regex, RegexBuilder};
use runfair_harness::Counter;

use crate::archive::{Archive, Messages};
use crate::counters::{CANDIDATES, MATCHES, SCANNED};
use crate::tokens::{
    is_variable, next_token, number_code, NUMBER_PLACEHOLDER, VARIABLE_PLACEHOLDER,
};

/// Whether the text holds all pieces, in order and without overlap.
pub fn matches(mut text: &[u8], pieces: &[Vec<u8>]) -> bool {
    pieces.iter().all(|piece| match find(text, piece) {
        Some(at) => {
            text = &text[at + piece.len()..];
            true
        }
        None => false,
    })
}

/// A token of the query that is not whole, but surely part of a variable of the dictionary.
struct Part {
    text: Vec<u8>,
    /// The variable begins with it.
    begins: bool,
    ends: bool,
}

impl Part {
    fn is_part_of(&self, variable: &[u8]) -> bool {
        match (self.begins, self.ends) {
            (true, _) => variable.starts_with(&self.text),
            (_, true) => variable.ends_with(&self.text),
            _ => find(variable, &self.text).is_some(),
        }
    }
}

/// A query, cut into what the index knows.
#[derive(Default)]
pub struct Query {
    pieces: Vec<Vec<u8>>,
    fragments: Vec<Vec<u8>>,
    numbers: Vec<i64>,
    variables: Vec<Vec<u8>>,
    parts: Vec<Part>,
}

impl Query {
    pub fn new(text: &str) -> Self {
        let mut query = Self::default();
        for piece in text.split('*').filter(|piece| !piece.is_empty()) {
            query.pieces.push(piece.into());
            query.cut(piece.as_bytes());
        }
        query
    }

    /// The regular expression that finds the query in a line.
    pub fn expression(&self) -> Result<Regex, regex::Error> {
        let escaped: Vec<String> = self.pieces.iter().map(|piece| escaped(piece)).collect();
        RegexBuilder::new(&escaped.join(r"[^\n]*")).unicode(false).build()
    }

    fn cut(&mut self, piece: &[u8]) {
        let mut fragment = Vec::new();
        let mut done = 0;
        while let Some(token) = next_token(piece, done) {
            fragment.extend_from_slice(&piece[done..token.start]);
            done = token.end;
            if token.start > 0 && token.end < piece.len() {
                self.add_whole(piece, token, &mut fragment);
            } else {
                self.end(&mut fragment);
                self.add_part(piece, token);
            }
        }
        fragment.extend_from_slice(&piece[done..]);
        self.end(&mut fragment);
    }

    fn end(&mut self, fragment: &mut Vec<u8>) {
        if !fragment.is_empty() {
            self.fragments.push(std::mem::take(fragment));
        }
    }

    /// A token between delimiters; what stands for it in a log type goes to the fragment.
    fn add_whole(&mut self, piece: &[u8], token: Range<usize>, fragment: &mut Vec<u8>) {
        let text = &piece[token.clone()];
        if !is_variable(piece, &token) {
            fragment.extend_from_slice(text);
        } else if let Some(code) = number_code(text) {
            fragment.push(NUMBER_PLACEHOLDER);
            self.numbers.push(code);
        } else {
            fragment.push(VARIABLE_PLACEHOLDER);
            self.variables.push(text.to_vec());
        }
    }

    fn add_part(&mut self, piece: &[u8], token: Range<usize>) {
        let text = &piece[token.clone()];
        let maybe_number = text.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'.'));
        if is_variable(piece, &token) && !maybe_number {
            let (begins, ends) = (token.start > 0, token.end < piece.len());
            self.parts.push(Part { text: text.to_vec(), begins, ends });
        }
    }
}

fn escaped(piece: &[u8]) -> String {
    let mut escaped = String::new();
    for &byte in piece {
        if br"\^$.|?+()[]{}".contains(&byte) {
            escaped.push('\\');
        }
        escaped.push(byte.into());
    }
    escaped
}

/// One of a message's variables is of this kind and has one of these values.
struct Condition {
    kind: u8,
    values: HashSet<i64>,
}

impl Condition {
    fn holds(&self, kinds: &[u8], values: &[i64]) -> bool {
        (kinds.iter().zip(values))
            .any(|(&kind, value)| kind == self.kind && self.values.contains(value))
    }
}

/// What a message must have to be a candidate of a query.
pub struct Plan<'a> {
    query: &'a Query,
    /// By log type.
    wanted: Vec<bool>,
    conditions: Vec<Condition>,
}

impl<'a> Plan<'a> {
    pub fn new<const COUNT: bool>(
        query: &'a Query,
        archive: &Archive,
        counter: &mut Counter<COUNT>,
    ) -> Self {
        let number =
            |&code: &i64| Condition { kind: NUMBER_PLACEHOLDER, values: HashSet::from([code]) };
        let variable = |text: &Vec<u8>| Condition {
            kind: VARIABLE_PLACEHOLDER,
            values: archive.variables.find(text).map(i64::from).into_iter().collect(),
        };
        let numbers = query.numbers.iter().map(number);
        let variables = query.variables.iter().map(variable);
        let wanted = (archive.log_types.iter())
            .map(|log_type| {
                counter.tick(SCANNED);
                matches(&log_type.text, &query.fragments)
            })
            .collect();
        let part = |part: &Part| Condition {
            kind: VARIABLE_PLACEHOLDER,
            values: (0..)
                .zip(archive.variables.texts())
                .filter(|(_, text)| {
                    counter.tick(SCANNED);
                    part.is_part_of(text)
                })
                .map(|(id, _)| id)
                .collect(),
        };
        let conditions = numbers.chain(variables).chain(query.parts.iter().map(part)).collect();
        Plan { query, wanted, conditions }
    }

    /// The lines of a file that match.
    pub fn search<'b, const COUNT: bool>(
        &'b self,
        archive: &'b Archive,
        messages: &'b Messages,
        counter: &'b mut Counter<COUNT>,
    ) -> impl Iterator<Item = Vec<u8>> + 'b {
        archive.messages(messages).filter_map(move |(id, log_type, values)| {
            let holds = |condition: &Condition| condition.holds(&log_type.kinds, values);
            if !self.wanted[id as usize] || !self.conditions.iter().all(holds) {
                return None;
            }
            counter.tick(CANDIDATES);
            let mut line = Vec::new();
            archive.decode(&mut line, log_type, values);
            if !matches(&line, &self.query.pieces) {
                return None;
            }
            counter.tick(MATCHES);
            Some(line)
        })
    }
}
