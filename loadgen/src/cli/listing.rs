//! A records file as CSV (RFC 4180): one line a request, for any tool that reads tables.
//!
//! The file says in its first line how its records lie, and only that is believed: a
//! later version with more fields reads as well.

use std::io::{self, BufRead, BufReader, Read, Write};

use anyhow::{anyhow, bail, Context};

use runfair_measuring::recording::record::Field;

use crate::recording::records::{Header, FORMAT, VERSION};

/// A first line longer than this is not one of ours: it has some 600 bytes.
const HEADER_BYTES_MAX: u64 = 65_536;
/// The field whose numbers have names.
const NAMED_FIELD: &str = "kind";

/// What an error of the file means.
const UNREAD: &str = "the records cannot be read";
/// What an error of the table's destination means.
const UNWRITTEN: &str = "the table cannot be written";

/// Prints every record of `file`, after a line of names, and returns their number.
///
/// # Errors
/// The file has no records, or a torn one; what was whole is printed first.
pub fn list_records(file: impl Read, out: &mut impl Write) -> anyhow::Result<u64> {
    let mut file = BufReader::new(file);
    let header = read_header(&mut file)?;
    let columns = header
        .fields
        .iter()
        .map(|field| Column::of(field, &header))
        .collect::<Result<Vec<_>, _>>()?;
    let names: Vec<&str> = header
        .fields
        .iter()
        .map(|field| field.name.as_str())
        .collect();
    writeln!(out, "{}", names.join(",")).context(UNWRITTEN)?;
    let record_bytes = header.record_bytes;
    let mut record = Vec::new();
    let mut whole = 0;
    loop {
        record.clear();
        let mut next = file.by_ref().take(record_bytes as u64);
        match next.read_to_end(&mut record).context(UNREAD)? {
            0 => break,
            have if have < record_bytes => {
                bail!(
                    "the last record is incomplete, with {have} of {record_bytes} bytes; the \
                     {whole} records before it were listed"
                );
            }
            _ => {}
        }
        let mut separator = "";
        for column in &columns {
            write!(out, "{separator}").context(UNWRITTEN)?;
            column.write(&record, out).context(UNWRITTEN)?;
            separator = ",";
        }
        writeln!(out).context(UNWRITTEN)?;
        whole += 1;
    }
    out.flush().context(UNWRITTEN)?;
    Ok(whole)
}

fn read_header(file: &mut impl BufRead) -> anyhow::Result<Header> {
    let mut line = Vec::new();
    file.take(HEADER_BYTES_MAX)
        .read_until(b'\n', &mut line)
        .context(UNREAD)?;
    let wrong = |why: String| Err(not_records(&why));
    if line.last() != Some(&b'\n') {
        return wrong("its first line has no end".to_owned());
    }
    let header: Header = match serde_json::from_slice(&line) {
        Ok(header) => header,
        Err(error) => return wrong(error.to_string()),
    };
    if header.format != FORMAT {
        return wrong(format!("its format is {:?}", header.format));
    }
    if header.version != VERSION {
        bail!(
            "these records have version {}, but this program reads version {VERSION}; use the \
             program that wrote the records",
            header.version
        );
    }
    if header.record_bytes == 0 || header.fields.is_empty() {
        return wrong("its records have no field".to_owned());
    }
    let plain = |name: &str| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    let names = header.fields.iter().map(|field| &field.name);
    match names.chain(&header.kinds).find(|name| !plain(name)) {
        Some(name) => wrong(format!("{name:?} is no name")),
        None => Ok(header),
    }
}

fn not_records(why: &str) -> anyhow::Error {
    anyhow!("this is not a file of runfair-load records ({why})")
}

/// Where a field lies, and what its numbers are called.
struct Column<'a> {
    offset: usize,
    bytes: usize,
    names: &'a [String],
}

impl<'a> Column<'a> {
    fn of(field: &Field, header: &'a Header) -> anyhow::Result<Self> {
        let bytes = match field.kind.as_str() {
            "u8" => 1,
            "u16" => 2,
            "u32" => 4,
            "u64" => 8,
            other => {
                let name = &field.name;
                return Err(not_records(&format!(
                    "its field {name} has the type {other:?}"
                )));
            }
        };
        match field.offset.checked_add(bytes) {
            Some(end) if end <= header.record_bytes => Ok(Self {
                offset: field.offset,
                bytes,
                names: if field.name == NAMED_FIELD {
                    &header.kinds
                } else {
                    &[]
                },
            }),
            _ => Err(not_records(&format!(
                "its field {} lies outside a record",
                field.name
            ))),
        }
    }

    fn write(&self, record: &[u8], out: &mut impl Write) -> io::Result<()> {
        let mut word = [0; 8];
        word[..self.bytes].copy_from_slice(&record[self.offset..self.offset + self.bytes]);
        let number = u64::from_le_bytes(word);
        let name = usize::try_from(number)
            .ok()
            .and_then(|number| self.names.get(number));
        match name {
            Some(name) => write!(out, "{name}"),
            None => write!(out, "{number}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::records::Record;
    use proptest::prelude::*;

    fn file(records: &[Record]) -> Vec<u8> {
        let mut bytes = Vec::new();
        Header::new("open", 5, 7).write(&mut bytes).unwrap();
        for record in records {
            bytes.extend_from_slice(&record.bytes());
        }
        bytes
    }

    fn listed(bytes: &[u8]) -> (String, anyhow::Result<u64>) {
        let mut out = Vec::new();
        let outcome = list_records(bytes, &mut out);
        (String::from_utf8(out).unwrap(), outcome)
    }

    fn records() -> [Record; 2] {
        let good = Record {
            index: u64::MAX,
            intended_ns: 1,
            free_ns: 2,
            sent_ns: 3,
            done_ns: 4,
            answer_bytes: 5,
            connection: 6,
            template: 7,
            status: 200,
            kind: 0,
            phase: 1,
            thread: 8,
        };
        let late = Record {
            index: 3,
            kind: 10,
            ..good
        };
        [good, late]
    }

    #[test]
    fn records_become_lines_with_names_for_kinds() {
        let (text, outcome) = listed(&file(&records()));
        assert_eq!(
            text,
            "index,intended_ns,free_ns,sent_ns,done_ns,answer_bytes,connection,template,status,\
             kind,phase,thread\n\
             18446744073709551615,1,2,3,4,5,6,7,200,good,1,8\n\
             3,1,2,3,4,5,6,7,200,timed_out,1,8\n"
        );
        assert_eq!(outcome.unwrap(), 2);
    }

    #[test]
    fn a_kind_without_a_name_is_its_number() {
        let mut record = records()[0];
        record.kind = 99;
        let (text, _) = listed(&file(&[record]));
        assert!(text.ends_with(",200,99,1,8\n"), "{text}");
    }

    #[test]
    fn a_torn_record_is_told_after_the_whole_ones() {
        let bytes = file(&records());
        let (text, outcome) = listed(&bytes[..bytes.len() - 10]);
        assert_eq!(text.lines().count(), 2);
        assert_eq!(
            outcome.unwrap_err().to_string(),
            "the last record is incomplete, with 54 of 64 bytes; the 1 records before it were \
             listed"
        );
    }

    #[test]
    fn what_is_no_records_file_says_why() {
        let edited = |from: &str, to: &str| {
            let text = String::from_utf8(file(&[])).unwrap();
            assert!(text.contains(from));
            text.replace(from, to).into_bytes()
        };
        for (bytes, why) in [
            (Vec::new(), "no end"),
            (
                b"hello\n".to_vec(),
                "this is not a file of runfair-load records",
            ),
            (b"{}\n".to_vec(), "missing field"),
            (
                edited("runfair-load records", "else"),
                "its format is \"else\"",
            ),
            (edited("\"version\":1", "\"version\":2"), "version 2"),
            (edited("\"u16\"", "\"f16\""), "the type \"f16\""),
            (edited("\"offset\":60", "\"offset\":63"), "outside a record"),
            (edited("\"kind\"", "\"=cmd()\""), "\"=cmd()\" is no name"),
            (
                edited("\"record_bytes\":64", "\"record_bytes\":0"),
                "no field",
            ),
        ] {
            let (text, outcome) = listed(&bytes);
            let message = outcome.unwrap_err().to_string();
            assert!(message.contains(why), "{message}");
            assert_eq!(text, "");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = listed(&bytes);
            let mut after_header = file(&[]);
            after_header.extend_from_slice(&bytes);
            let (text, _) = listed(&after_header);
            prop_assert_eq!(text.lines().count(), 1 + bytes.len() / 64);
        }
    }
}
