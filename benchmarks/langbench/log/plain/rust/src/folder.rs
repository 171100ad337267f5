//! The input: a folder of logs, and a file of queries.

use std::fs;

use runfair_harness::UserError;

use crate::query::Query;

pub fn read_queries(path: &str) -> Result<Vec<Query>, UserError> {
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

pub fn log_files(folder: &str) -> Result<Vec<String>, UserError> {
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

pub fn lines_of(content: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<&[u8]> = content.split(|&byte| byte == b'\n').collect();
    if lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    lines
}
