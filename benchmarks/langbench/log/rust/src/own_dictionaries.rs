//! Dictionaries that each worker fills for itself, and that are merged.

use std::sync::Arc;

use runfair_harness::Counter;

use crate::archive::{Archive, Dictionary, LogType, Messages, Parser};
use crate::counters::{LOG_TYPES, VARIABLES};
use crate::tokens::VARIABLE_PLACEHOLDER;

pub const TIER: &str = "standard";

/// What a parser fills.
pub type Filled = Dictionary;

/// The parsers of all workers. Worker 0's dictionaries become everyone's, so their entries count.
pub fn parsers(workers: usize) -> Vec<Parser> {
    let mut parsers =
        vec![Parser::filling(Filled::counted_as(LOG_TYPES), Filled::counted_as(VARIABLES))];
    parsers.resize_with(workers, || Parser::filling(Filled::default(), Filled::default()));
    parsers
}

/// The common ids of what a worker's own dictionaries held.
struct Renumbering {
    types: Vec<u32>,
    variables: Vec<u32>,
}

impl Renumbering {
    fn apply(&self, log_types: &[LogType], messages: &mut Messages) {
        let mut values = messages.values.iter_mut();
        for id in &mut messages.types {
            *id = self.types[*id as usize];
            for (&kind, value) in log_types[*id as usize].kinds.iter().zip(&mut values) {
                if kind == VARIABLE_PLACEHOLDER {
                    *value = self.variables[*value as usize].into();
                }
            }
        }
    }
}

/// A worker's encoded files, which are still to be given the common ids.
pub struct Block {
    files: Vec<Messages>,
    renumbering: Option<Renumbering>,
}

impl Block {
    /// Gives the messages the common ids. Worker 0's have them.
    pub fn renumbered(mut self, archive: &Archive) -> Vec<Messages> {
        if let Some(renumbering) = self.renumbering {
            for messages in &mut self.files {
                renumbering.apply(&archive.log_types, messages);
            }
        }
        self.files
    }
}

/// Worker 0's dictionaries become everyone's; those of the others are entered in order.
pub fn merge<const COUNT: bool>(
    parsers: Vec<Parser>,
    counter: &mut Counter<COUNT>,
) -> (Archive, Vec<Block>) {
    let mut types = Dictionary::default();
    let mut variables = Dictionary::default();
    let mut blocks = Vec::new();
    for parser in parsers {
        let renumbering = if blocks.is_empty() {
            types = parser.types;
            variables = parser.variables;
            None
        } else {
            Some(Renumbering {
                types: enter(&mut types, parser.types, counter),
                variables: enter(&mut variables, parser.variables, counter),
            })
        };
        blocks.push(Block { files: parser.files, renumbering });
    }
    (Archive::new(types, variables), blocks)
}

/// Enters another's texts in their order, and returns their ids.
fn enter<const COUNT: bool>(
    dictionary: &mut Dictionary,
    other: Dictionary,
    counter: &mut Counter<COUNT>,
) -> Vec<u32> {
    let enter = |text: &Arc<[u8]>| {
        dictionary.find(text).unwrap_or_else(|| dictionary.add(Arc::clone(text), counter))
    };
    other.texts().iter().map(enter).collect()
}
