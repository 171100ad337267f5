//! The folder of logs, and the queries that are asked.

use std::fs;

use runfair_harness::UserError;

use crate::archive::lines;
use crate::query::Query;

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

pub fn default_queries(workload: &str) -> Vec<Query> {
    let texts = if workload == "hadoop" { HADOOP } else { SPARK };
    texts.map(Query::new).into()
}

/// The queries of a file, one a line.
pub fn read_queries(path: &str) -> Result<Vec<Query>, UserError> {
    let named = format!("queries {path:?}");
    let content = fs::read(path).map_err(|_| {
        UserError(format!("{named} cannot be read; name a file of queries, one a line"))
    })?;
    let mut queries = Vec::new();
    for (line, number) in lines(&content).zip(1..) {
        let text = std::str::from_utf8(line)
            .ok()
            .filter(|text| text.bytes().all(|byte| matches!(byte, b' '..=b'~')))
            .ok_or_else(|| {
                UserError(format!("line {number} of {named}: a query is printable ASCII"))
            })?;
        if !text.is_empty() {
            queries.push(Query::new(text));
        }
    }
    if queries.is_empty() {
        return Err(UserError(format!("{named} holds no queries; write one a line")));
    }
    Ok(queries)
}

/// Paths of the files of a folder, in the order of their names.
pub fn log_files(folder: &str) -> Result<Vec<String>, UserError> {
    let unreadable = |error| UserError(format!("input {folder:?} cannot be read: {error}"));
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        // Through links, which an entry's own type does not tell.
        if !entry.path().is_file() {
            continue;
        }
        let name = entry.file_name();
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
    files.sort_unstable();
    Ok(files)
}
