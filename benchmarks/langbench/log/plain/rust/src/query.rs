//! Queries, cut at their asterisks and at tokens that are not whole.

use regex::bytes::{Regex, RegexBuilder};
use runfair_harness::{Failure, UserError};

use crate::plan::find;
use crate::tokens::{
    is_variable, number_code, token_end, NUMBER_PLACEHOLDER, VARIABLE_PLACEHOLDER,
};

pub const HADOOP: [&str; 7] = [
    "] org.apache.hadoop.hdfs.LeaseRenewer: Starting lease for ",
    " container_1445144423722_0001_01_000007 ",
    "[fetcher#7] ",
    " attempt_*_0001_m_000003_1 is : ",
    "WARN * Slow ReadProcessor * took *77 ms; ack",
    " ip=/10.0.3.7 cmd=open ",
    "ERROR * Giving up * node-07.cluster.example:8020;",
];
pub const SPARK: [&str; 7] = [
    " spark.ContextCleaner: Started accumulator for stage ",
    " rdd_42_7 ",
    " boot = 17, ",
    " broadcast_1*7_piece0 stored ",
    "Finished task * in stage 12.0 (TID *). 2077 bytes",
    " ip=/10.0.3.7 cmd=remove ",
    "WARN util.Utils: Lost * retry 3 of 4",
];

/// A token of the query that is not whole, but surely part of a variable.
pub struct Part {
    text: Vec<u8>,
    begins: bool,
    ends: bool,
}

impl Part {
    pub fn is_part_of(&self, variable: &[u8]) -> bool {
        if self.begins {
            variable.starts_with(&self.text)
        } else if self.ends {
            variable.ends_with(&self.text)
        } else {
            find(variable, &self.text).is_some()
        }
    }
}

#[derive(Default)]
pub struct Query {
    pub pieces: Vec<Vec<u8>>,
    pub fragments: Vec<Vec<u8>>,
    pub numbers: Vec<i64>,
    pub variables: Vec<Vec<u8>>,
    pub parts: Vec<Part>,
}

impl Query {
    pub fn new(text: &str) -> Self {
        let mut query = Query::default();
        for piece in text.split('*').filter(|piece| !piece.is_empty()) {
            query.cut(piece.as_bytes());
            query.pieces.push(piece.into());
        }
        query
    }

    fn cut(&mut self, piece: &[u8]) {
        let mut fragment = Vec::new();
        let mut at = 0;
        while at < piece.len() {
            let begin = at;
            at = token_end(piece, begin);
            if at == begin {
                fragment.push(piece[at]);
                at += 1;
            } else if begin > 0 && at < piece.len() {
                fragment.extend(self.whole(piece, begin, at));
            } else {
                self.end(std::mem::take(&mut fragment));
                self.part(piece, begin, at);
            }
        }
        self.end(fragment);
    }

    fn end(&mut self, fragment: Vec<u8>) {
        if !fragment.is_empty() {
            self.fragments.push(fragment);
        }
    }

    fn whole(&mut self, piece: &[u8], begin: usize, end: usize) -> Vec<u8> {
        let token = &piece[begin..end];
        if !is_variable(piece, begin, end) {
            return token.to_vec();
        }
        if let Some(code) = number_code(token) {
            self.numbers.push(code);
            return vec![NUMBER_PLACEHOLDER];
        }
        self.variables.push(token.to_vec());
        vec![VARIABLE_PLACEHOLDER]
    }

    fn part(&mut self, piece: &[u8], begin: usize, end: usize) {
        let token = &piece[begin..end];
        let maybe_number =
            token.iter().all(|&byte| byte.is_ascii_digit() || byte == b'-' || byte == b'.');
        if !maybe_number && is_variable(piece, begin, end) {
            let (begins, ends) = (begin > 0, end < piece.len());
            self.parts.push(Part { text: token.to_vec(), begins, ends });
        }
    }

    pub fn expression(&self) -> Result<Regex, Failure> {
        let pieces: Vec<String> = (self.pieces.iter())
            .map(|piece| regex::escape(&String::from_utf8_lossy(piece)))
            .collect();
        // Any byte of a line, not only those of UTF-8.
        RegexBuilder::new(&pieces.join("[^\\n]*"))
            .unicode(false)
            .build()
            .map_err(|error| UserError(format!("a query cannot be searched for: {error}")).into())
    }
}
