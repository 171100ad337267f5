//! Dictionaries that all workers fill together.

use std::mem::take;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use runfair_harness::Counter;

use crate::archive::{Archive, Dictionary, Messages, Parser};
use crate::counters::{LOG_TYPES, VARIABLES};

pub const TIER: &str = "shared-dictionary";

/// What a parser fills.
#[derive(Clone)]
pub struct Filled(Arc<Mutex<Dictionary>>);

impl Filled {
    fn counted_as(entries: usize) -> Self {
        Self(Arc::new(Mutex::new(Dictionary::counted_as(entries))))
    }

    pub fn id<const COUNT: bool>(&self, text: &[u8], counter: &mut Counter<COUNT>) -> u32 {
        self.lock().id(text, counter)
    }

    fn lock(&self) -> MutexGuard<'_, Dictionary> {
        // A worker that panicked ends the process.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The parsers of all workers.
pub fn parsers(workers: usize) -> Vec<Parser> {
    let (types, variables) = (Filled::counted_as(LOG_TYPES), Filled::counted_as(VARIABLES));
    (0..workers).map(|_| Parser::filling(types.clone(), variables.clone())).collect()
}

/// A worker's encoded files, which have the common ids.
pub struct Block {
    files: Vec<Messages>,
}

impl Block {
    pub fn renumbered(self, _archive: &Archive) -> Vec<Messages> {
        self.files
    }
}

/// Takes the dictionaries, which are everyone's.
pub fn merge<const COUNT: bool>(
    parsers: Vec<Parser>,
    _: &mut Counter<COUNT>,
) -> (Archive, Vec<Block>) {
    let mut types = Dictionary::default();
    let mut variables = Dictionary::default();
    let mut blocks = Vec::new();
    for parser in parsers {
        if blocks.is_empty() {
            types = take(&mut *parser.types.lock());
            variables = take(&mut *parser.variables.lock());
        }
        blocks.push(Block { files: parser.files });
    }
    (Archive::new(types, variables), blocks)
}
