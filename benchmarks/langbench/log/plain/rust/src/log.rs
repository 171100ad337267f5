//! The contract's pseudocode over vectors and hash maps: `langbench/log/contract.md`.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::process::ExitCode;

use regex::bytes::{Regex, RegexBuilder};
use runfair_harness::{fnv1a, read, Benchmark, Counter, Failure, Options, UserError, FNV1A};

const LINES: usize = 0;
const TOKENS: usize = 1;
const NUMBERS: usize = 2;
const REFERENCES: usize = 3;
const LOG_TYPES: usize = 4;
const VARIABLES: usize = 5;
const SCANNED: usize = 6;
const CANDIDATES: usize = 7;
const MATCHES: usize = 8;

const VARIABLE_PLACEHOLDER: u8 = 17;
const NUMBER_PLACEHOLDER: u8 = 18;
const MOST_DIGITS: i64 = 13;

const HADOOP: [&str; 7] = [
    "] org.apache.hadoop.hdfs.LeaseRenewer: Starting lease for ",
    " container_1445144423722_0001_01_000007 ",
    "[fetcher#7] ",
    " attempt_*_0001_m_000003_1 is : ",
    "WARN * Slow ReadProcessor * took *77 ms; ack",
    " ip=/10.0.3.7 cmd=open ",
    "ERROR * Giving up * node-07.cluster.example:8020;",
];
const SPARK: [&str; 7] = [
    " spark.ContextCleaner: Started accumulator for stage ",
    " rdd_42_7 ",
    " boot = 17, ",
    " broadcast_1*7_piece0 stored ",
    "Finished task * in stage 12.0 (TID *). 2077 bytes",
    " ip=/10.0.3.7 cmd=remove ",
    "WARN util.Utils: Lost * retry 3 of 4",
];

fn is_placeholder(byte: u8) -> bool {
    byte == VARIABLE_PLACEHOLDER || byte == NUMBER_PLACEHOLDER
}

fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || b"+-./_\\".contains(&byte)
        || is_placeholder(byte)
        || byte >= 128
}

/// Where the token that begins here ends.
fn token_end(text: &[u8], begin: usize) -> usize {
    let mut end = begin;
    while end < text.len() && is_token_byte(text[end]) {
        end += 1;
    }
    end
}

fn is_variable(text: &[u8], begin: usize, end: usize) -> bool {
    let token = &text[begin..end];
    if token.iter().any(|&byte| byte.is_ascii_digit() || is_placeholder(byte)) {
        return true;
    }
    begin > 0 && text[begin - 1] == b'=' && token.iter().any(u8::is_ascii_alphabetic)
}

fn number_code(token: &[u8]) -> Option<i64> {
    let negative = token[0] == b'-';
    let (mut value, mut digits, mut scale, mut point) = (0, 0, 0, false);
    for &byte in &token[usize::from(negative)..] {
        if byte.is_ascii_digit() {
            digits += 1;
            if digits > MOST_DIGITS {
                return None;
            }
            value = 10 * value + i64::from(byte - b'0');
            scale += i64::from(point);
        } else if byte == b'.' && digits > 0 && !point {
            point = true;
        } else {
            return None;
        }
    }
    if digits == 0 || point && scale == 0 {
        return None;
    }
    Some((value * 16 + digits) * 32 + scale * 2 + i64::from(negative))
}

fn number_text(code: i64) -> String {
    let (digits, scale) = ((code / 32 % 16) as usize, (code / 2 % 16) as usize);
    let mut text = format!("{:0digits$}", code / 512);
    if scale > 0 {
        text.insert(digits - scale, '.');
    }
    if code % 2 == 1 {
        text.insert(0, '-');
    }
    text
}

fn find(text: &[u8], piece: &[u8]) -> Option<usize> {
    text.windows(piece.len()).position(|window| window == piece)
}

fn matches(text: &[u8], pieces: &[Vec<u8>]) -> bool {
    let mut rest = text;
    for piece in pieces {
        match find(rest, piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    true
}

fn lines_of(content: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<&[u8]> = content.split(|&byte| byte == b'\n').collect();
    if lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    lines
}

struct Message {
    log_type: usize,
    values: Vec<i64>,
}

#[derive(Default)]
struct Archive {
    types: Vec<Vec<u8>>,
    type_ids: HashMap<Vec<u8>, usize>,
    variables: Vec<Vec<u8>>,
    variable_ids: HashMap<Vec<u8>, i64>,
    files: Vec<Vec<Message>>,
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

    fn parse<const COUNT: bool>(&mut self, content: &[u8], counter: &mut Counter<COUNT>) {
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

    fn decode(&self, message: &Message) -> Vec<u8> {
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

/// A token of the query that is not whole, but surely part of a variable.
struct Part {
    text: Vec<u8>,
    begins: bool,
    ends: bool,
}

impl Part {
    fn is_part_of(&self, variable: &[u8]) -> bool {
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
struct Query {
    pieces: Vec<Vec<u8>>,
    fragments: Vec<Vec<u8>>,
    numbers: Vec<i64>,
    variables: Vec<Vec<u8>>,
    parts: Vec<Part>,
}

impl Query {
    fn new(text: &str) -> Self {
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

    fn expression(&self) -> Result<Regex, Failure> {
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

struct Plan<'a> {
    query: &'a Query,
    archive: &'a Archive,
    wanted: Vec<bool>,
    conditions: Vec<Condition>,
}

impl<'a> Plan<'a> {
    fn new<const COUNT: bool>(
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

    fn search<const COUNT: bool>(
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

fn read_queries(path: &str) -> Result<Vec<Query>, UserError> {
    let named = format!("queries {path:?}");
    let content = fs::read(path).map_err(|_| {
        UserError(format!("{named} cannot be read; name a file of queries, one a line"))
    })?;
    let mut queries = Vec::new();
    for (line, number) in lines_of(&content).into_iter().zip(1..) {
        if line.iter().any(|byte| !(b' '..=b'~').contains(byte)) {
            return Err(UserError(format!("line {number} of {named}: a query is printable ASCII")));
        }
        if !line.is_empty() {
            queries.push(Query::new(&String::from_utf8_lossy(line)));
        }
    }
    if queries.is_empty() {
        return Err(UserError(format!("{named} holds no queries; write one a line")));
    }
    Ok(queries)
}

fn log_files(folder: &str) -> Result<Vec<String>, UserError> {
    let unreadable = |error| UserError(format!("input {folder:?} cannot be read: {error}"));
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if !path.is_file() {
            continue;
        }
        let name = path.file_name().unwrap_or_default();
        match name.to_str() {
            Some(name) if name.is_ascii() => files.push(format!("{folder}/{name}")),
            _ => {
                return Err(UserError(format!(
                    "input {folder:?} holds {name:?}: rename it to ASCII"
                )))
            }
        }
    }
    if files.is_empty() {
        return Err(UserError(format!("input {folder:?} holds no files; give a folder of logs")));
    }
    files.sort();
    Ok(files)
}

struct Log {
    indexed: bool,
    queries: Vec<Query>,
    files: Vec<String>,
}

struct Answer {
    found: Vec<Vec<Vec<u8>>>,
    _archive: Archive,
}

impl Log {
    fn indexed<const COUNT: bool>(&self, counter: &mut Counter<COUNT>) -> Result<Answer, Failure> {
        let mut archive = Archive::default();
        for file in &self.files {
            archive.parse(&read(file)?, counter);
        }
        let mut plans = Vec::new();
        for query in &self.queries {
            plans.push(Plan::new(query, &archive, counter));
        }
        let mut found = Vec::new();
        for plan in &plans {
            let mut lines = Vec::new();
            for messages in &archive.files {
                plan.search(messages, &mut lines, counter);
            }
            found.push(lines);
        }
        Ok(Answer { found, _archive: archive })
    }

    fn regex<const COUNT: bool>(&self, counter: &mut Counter<COUNT>) -> Result<Answer, Failure> {
        let mut expressions = Vec::new();
        for query in &self.queries {
            expressions.push(query.expression()?);
        }
        let mut found = Vec::new();
        for expression in &expressions {
            let mut lines = Vec::new();
            for file in &self.files {
                for line in lines_of(&read(file)?) {
                    counter.tick(LINES);
                    if expression.is_match(line) {
                        counter.tick(MATCHES);
                        lines.push(line.to_vec());
                    }
                }
            }
            found.push(lines);
        }
        Ok(Answer { found, _archive: Archive::default() })
    }
}

impl Benchmark for Log {
    const NAME: &'static str = "log";
    const TIER: &'static str = "plain";
    const COUNTERS: &'static [&'static str] = &[
        "lines",
        "tokens",
        "numbers",
        "references",
        "log_types",
        "variables",
        "scanned",
        "candidates",
        "matches",
    ];

    type Work = ();
    type Answer = Answer;

    fn load(options: &Options) -> Result<Self, Failure> {
        let queries = match (options.text("queries")?, options.text("workload")?) {
            ("", "hadoop") => HADOOP.map(Query::new).into(),
            ("", _) => SPARK.map(Query::new).into(),
            (path, _) => read_queries(path)?,
        };
        let files = log_files(options.text("input")?)?;
        Ok(Log { indexed: options.text("form")? == "indexed", queries, files })
    }

    fn prepare(&self) {}

    fn run<const COUNT: bool>(
        &self,
        (): (),
        counter: &mut Counter<COUNT>,
    ) -> Result<Answer, Failure> {
        if self.indexed {
            self.indexed(counter)
        } else {
            self.regex(counter)
        }
    }

    fn digest(&self, answer: &Answer) -> u64 {
        let mut hash = FNV1A;
        for lines in &answer.found {
            hash = fnv1a(hash, format!("{}\n", lines.len()).as_bytes());
            for line in lines {
                hash = fnv1a(hash, line);
                hash = fnv1a(hash, b"\n");
            }
        }
        hash
    }
}

fn main() -> ExitCode {
    runfair_harness::main::<Log>()
}
