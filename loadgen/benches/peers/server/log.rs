//! The log of arrivals: written to memory that is already there, to disk only at the end.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

/// Bytes of one entry on disk: three little-endian words of 64 bits.
const ENTRY_BYTES: usize = 24;

/// One request as the server saw it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrival {
    /// When it arrived: the kernel's stamp, on the monotonic clock, nanoseconds.
    pub arrival_ns: u64,
    /// When its answer had been written, on the monotonic clock, nanoseconds.
    pub written_ns: u64,
    /// Which connection, counted from 0 in order of acceptance.
    pub connection: u64,
}

/// A log with room for so many entries, every page of it touched beforehand so that logging never
/// waits for the kernel to find memory.
pub struct Log {
    entries: Vec<Arrival>,
    used: usize,
    unlogged: u64,
}

impl Log {
    /// Room for `capacity` entries.
    pub fn with_capacity(capacity: usize) -> Self {
        // A value other than zero, or the pages would stay untouched.
        let untouched = Arrival {
            arrival_ns: u64::MAX,
            written_ns: u64::MAX,
            connection: u64::MAX,
        };
        Self {
            entries: vec![untouched; capacity],
            used: 0,
            unlogged: 0,
        }
    }

    /// Adds an entry, or counts it as unlogged when the log is full.
    #[inline]
    pub fn push(&mut self, arrival: Arrival) {
        match self.entries.get_mut(self.used) {
            Some(entry) => {
                *entry = arrival;
                self.used += 1;
            }
            None => self.unlogged += 1,
        }
    }

    /// Requests for which there was no room.
    pub fn unlogged(&self) -> u64 {
        self.unlogged
    }

    /// What has been logged; arrivals still on the realtime clock are moved by `offset_ns`.
    pub fn into_entries(mut self, realtime_offset_ns: i64) -> Vec<Arrival> {
        self.entries.truncate(self.used);
        for entry in &mut self.entries {
            entry.arrival_ns = entry.arrival_ns.wrapping_add_signed(-realtime_offset_ns);
        }
        self.entries
    }
}

/// Writes entries to a new file.
pub fn write(path: &Path, entries: &[Arrival]) -> io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    for entry in entries {
        file.write_all(&entry.arrival_ns.to_le_bytes())?;
        file.write_all(&entry.written_ns.to_le_bytes())?;
        file.write_all(&entry.connection.to_le_bytes())?;
    }
    file.flush()
}

/// Reads a file of entries, in order of arrival.
pub fn read(path: &Path) -> io::Result<Vec<Arrival>> {
    let mut file = BufReader::new(File::open(path)?);
    let mut entries = Vec::new();
    let mut entry = [0; ENTRY_BYTES];
    loop {
        match file.read_exact(&mut entry) {
            Ok(()) => entries.push(Arrival {
                arrival_ns: word(&entry, 0),
                written_ns: word(&entry, 8),
                connection: word(&entry, 16),
            }),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => break,
            Err(error) => return Err(error),
        }
    }
    // The server reads connection by connection: after a pause the order of its log is not that
    // of the arrivals. The sort is stable, so that equal stamps keep the server's order.
    entries.sort_by_key(|entry| entry.arrival_ns);
    Ok(entries)
}

fn word(entry: &[u8; ENTRY_BYTES], offset: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&entry[offset..offset + 8]);
    u64::from_le_bytes(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_comes_back_in_order_of_arrival() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("arrivals");
        let mut log = Log::with_capacity(2);
        for (arrival_ns, connection) in [(2_000, 7), (1_000, 8), (3_000, 9)] {
            log.push(Arrival {
                arrival_ns,
                written_ns: 5_000,
                connection,
            });
        }
        assert_eq!(log.unlogged(), 1);
        write(&path, &log.into_entries(500)).unwrap();
        let read: Vec<_> = read(&path)
            .unwrap()
            .iter()
            .map(|entry| (entry.arrival_ns, entry.written_ns, entry.connection))
            .collect();
        assert_eq!(read, [(500, 5_000, 8), (1_500, 5_000, 7)]);
    }
}
