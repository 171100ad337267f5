//! Encoded logs: two dictionaries and the messages of every file.

use std::collections::HashMap;
use std::sync::Arc;

use memchr::{memchr2_iter, memchr_iter};
use runfair_harness::Counter;

use crate::counters::{LINES, NUMBERS, REFERENCES, TOKENS};
use crate::dictionaries::Filled;
use crate::tokens::{
    append_number, is_placeholder, is_variable, next_token, number_code, NUMBER_PLACEHOLDER,
    VARIABLE_PLACEHOLDER,
};

/// Texts with ids from 0 on, in the order of their first appearance.
#[derive(Default)]
pub struct Dictionary {
    ids: HashMap<Arc<[u8]>, u32>,
    texts: Vec<Arc<[u8]>>,
    /// The counter of the entries, if they are counted.
    entries: Option<usize>,
}

impl Dictionary {
    pub fn counted_as(entries: usize) -> Self {
        Self { entries: Some(entries), ..Self::default() }
    }

    pub fn id<const COUNT: bool>(&mut self, text: &[u8], counter: &mut Counter<COUNT>) -> u32 {
        self.find(text).unwrap_or_else(|| self.add(text.into(), counter))
    }

    pub fn add<const COUNT: bool>(&mut self, text: Arc<[u8]>, counter: &mut Counter<COUNT>) -> u32 {
        if let Some(entries) = self.entries {
            counter.tick(entries);
        }
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
}

/// A file, encoded: the types of its lines, and the values of all their variables.
#[derive(Default)]
pub struct Messages {
    pub types: Vec<u32>,
    pub values: Vec<i64>,
    /// Whether a line feed ends the last line: nothing of the file is lost.
    _ended: bool,
}

/// The lines of a file; behind the last line feed there is one only if a byte is.
pub fn lines(content: &[u8]) -> impl Iterator<Item = &[u8]> {
    let unended = !content.is_empty() && !content.ends_with(b"\n");
    let mut begin = 0;
    memchr_iter(b'\n', content).chain(unended.then_some(content.len())).map(move |end| {
        let line = &content[begin..end];
        begin = end + 1;
        line
    })
}

/// Encodes the files of one worker into dictionaries: its own, or those of all workers.
pub struct Parser {
    pub types: Filled,
    pub variables: Filled,
    pub files: Vec<Messages>,
    /// Of the line at hand, kept for its memory.
    log_type: Vec<u8>,
}

impl Parser {
    pub fn filling(types: Filled, variables: Filled) -> Self {
        Self { types, variables, files: Vec::new(), log_type: Vec::new() }
    }

    pub fn parse<const COUNT: bool>(&mut self, content: &[u8], counter: &mut Counter<COUNT>) {
        let mut messages = Messages { _ended: content.ends_with(b"\n"), ..Messages::default() };
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
                messages.values.push(self.variables.id(text, counter).into());
            }
        }
        self.log_type.extend_from_slice(&line[copied..]);
        messages.types.push(self.types.id(&self.log_type, counter));
    }
}

/// A line without its variables.
pub struct LogType {
    pub text: Arc<[u8]>,
    /// Its placeholders.
    pub kinds: Vec<u8>,
}

/// The dictionaries that the encoded files of all workers have in common.
pub struct Archive {
    pub log_types: Vec<LogType>,
    pub variables: Dictionary,
}

impl Archive {
    pub fn new(types: Dictionary, variables: Dictionary) -> Self {
        let log_type = |text: Arc<[u8]>| {
            let kinds = text.iter().copied().filter(|&byte| is_placeholder(byte)).collect();
            LogType { text, kinds }
        };
        Self { log_types: types.texts.into_iter().map(log_type).collect(), variables }
    }

    /// Appends the line of a message.
    pub fn decode(&self, line: &mut Vec<u8>, log_type: &LogType, values: &[i64]) {
        let text = &*log_type.text;
        let mut copied = 0;
        let placeholders = memchr2_iter(NUMBER_PLACEHOLDER, VARIABLE_PLACEHOLDER, text);
        for (at, &value) in placeholders.zip(values) {
            line.extend_from_slice(&text[copied..at]);
            copied = at + 1;
            if text[at] == NUMBER_PLACEHOLDER {
                append_number(line, value);
            } else {
                line.extend_from_slice(&self.variables.texts[value as usize]);
            }
        }
        line.extend_from_slice(&text[copied..]);
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
