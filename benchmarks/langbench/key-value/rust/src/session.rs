//! What each command answers.

use std::mem;
use std::sync::Arc;

use crate::locality::Locality;
use crate::replies::Replies;
use crate::requests::number;
use crate::statistics::{Statistics, Totals};
use crate::store::Store;

const MOST_QUOTED_BYTES: usize = 128;
const SETTINGS: [(&str, &str); 2] = [("save", ""), ("appendonly", "no")];

type Words = Vec<Vec<u8>>;

/// How many words it takes, its name among them, and what it does.
struct Command {
    name: &'static str,
    carry_out: fn(&mut Session, Words, &mut Replies),
    least: usize,
    most: usize,
}

impl Command {
    const fn new(
        name: &'static str,
        carry_out: fn(&mut Session, Words, &mut Replies),
        least: usize,
        most: usize,
    ) -> Self {
        Self { name, carry_out, least, most }
    }
}

/// The frequent ones first: it is searched in order.
const COMMANDS: [Command; 13] = [
    Command::new("get", get, 2, 2),
    Command::new("set", set, 3, usize::MAX),
    Command::new("del", del, 2, usize::MAX),
    Command::new("exists", exists, 2, usize::MAX),
    Command::new("ping", ping, 1, 2),
    Command::new("dbsize", dbsize, 1, 1),
    Command::new("flushall", flushall, 1, usize::MAX),
    Command::new("select", select, 2, 2),
    Command::new("info", info, 1, usize::MAX),
    Command::new("config", config, 2, usize::MAX),
    Command::new("command", command, 1, usize::MAX),
    Command::new("debug", debug, 2, usize::MAX),
    Command::new("quit", quit, 1, usize::MAX),
];

/// What the commands of one connection have to do with.
pub struct Session<'a> {
    store: &'a Store,
    totals: &'a Totals,
    statistics: Arc<Statistics>,
    open: bool,
}

impl<'a> Session<'a> {
    pub fn new(store: &'a Store, totals: &'a Totals) -> Self {
        Self { store, totals, statistics: totals.begin(), open: true }
    }

    pub fn is_open(&self) -> bool {
        self.open
    }

    pub fn answer(&mut self, words: Words, replies: &mut Replies) {
        self.statistics.commands.tick();
        let known = COMMANDS.iter().find(|command| is(&words[0], command.name));
        let Some(command) = known else { return unknown(&words, replies) };
        if words.len() < command.least || words.len() > command.most {
            return wrong_number(command.name, replies);
        }
        (command.carry_out)(self, words, replies);
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        self.totals.end(&self.statistics);
    }
}

fn get(session: &mut Session, words: Words, replies: &mut Replies) {
    if session.store.get(&words[1], &session.statistics, |value| replies.bulk(value)) {
        session.statistics.hits.tick();
    } else {
        session.statistics.misses.tick();
        replies.null_bulk();
    }
}

fn set(session: &mut Session, mut words: Words, replies: &mut Replies) {
    let [_, key, value] = words.as_mut_slice() else {
        return replies.error(b"ERR syntax error");
    };
    if !session.store.set(mem::take(key), mem::take(value), &session.statistics) {
        return replies.error(b"OOM command not allowed when used memory > 'maxmemory'.");
    }
    session.statistics.sets.tick();
    replies.simple("OK");
}

fn del(session: &mut Session, words: Words, replies: &mut Replies) {
    let removed = |key: &&Vec<u8>| session.store.remove(key, &session.statistics);
    replies.integer(words[1..].iter().filter(removed).count());
}

fn exists(session: &mut Session, words: Words, replies: &mut Replies) {
    let there = |key: &&Vec<u8>| session.store.get(key, &session.statistics, |_| {});
    replies.integer(words[1..].iter().filter(there).count());
}

fn ping(_session: &mut Session, words: Words, replies: &mut Replies) {
    match words.get(1) {
        Some(message) => replies.bulk(message),
        None => replies.simple("PONG"),
    }
}

fn dbsize(session: &mut Session, _words: Words, replies: &mut Replies) {
    replies.integer(session.store.entries());
}

fn flushall(session: &mut Session, words: Words, replies: &mut Replies) {
    if words.len() > 1 {
        return replies.error(b"ERR syntax error");
    }
    session.store.clear();
    replies.simple("OK");
}

fn select(_session: &mut Session, words: Words, replies: &mut Replies) {
    match number(&words[1]) {
        Some(0) => replies.simple("OK"),
        Some(_) => replies.error(b"ERR DB index is out of range"),
        None => replies.error(b"ERR value is not an integer or out of range"),
    }
}

fn info(session: &mut Session, _words: Words, replies: &mut Replies) {
    let told = session.totals.sum();
    let entries = session.store.entries();
    let mut lines = vec![
        "# Server".to_owned(),
        "redis_version:0.0.0".to_owned(),
        "server_name:runfair-key-value".to_owned(),
        "language:rust".to_owned(),
        format!("rows:{}", session.store.rows()),
        format!("capacity_bytes:{}", session.store.capacity_bytes()),
        String::new(),
        "# Stats".to_owned(),
        format!("total_commands_processed:{}", told.commands.value()),
        format!("keyspace_hits:{}", told.hits.value()),
        format!("keyspace_misses:{}", told.misses.value()),
        format!("evicted_keys:{}", told.evictions.value()),
        String::new(),
    ];
    if session.store.tells_addresses() {
        let told = Locality::of(session.store.distances());
        lines.extend([
            "# Locality".to_owned(),
            format!("pairs:{}", told.pairs),
            format!("median_distance_bytes:{}", told.median_bytes),
            format!("different_distances:{}", told.different),
            format!("frequent_distance_bytes:{}", told.frequent.bytes),
            format!("frequent_distance_pairs:{}", told.frequent.pairs),
            format!("next_frequent_distance_bytes:{}", told.next_frequent.bytes),
            format!("next_frequent_distance_pairs:{}", told.next_frequent.pairs),
            String::new(),
        ]);
    }
    if session.store.counting() {
        let counts = told.counts(entries);
        lines.push("# Runfair".to_owned());
        lines.extend(counts.iter().map(|(name, count)| format!("{name}:{count}")));
        lines.push(String::new());
    }
    lines.push("# Keyspace".to_owned());
    if entries > 0 {
        lines.push(format!("db0:keys={entries},expires=0,avg_ttl=0"));
    }
    replies.bulk((lines.join("\r\n") + "\r\n").as_bytes());
}

fn config(_session: &mut Session, words: Words, replies: &mut Replies) {
    if !is(&words[1], "get") {
        return unknown_subcommand("CONFIG", &words[1], replies);
    }
    if words.len() == 2 {
        return wrong_number("config|get", replies);
    }
    let asked = |name| words[2..].iter().any(|word| is(word, name) || word == b"*");
    let told: Vec<_> = SETTINGS.iter().filter(|(name, _)| asked(name)).collect();
    replies.array(2 * told.len());
    for (name, value) in told {
        replies.bulk(name.as_bytes());
        replies.bulk(value.as_bytes());
    }
}

fn command(_session: &mut Session, words: Words, replies: &mut Replies) {
    match words.get(1) {
        None => replies.array(0),
        Some(word) if is(word, "docs") => replies.array(0),
        Some(word) if !is(word, "count") => unknown_subcommand("COMMAND", word, replies),
        Some(_) if words.len() > 2 => wrong_number("command|count", replies),
        Some(_) => replies.integer(COMMANDS.len()),
    }
}

fn debug(session: &mut Session, words: Words, replies: &mut Replies) {
    if !is(&words[1], "digest") {
        return unknown_subcommand("DEBUG", &words[1], replies);
    }
    if words.len() > 2 {
        return wrong_number("debug|digest", replies);
    }
    replies.simple(&format!("{:016x}", session.store.digest()));
}

fn quit(session: &mut Session, _words: Words, replies: &mut Replies) {
    session.open = false;
    replies.simple("OK");
}

/// Whether a word is that name, in any case.
fn is(word: &[u8], name: &str) -> bool {
    word.eq_ignore_ascii_case(name.as_bytes())
}

fn wrong_number(name: &str, replies: &mut Replies) {
    replies.error(format!("ERR wrong number of arguments for '{name}' command").as_bytes());
}

fn unknown_subcommand(name: &str, word: &[u8], replies: &mut Replies) {
    let end = format!("'. Try {name} HELP.");
    replies.error(
        &[b"ERR unknown subcommand '", cut(word, MOST_QUOTED_BYTES), end.as_bytes()].concat(),
    );
}

fn unknown(words: &Words, replies: &mut Replies) {
    let mut quoted = Vec::new();
    for word in &words[1..] {
        if quoted.len() >= MOST_QUOTED_BYTES {
            break;
        }
        let left = MOST_QUOTED_BYTES - quoted.len();
        quoted.extend([b"'", cut(word, left), b"' "].concat());
    }
    let name = cut(&words[0], MOST_QUOTED_BYTES);
    replies.error(
        &[b"ERR unknown command '", name, b"', with args beginning with: ", &quoted].concat(),
    );
}

fn cut(word: &[u8], most: usize) -> &[u8] {
    &word[..word.len().min(most)]
}
