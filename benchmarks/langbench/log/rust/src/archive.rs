//! Encoded logs: two dictionaries and the messages of every file.

use std::collections::HashMap;
use std::sync::Arc;

use runfair_harness::Counter;

use crate::counters::{LINES, LOG_TYPES, NUMBERS, REFERENCES, TOKENS, VARIABLES};
use crate::tokens::{
    append_number, is_placeholder, is_variable, next_token, number_code, NUMBER_PLACEHOLDER,
    VARIABLE_PLACEHOLDER,
};

/// Texts with ids from 0 on, in the order of their first appearance.
#[derive(Default)]
pub struct Dictionary {
    ids: HashMap<Arc<[u8]>, u32>,
    texts: Vec<Arc<[u8]>>,
}

impl Dictionary {
    fn id(&mut self, text: &[u8]) -> u32 {
        self.find(text).unwrap_or_else(|| self.add(text.into()))
    }

    fn add(&mut self, text: Arc<[u8]>) -> u32 {
        let id = self.texts.len() as u32;
        self.texts.push(Arc::clone(&text));
        self.ids.insert(text, id);
        id
    }

    pub fn find(&self, text: &[u8]) -> Option<u32> {
        self.ids.get(text).copied()
    }

    pub fn texts(&self) -> &[Arc<[u8]>] {
        &self.texts
    }

    /// Enters another's texts in their order, and returns their ids; `counter` counts `entries`.
    fn enter<const COUNT: bool>(
        &mut self,
        other: Dictionary,
        entries: usize,
        counter: &mut Counter<COUNT>,
    ) -> Vec<u32> {
        let enter = |text: Arc<[u8]>| {
            self.find(&text).unwrap_or_else(|| {
                counter.tick(entries);
                self.add(text)
            })
        };
        other.texts.into_iter().map(enter).collect()
    }
}

/// A file, encoded: the types of its lines, and the values of all their variables.
#[derive(Default)]
pub struct Messages {
    pub types: Vec<u32>,
    pub values: Vec<i64>,
}

/// The lines of a file; behind the last line feed there is one only if a byte is.
pub fn lines(content: &[u8]) -> impl Iterator<Item = &[u8]> {
    (content.split_inclusive(|&byte| byte == b'\n'))
        .map(|line| line.strip_suffix(b"\n").unwrap_or(line))
}

/// Encodes the files of one worker into dictionaries of its own.
#[derive(Default)]
pub struct Parser {
    types: Dictionary,
    variables: Dictionary,
    files: Vec<Messages>,
    /// Of the line at hand, kept for its memory.
    log_type: Vec<u8>,
}

impl Parser {
    pub fn parse<const COUNT: bool>(&mut self, content: &[u8], counter: &mut Counter<COUNT>) {
        let mut messages = Messages::default();
        for line in lines(content) {
            counter.tick(LINES);
            self.parse_line(line, &mut messages, counter);
        }
        self.files.push(messages);
    }

    fn parse_line<const COUNT: bool>(
        &mut self,
        line: &[u8],
        messages: &mut Messages,
        counter: &mut Counter<COUNT>,
    ) {
        self.log_type.clear();
        let mut copied = 0;
        let mut from = 0;
        while let Some(token) = next_token(line, from) {
            counter.tick(TOKENS);
            from = token.end;
            if !is_variable(line, &token) {
                continue;
            }
            self.log_type.extend_from_slice(&line[copied..token.start]);
            copied = token.end;
            let text = &line[token];
            if let Some(code) = number_code(text) {
                counter.tick(NUMBERS);
                self.log_type.push(NUMBER_PLACEHOLDER);
                messages.values.push(code);
            } else {
                counter.tick(REFERENCES);
                self.log_type.push(VARIABLE_PLACEHOLDER);
                messages.values.push(self.variables.id(text).into());
            }
        }
        self.log_type.extend_from_slice(&line[copied..]);
        messages.types.push(self.types.id(&self.log_type));
    }
}

/// A line without its variables.
pub struct LogType {
    pub text: Arc<[u8]>,
    /// Its placeholders.
    pub kinds: Vec<u8>,
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

/// The dictionaries that the encoded files of all workers have in common.
pub struct Archive {
    pub log_types: Vec<LogType>,
    pub variables: Dictionary,
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
            counter.tick_each(LOG_TYPES, &types.texts);
            counter.tick_each(VARIABLES, &variables.texts);
            None
        } else {
            Some(Renumbering {
                types: types.enter(parser.types, LOG_TYPES, counter),
                variables: variables.enter(parser.variables, VARIABLES, counter),
            })
        };
        blocks.push(Block { files: parser.files, renumbering });
    }
    let log_type = |text: Arc<[u8]>| {
        let kinds = text.iter().copied().filter(|&byte| is_placeholder(byte)).collect();
        LogType { text, kinds }
    };
    let log_types = types.texts.into_iter().map(log_type).collect();
    (Archive { log_types, variables }, blocks)
}

impl Archive {
    /// Appends the line of a message.
    pub fn decode(&self, line: &mut Vec<u8>, log_type: &LogType, values: &[i64]) {
        let mut values = values.iter();
        for &byte in &*log_type.text {
            match (byte, is_placeholder(byte).then(|| values.next()).flatten()) {
                (NUMBER_PLACEHOLDER, Some(&code)) => append_number(line, code),
                (_, Some(&id)) => line.extend_from_slice(&self.variables.texts[id as usize]),
                (_, None) => line.push(byte),
            }
        }
    }

    /// The messages of a file: their types and values.
    pub fn messages<'a>(
        &'a self,
        messages: &'a Messages,
    ) -> impl Iterator<Item = (u32, &'a LogType, &'a [i64])> {
        let mut rest = messages.values.as_slice();
        messages.types.iter().map(move |&id| {
            let log_type = &self.log_types[id as usize];
            let (values, behind) = rest.split_at(log_type.kinds.len());
            rest = behind;
            (id, log_type, values)
        })
    }
}
