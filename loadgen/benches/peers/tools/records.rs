//! The generator's raw records (`--records`): one line of JSON that describes fixed-size
//! little-endian records, then the records.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::failure::{Doing, Failure};

const FORMAT: &str = "runfair-load records";
const VERSION: u64 = 1;

#[derive(Deserialize)]
struct Header {
    format: String,
    version: u64,
    record_bytes: usize,
    fields: Vec<Field>,
    start_monotonic_ns: u64,
}

#[derive(Deserialize)]
struct Field {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    offset: usize,
}

/// When each request that was sent was meant to go, in order of sending, on the monotonic clock.
///
/// # Errors
/// The file cannot be read, or is not as its header says.
pub fn intended_ns(path: &Path) -> Result<Vec<u64>, Failure> {
    let bytes = std::fs::read(path).doing(|| format!("read {}", path.display()))?;
    let wrong = |what: &str| Failure::Records {
        path: PathBuf::from(path),
        what: what.into(),
    };
    let line_end = memchr::memchr(b'\n', &bytes).ok_or_else(|| wrong("has no header line"))?;
    let header: Header = serde_json::from_slice(&bytes[..line_end])
        .map_err(|error| wrong(&format!("has an unreadable header: {error}")))?;
    if (header.format.as_str(), header.version) != (FORMAT, VERSION) {
        return Err(wrong("has another format or version"));
    }
    let records = &bytes[line_end + 1..];
    if header.record_bytes == 0 || records.len() % header.record_bytes != 0 {
        return Err(wrong("does not hold whole records"));
    }
    let offset_of = |name: &str| {
        header
            .fields
            .iter()
            .find(|field| field.name == name && field.kind == "u64")
            .map(|field| field.offset)
            .filter(|offset| offset + 8 <= header.record_bytes)
            .ok_or_else(|| wrong(&format!("has no field {name} of 64 bits")))
    };
    let (index_at, intended_at, sent_at) = (
        offset_of("index")?,
        offset_of("intended_ns")?,
        offset_of("sent_ns")?,
    );
    // 0 stands for one that was never sent. Requests sent at the same instant went in order of the schedule, hence the index.
    let mut sendings: Vec<(u64, u64, u64)> = records
        .chunks_exact(header.record_bytes)
        .map(|record| {
            (
                word(record, sent_at),
                word(record, index_at),
                word(record, intended_at),
            )
        })
        .filter(|&(sent_ns, ..)| sent_ns > 0)
        .collect();
    sendings.sort_unstable();
    Ok(sendings
        .into_iter()
        .map(|(_, _, intended_ns)| header.start_monotonic_ns + intended_ns)
        .collect())
}

fn word(record: &[u8], offset: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&record[offset..offset + 8]);
    u64::from_le_bytes(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = concat!(
        r#"{"format":"runfair-load records","version":1,"record_bytes":33,"fields":["#,
        r#"{"name":"kind","type":"u8","offset":0},{"name":"index","type":"u64","offset":1},"#,
        r#"{"name":"intended_ns","type":"u64","offset":9},{"name":"sent_ns","type":"u64","#,
        r#""offset":17},{"name":"done_ns","type":"u64","offset":25}],"#,
        r#""start_monotonic_ns":1000,"start_realtime_ns":7}"#,
        "\n"
    );

    fn read(header: &str, records: &[[u64; 4]], cut: usize) -> Result<Vec<u64>, Failure> {
        let mut bytes = header.as_bytes().to_vec();
        for record in records {
            bytes.push(0);
            bytes.extend(record.iter().flat_map(|word| word.to_le_bytes()));
        }
        bytes.truncate(bytes.len() - cut);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("records");
        std::fs::write(&path, bytes).unwrap();
        intended_ns(&path)
    }

    #[test]
    fn intended_instants_come_in_order_of_sending() {
        let unsent = [3, 300, 0, 0];
        let records = [
            [2, 200, 900, 950],
            [1, 100, 300, 800],
            unsent,
            [0, 0, 300, 700],
        ];
        assert_eq!(read(HEADER, &records, 0).unwrap(), [1_000, 1_100, 1_200]);
    }

    #[test]
    fn a_file_that_is_not_as_it_says_is_refused() {
        let records = [[0, 0, 1, 2]];
        assert!(read(HEADER, &records, 1).is_err());
        assert!(read(&HEADER.replace(":1,", ":2,"), &records, 0).is_err());
        assert!(read(&HEADER.replace("sent_ns", "went_ns"), &records, 0).is_err());
        assert!(read("no header", &[], 0).is_err());
    }
}
