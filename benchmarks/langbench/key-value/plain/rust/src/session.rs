//! What each command of one connection replies: `langbench/key-value/contract.md`, "Commands".

use std::sync::Mutex;

use runfair_harness::Counts as Counters;

use crate::requests::number;
use crate::server::{locked, Server};

const COMMANDS: usize = 13;
const MOST_QUOTED: usize = 128;

/// The counts of one connection, or the sum of several.
#[derive(Clone, Default)]
pub struct Counts {
    pub processed: u64,
    pub hits: u64,
    pub misses: u64,
    pub evictions: u64,
    pub sets: u64,
    pub gets: u64,
    pub chain_steps: u64,
}

impl Counts {
    pub fn add(&mut self, other: &Counts) {
        self.processed += other.processed;
        self.hits += other.hits;
        self.misses += other.misses;
        self.evictions += other.evictions;
        self.sets += other.sets;
        self.gets += other.gets;
        self.chain_steps += other.chain_steps;
    }

    pub fn counters(&self, entries: usize) -> Counters {
        vec![
            ("sets", self.sets),
            ("gets", self.gets),
            ("hits", self.hits),
            ("misses", self.misses),
            ("chain_steps", self.chain_steps),
            ("entries", entries as u64),
            ("evictions", self.evictions),
        ]
    }
}

pub struct Session<'a> {
    server: &'a Server,
    counts: Counts,
    /// What INFO of other connections sees.
    published: &'a Mutex<Counts>,
    pub open: bool,
}

impl<'a> Session<'a> {
    pub fn new(server: &'a Server, published: &'a Mutex<Counts>) -> Self {
        Session { server, counts: Counts::default(), published, open: true }
    }

    pub fn reply(&mut self, words: Vec<Vec<u8>>) -> Vec<u8> {
        self.counts.processed += 1;
        let reply = self.carry_out(words);
        self.publish();
        reply
    }

    fn publish(&self) {
        *locked(self.published) = self.counts.clone();
    }

    fn carry_out(&mut self, words: Vec<Vec<u8>>) -> Vec<u8> {
        let store = &self.server.store;
        let name = words[0].to_ascii_lowercase();
        match (name.as_slice(), words.len()) {
            (b"get", 2) => self.get(&words[1]),
            (b"set", 3..) => self.set(words),
            (b"del", 2..) => {
                let removed = words[1..].iter().filter(|key| store.remove(key, &mut self.counts));
                integer(removed.count())
            }
            (b"exists", 2..) => {
                let there =
                    words[1..].iter().filter(|key| store.get(key, &mut self.counts).is_some());
                integer(there.count())
            }
            (b"ping", 1) => simple("PONG"),
            (b"ping", 2) => bulk(&words[1]),
            (b"dbsize", 1) => integer(store.entries()),
            (b"flushall", 1) => {
                store.clear();
                simple("OK")
            }
            (b"flushall", _) => error(b"ERR syntax error"),
            (b"select", 2) => select(&words[1]),
            (b"info", _) => bulk(self.info().as_bytes()),
            (b"config", 2..) => config(&words),
            (b"command", _) => command(&words),
            (b"debug", 2..) => self.debug(&words),
            (b"quit", _) => {
                self.open = false;
                simple("OK")
            }
            (
                b"get" | b"set" | b"del" | b"exists" | b"ping" | b"dbsize" | b"select" | b"config"
                | b"debug",
                _,
            ) => wrong_number(&name),
            _ => unknown(&words),
        }
    }

    fn get(&mut self, key: &[u8]) -> Vec<u8> {
        self.counts.gets += 1; // tick
        if let Some(value) = self.server.store.get(key, &mut self.counts) {
            self.counts.hits += 1;
            bulk(&value)
        } else {
            self.counts.misses += 1;
            b"$-1\r\n".to_vec()
        }
    }

    fn set(&mut self, words: Vec<Vec<u8>>) -> Vec<u8> {
        let Ok([_, key, value]) = <[Vec<u8>; 3]>::try_from(words) else {
            return error(b"ERR syntax error");
        };
        if !self.server.store.set(key, value, &mut self.counts) {
            return error(b"OOM command not allowed when used memory > 'maxmemory'.");
        }
        self.counts.sets += 1; // tick
        simple("OK")
    }

    fn info(&self) -> String {
        self.publish();
        let sum = self.server.sum();
        let entries = self.server.store.entries();
        let mut lines = vec![
            "# Server".to_owned(),
            "redis_version:0.0.0".to_owned(),
            "server_name:runfair-key-value".to_owned(),
            "language:rust".to_owned(),
            format!("rows:{}", self.server.store.rows()),
            format!("capacity_bytes:{}", self.server.store.capacity),
            String::new(),
            "# Stats".to_owned(),
            format!("total_commands_processed:{}", sum.processed),
            format!("keyspace_hits:{}", sum.hits),
            format!("keyspace_misses:{}", sum.misses),
            format!("evicted_keys:{}", sum.evictions),
            String::new(),
        ];
        if self.server.counting {
            lines.push("# Runfair".to_owned());
            for (name, count) in sum.counters(entries) {
                lines.push(format!("{name}:{count}"));
            }
            lines.push(String::new());
        }
        lines.push("# Keyspace".to_owned());
        if entries > 0 {
            lines.push(format!("db0:keys={entries},expires=0,avg_ttl=0"));
        }
        lines.join("\r\n") + "\r\n"
    }

    fn debug(&self, words: &[Vec<u8>]) -> Vec<u8> {
        if !words[1].eq_ignore_ascii_case(b"digest") {
            return unknown_subcommand("DEBUG", &words[1]);
        }
        if words.len() > 2 {
            return wrong_number(b"debug|digest");
        }
        simple(&format!("{:016x}", self.server.store.digest()))
    }
}

fn select(word: &[u8]) -> Vec<u8> {
    match number(word) {
        Some(0) => simple("OK"),
        Some(_) => error(b"ERR DB index is out of range"),
        None => error(b"ERR value is not an integer or out of range"),
    }
}

fn config(words: &[Vec<u8>]) -> Vec<u8> {
    if !words[1].eq_ignore_ascii_case(b"get") {
        return unknown_subcommand("CONFIG", &words[1]);
    }
    if words.len() < 3 {
        return wrong_number(b"config|get");
    }
    let mut found = Vec::new();
    for (name, value) in [("save", ""), ("appendonly", "no")] {
        if words[2..].iter().any(|word| word == b"*" || word.eq_ignore_ascii_case(name.as_bytes()))
        {
            found.extend([bulk(name.as_bytes()), bulk(value.as_bytes())]);
        }
    }
    [format!("*{}\r\n", found.len()).as_bytes(), &found.concat()].concat()
}

fn command(words: &[Vec<u8>]) -> Vec<u8> {
    if words.len() == 1 || words[1].eq_ignore_ascii_case(b"docs") {
        return b"*0\r\n".to_vec();
    }
    if !words[1].eq_ignore_ascii_case(b"count") {
        return unknown_subcommand("COMMAND", &words[1]);
    }
    if words.len() > 2 {
        return wrong_number(b"command|count");
    }
    integer(COMMANDS)
}

fn wrong_number(name: &[u8]) -> Vec<u8> {
    error(&[b"ERR wrong number of arguments for '", name, b"' command"].concat())
}

fn unknown_subcommand(name: &str, word: &[u8]) -> Vec<u8> {
    let word = cut(word, MOST_QUOTED);
    let help = format!("'. Try {name} HELP.");
    error(&[b"ERR unknown subcommand '", word, help.as_bytes()].concat())
}

fn unknown(words: &[Vec<u8>]) -> Vec<u8> {
    let mut quoted = Vec::new();
    for word in &words[1..] {
        if quoted.len() < MOST_QUOTED {
            let word = cut(word, MOST_QUOTED - quoted.len());
            quoted.extend([b"'", word, b"' "].concat());
        }
    }
    let name = cut(&words[0], MOST_QUOTED);
    error(&[b"ERR unknown command '", name, b"', with args beginning with: ", &quoted].concat())
}

fn cut(word: &[u8], most: usize) -> &[u8] {
    &word[..word.len().min(most)]
}

pub fn error(text: &[u8]) -> Vec<u8> {
    let mut text = text.to_vec();
    for byte in &mut text {
        if *byte == b'\r' || *byte == b'\n' {
            *byte = b' ';
        }
    }
    [b"-", text.as_slice(), b"\r\n"].concat()
}

fn simple(text: &str) -> Vec<u8> {
    format!("+{text}\r\n").into_bytes()
}

fn integer(value: usize) -> Vec<u8> {
    format!(":{value}\r\n").into_bytes()
}

fn bulk(value: &[u8]) -> Vec<u8> {
    [format!("${}\r\n", value.len()).as_bytes(), value, b"\r\n"].concat()
}
