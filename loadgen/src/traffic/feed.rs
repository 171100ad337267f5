//! Rows of values from a file, such as users and their tokens: `${feed:NAME}` is a row's value in
//! the column of that name.

use std::path::Path;

use clap::ValueEnum;
use percent_encoding::{percent_encode, AsciiSet, NON_ALPHANUMERIC};
use sha2::{Digest, Sha256};

use crate::schedule::{Draws, Stream};

/// All that a path's segment or a query's value cannot hold as it is (RFC 3986, section 2.3).
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Which row a request gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FeedOrder {
    /// In the order of the file, each row once
    File,
    /// At random, by the seed
    Random,
}

/// Where in a request a value stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Its path: reserved characters are percent-encoded.
    Path,
    /// A header: control characters are refused.
    Header,
    /// Its body: everything as it is.
    Body,
}

/// Why a file holds no rows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the texts say it")]
pub enum FeedError {
    #[error("--feed {path}: cannot be read: {reason}")]
    Unreadable { path: String, reason: String },
    #[error("--feed {path}: name a .csv file, whose first line names the columns, or a .jsonl file with a JSON object on each line")]
    Format { path: String },
    #[error("--feed {path} contains no row")]
    Empty { path: String },
    #[error("--feed {path}:{line}: {message}")]
    Line {
        path: String,
        line: u64,
        message: String,
    },
}

/// A row of the file: where it stands, and its values in the order of the columns.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    line: u64,
    values: Vec<String>,
}

/// The rows of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Feed {
    path: String,
    sha256: [u8; 32],
    columns: Vec<String>,
    rows: Vec<Row>,
    order: FeedOrder,
    draws: Draws,
}

/// One column, ready for its place in a request.
#[derive(Clone, Debug)]
pub(super) struct Column {
    values: Vec<Box<[u8]>>,
    order: FeedOrder,
    draws: Draws,
}

impl Column {
    /// The value of request `index`. A request beyond the last row is refused before the run.
    #[inline]
    pub fn value(&self, index: u64) -> &[u8] {
        let rows = self.values.len() as u64;
        let row = match self.order {
            FeedOrder::File => index % rows,
            FeedOrder::Random => self.draws.below(index, rows),
        };
        &self.values[row as usize]
    }
}

impl Feed {
    /// Reads a file whole.
    ///
    /// # Errors
    /// [`FeedError`], with the line where it has one.
    pub fn read(path: &Path, order: FeedOrder, seed: u64) -> Result<Self, FeedError> {
        let name = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|error| FeedError::Unreadable {
            path: name.clone(),
            reason: error.to_string(),
        })?;
        let (columns, rows) = match path.extension().and_then(|ending| ending.to_str()) {
            Some("csv") => csv_rows(&name, &bytes)?,
            Some("jsonl") => json_rows(&name, &bytes)?,
            _ => return Err(FeedError::Format { path: name }),
        };
        if rows.is_empty() {
            return Err(FeedError::Empty { path: name });
        }
        Ok(Self {
            path: name,
            sha256: Sha256::digest(&bytes).into(),
            columns,
            rows,
            order,
            draws: Draws::new(seed, Stream::Feed),
        })
    }

    /// How many rows there are.
    pub fn rows(&self) -> u64 {
        self.rows.len() as u64
    }

    /// Which row a request gets.
    pub fn order(&self) -> FeedOrder {
        self.order
    }

    /// The digest of the file's bytes.
    pub fn sha256(&self) -> &[u8; 32] {
        &self.sha256
    }

    /// The names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// A column's values for a place in a request; `None`: there is no such column.
    ///
    /// # Errors
    /// The line of a value that cannot stand there.
    pub(super) fn column(&self, name: &str, place: Place) -> Option<Result<Column, FeedError>> {
        let number = self.columns.iter().position(|column| column == name)?;
        let values = self
            .rows
            .iter()
            .map(|row| self.placed(row, number, place))
            .collect::<Result<_, _>>();
        Some(values.map(|values| Column {
            values,
            order: self.order,
            draws: self.draws,
        }))
    }

    fn placed(&self, row: &Row, number: usize, place: Place) -> Result<Box<[u8]>, FeedError> {
        let value = row.values[number].as_bytes();
        match place {
            Place::Path => Ok(percent_encode(value, RESERVED)
                .to_string()
                .into_bytes()
                .into()),
            Place::Header
                if value
                    .iter()
                    .any(|byte| byte.is_ascii_control() && *byte != b'\t') =>
            {
                Err(FeedError::Line {
                    path: self.path.clone(),
                    line: row.line,
                    message: format!(
                        "{:?} holds a control character, which would end or break a header",
                        self.columns[number]
                    ),
                })
            }
            Place::Header | Place::Body => Ok(value.into()),
        }
    }
}

fn csv_rows(path: &str, bytes: &[u8]) -> Result<(Vec<String>, Vec<Row>), FeedError> {
    let wrong = |error: csv::Error| FeedError::Line {
        path: path.to_owned(),
        line: error.position().map_or(1, csv::Position::line),
        message: error.to_string(),
    };
    let mut reader = csv::Reader::from_reader(bytes);
    let columns = reader.headers().map_err(wrong)?;
    let columns = columns.iter().map(str::to_owned).collect();
    let rows = reader
        .records()
        .map(|record| {
            let record = record.map_err(wrong)?;
            Ok(Row {
                line: record.position().map_or(1, csv::Position::line),
                values: record.iter().map(str::to_owned).collect(),
            })
        })
        .collect::<Result<_, _>>()?;
    Ok((columns, rows))
}

/// Texts as they are, other values as JSON writes them. All rows have the fields of the first.
fn json_rows(path: &str, bytes: &[u8]) -> Result<(Vec<String>, Vec<Row>), FeedError> {
    let mut columns: Vec<String> = Vec::new();
    let mut rows = Vec::new();
    for (line, text) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        if text.trim_ascii().is_empty() {
            continue;
        }
        let wrong = |message: String| FeedError::Line {
            path: path.to_owned(),
            line,
            message,
        };
        let object: serde_json::Map<String, serde_json::Value> =
            serde_json::from_slice(text).map_err(|error| wrong(format!("no object: {error}")))?;
        if object.is_empty() {
            return Err(wrong("the row has no value".to_owned()));
        }
        if columns.is_empty() {
            columns = object.keys().cloned().collect();
        }
        let values = columns
            .iter()
            .map(|column| match object.get(column) {
                Some(serde_json::Value::String(text)) => Ok(text.clone()),
                Some(value) => Ok(value.to_string()),
                None => Err(wrong(format!(
                    "the row has no {column:?}, which the first row has"
                ))),
            })
            .collect::<Result<_, _>>()?;
        rows.push(Row { line, values });
    }
    Ok((columns, rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str, order: FeedOrder) -> Result<Feed, FeedError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        Feed::read(&path, order, 1)
    }

    fn values(feed: &Feed, name: &str, place: Place, requests: u64) -> Vec<String> {
        let column = feed.column(name, place).unwrap().unwrap();
        let text = |index| String::from_utf8(column.value(index).to_vec()).unwrap();
        (0..requests).map(text).collect()
    }

    #[test]
    fn both_formats_hold_the_same_rows() {
        let csv = "user,token\nann,\"a, b\"\n\"b\"\"c\",7\n";
        let json = "{\"user\": \"ann\", \"token\": \"a, b\"}\n\n{\"token\": 7, \"user\": \"b\\\"c\", \"more\": []}\n";
        for (name, text) in [("f.csv", csv), ("f.jsonl", json)] {
            let feed = read(name, text, FeedOrder::File).unwrap();
            assert_eq!(feed.rows(), 2);
            assert_eq!(values(&feed, "user", Place::Body, 2), ["ann", "b\"c"]);
            assert_eq!(values(&feed, "token", Place::Header, 2), ["a, b", "7"]);
            assert_eq!(values(&feed, "token", Place::Path, 2), ["a%2C%20b", "7"]);
            assert!(feed.column("User", Place::Body).is_none());
        }
    }

    #[test]
    fn rows_are_drawn_whole_and_by_the_seed() {
        let lines: String = (0..50).map(|row| format!("{row},{row}\n")).collect();
        let feed = read("f.csv", &format!("a,b\n{lines}"), FeedOrder::Random).unwrap();
        let drawn = values(&feed, "a", Place::Body, 500);
        assert_eq!(drawn, values(&feed, "b", Place::Path, 500));
        let distinct: std::collections::BTreeSet<_> = drawn.iter().collect();
        assert!(distinct.len() > 40, "{distinct:?}");
        assert_ne!(drawn[..50], values(&feed, "a", Place::Body, 100)[50..]);
    }

    #[test]
    fn what_holds_no_rows_says_where() {
        for (name, text, says) in [
            ("f.csv", "a,b\n", "contains no row"),
            ("f.jsonl", "\n", "contains no row"),
            ("f.txt", "a\n1\n", ".csv file"),
            ("f.csv", "a,b\n1,2\n3\n", "f.csv:3: "),
            (
                "f.jsonl",
                "{\"a\": 1}\n{\"b\": 1}\n",
                "f.jsonl:2: the row has no \"a\"",
            ),
            ("f.jsonl", "{\"a\": 1}\n[1]\n", "f.jsonl:2: no object"),
            (
                "f.jsonl",
                "{}\n{\"a\": 1}\n",
                "f.jsonl:1: the row has no value",
            ),
        ] {
            let error = read(name, text, FeedOrder::File).unwrap_err().to_string();
            assert!(error.contains(says) && !error.contains('\n'), "{error}");
        }
        let feed = read("f.jsonl", "{\"a\": \"x\\r\\ny\"}\n", FeedOrder::File).unwrap();
        let error = feed.column("a", Place::Header).unwrap().unwrap_err();
        assert!(
            error
                .to_string()
                .contains("f.jsonl:1: \"a\" holds a control"),
            "{error}"
        );
        assert_eq!(values(&feed, "a", Place::Path, 1), ["x%0D%0Ay"]);
    }
}
