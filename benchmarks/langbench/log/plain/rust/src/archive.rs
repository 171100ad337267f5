//! What the files hold, encoded: two dictionaries, and the messages of each file.

use std::collections::HashMap;

use runfair_harness::Counter;

use crate::counters::{LINES, LOG_TYPES, NUMBERS, REFERENCES, TOKENS, VARIABLES};
use crate::folder::lines_of;
use crate::tokens::{
    is_variable, number_code, number_text, token_end, NUMBER_PLACEHOLDER, VARIABLE_PLACEHOLDER,
};

pub struct Message {
    pub log_type: usize,
    pub values: Vec<i64>,
}

#[derive(Default)]
pub struct Archive {
    pub types: Vec<Vec<u8>>,
    type_ids: HashMap<Vec<u8>, usize>,
    pub variables: Vec<Vec<u8>>,
    pub variable_ids: HashMap<Vec<u8>, i64>,
    pub files: Vec<Vec<Message>>,
}

impl Archive {
    fn type_id<const COUNT: bool>(&mut self, text: Vec<u8>, counter: &mut Counter<COUNT>) -> usize {
        if let Some(&known) = self.type_ids.get(&text) {
            return known;
        }
        counter.tick(LOG_TYPES);
        let id = self.types.len();
        self.type_ids.insert(text.clone(), id);
        self.types.push(text);
        id
    }

    fn variable_id<const COUNT: bool>(&mut self, text: &[u8], counter: &mut Counter<COUNT>) -> i64 {
        if let Some(&known) = self.variable_ids.get(text) {
            return known;
        }
        counter.tick(VARIABLES);
        let id = self.variables.len() as i64;
        self.variable_ids.insert(text.to_vec(), id);
        self.variables.push(text.to_vec());
        id
    }

    pub fn parse<const COUNT: bool>(&mut self, content: &[u8], counter: &mut Counter<COUNT>) {
        let mut messages = Vec::new();
        for line in lines_of(content) {
            counter.tick(LINES);
            let mut values = Vec::new();
            let mut text = Vec::new();
            let mut at = 0;
            while at < line.len() {
                let begin = at;
                at = token_end(line, begin);
                if at == begin {
                    text.push(line[at]);
                    at += 1;
                    continue;
                }
                counter.tick(TOKENS);
                let token = &line[begin..at];
                if !is_variable(line, begin, at) {
                    text.extend_from_slice(token);
                } else if let Some(code) = number_code(token) {
                    counter.tick(NUMBERS);
                    values.push(code);
                    text.push(NUMBER_PLACEHOLDER);
                } else {
                    counter.tick(REFERENCES);
                    values.push(self.variable_id(token, counter));
                    text.push(VARIABLE_PLACEHOLDER);
                }
            }
            messages.push(Message { log_type: self.type_id(text, counter), values });
        }
        self.files.push(messages);
    }

    pub fn decode(&self, message: &Message) -> Vec<u8> {
        let mut line = Vec::new();
        let mut slot = 0;
        for &byte in &self.types[message.log_type] {
            if byte == NUMBER_PLACEHOLDER {
                line.extend_from_slice(number_text(message.values[slot]).as_bytes());
                slot += 1;
            } else if byte == VARIABLE_PLACEHOLDER {
                line.extend_from_slice(&self.variables[message.values[slot] as usize]);
                slot += 1;
            } else {
                line.push(byte);
            }
        }
        line
    }
}
