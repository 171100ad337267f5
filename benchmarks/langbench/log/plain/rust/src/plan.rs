//! The search for one query in the index.

use std::collections::HashSet;

use runfair_harness::Counter;

use crate::archive::{Archive, Message};
use crate::counters::{CANDIDATES, MATCHES, SCANNED};
use crate::query::Query;
use crate::tokens::{is_placeholder, NUMBER_PLACEHOLDER, VARIABLE_PLACEHOLDER};

/// One of a message's variables is of this kind and has one of these values.
struct Condition {
    kind: u8,
    values: HashSet<i64>,
}

impl Condition {
    fn holds(&self, log_type: &[u8], message: &Message) -> bool {
        let kinds = log_type.iter().filter(|&&byte| is_placeholder(byte));
        kinds
            .zip(&message.values)
            .any(|(&kind, value)| kind == self.kind && self.values.contains(value))
    }
}

pub struct Plan<'a> {
    query: &'a Query,
    archive: &'a Archive,
    wanted: Vec<bool>,
    conditions: Vec<Condition>,
}

impl<'a> Plan<'a> {
    pub fn new<const COUNT: bool>(
        query: &'a Query,
        archive: &'a Archive,
        counter: &mut Counter<COUNT>,
    ) -> Self {
        let mut wanted = Vec::new();
        for log_type in &archive.types {
            counter.tick(SCANNED);
            wanted.push(matches(log_type, &query.fragments));
        }
        let mut conditions = Vec::new();
        for &code in &query.numbers {
            conditions.push(Condition { kind: NUMBER_PLACEHOLDER, values: HashSet::from([code]) });
        }
        for text in &query.variables {
            let values = archive.variable_ids.get(text).copied().into_iter().collect();
            conditions.push(Condition { kind: VARIABLE_PLACEHOLDER, values });
        }
        for part in &query.parts {
            let mut values = HashSet::new();
            for (text, id) in archive.variables.iter().zip(0..) {
                counter.tick(SCANNED);
                if part.is_part_of(text) {
                    values.insert(id);
                }
            }
            conditions.push(Condition { kind: VARIABLE_PLACEHOLDER, values });
        }
        Plan { query, archive, wanted, conditions }
    }

    pub fn search<const COUNT: bool>(
        &self,
        messages: &[Message],
        found: &mut Vec<Vec<u8>>,
        counter: &mut Counter<COUNT>,
    ) {
        for message in messages {
            let log_type = &self.archive.types[message.log_type];
            let holds = |condition: &Condition| condition.holds(log_type, message);
            if !self.wanted[message.log_type] || !self.conditions.iter().all(holds) {
                continue;
            }
            counter.tick(CANDIDATES);
            let line = self.archive.decode(message);
            if matches(&line, &self.query.pieces) {
                counter.tick(MATCHES);
                found.push(line);
            }
        }
    }
}

pub fn find(text: &[u8], piece: &[u8]) -> Option<usize> {
    text.windows(piece.len()).position(|window| window == piece)
}

pub fn matches(text: &[u8], pieces: &[Vec<u8>]) -> bool {
    let mut rest = text;
    for piece in pieces {
        match find(rest, piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    true
}
