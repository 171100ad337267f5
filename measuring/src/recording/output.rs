//! A file that always stays valid. The bytes of one commit are either completely in the
//! file or not at all. A full disk ends the writing, but not the run.

use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::replacement::Replacement;

/// A file written in whole pieces.
pub struct Output {
    path: PathBuf,
    replacement: Replacement,
    pending: Vec<u8>,
    committed_bytes: u64,
    failure: Option<io::Error>,
}

impl Output {
    /// Creates the file beside an existing file, which stays until [`Self::take_place`].
    ///
    /// # Errors
    /// What the file system refuses.
    pub fn create(path: &Path) -> io::Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            replacement: Replacement::begin(path)?,
            pending: Vec::new(),
            committed_bytes: 0,
            failure: None,
        })
    }

    /// Moves the file to its path, in place of an existing file. If that fails, nothing is
    /// written, and [`Self::failure`] returns the reason.
    pub fn take_place(&mut self) {
        self.failure = self.replacement.take_place().err();
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the bytes since the last commit to the file. After a failure, the file ends
    /// with the last complete commit, all later bytes are dropped, and [`Self::failure`]
    /// returns the reason.
    pub fn commit(&mut self) {
        if self.failure.is_none() {
            let file = self.replacement.file();
            if let Err(error) = file.write_all(&self.pending) {
                self.failure = Some(error);
                // Cutting off a torn piece needs no room on a full disk; a device or a
                // pipe cannot be cut, and the first error is the one to tell.
                let _ = file
                    .set_len(self.committed_bytes)
                    .and_then(|()| file.seek(SeekFrom::Start(self.committed_bytes)));
            } else {
                self.committed_bytes += self.pending.len() as u64;
            }
        }
        self.pending.clear();
    }

    /// The reason why writing ended before the run.
    pub fn failure(&self) -> Option<&io::Error> {
        self.failure.as_ref()
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.pending.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_committed_is_in_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let mut output = Output::create(&path).unwrap();
        output.take_place();
        output.write_all(b"whole\n").unwrap();
        output.commit();
        output.write_all(b"torn").unwrap();
        drop(output);
        assert_eq!(std::fs::read(&path).unwrap(), b"whole\n");
    }

    #[test]
    fn a_full_disk_is_remembered_and_ends_the_writing() {
        let mut output = Output::create(Path::new("/dev/full")).unwrap();
        output.write_all(b"x").unwrap();
        output.commit();
        assert!(output.failure().is_some());
        output.write_all(b"y").unwrap();
        output.commit(); // no panic, no second attempt
        assert_eq!(output.committed_bytes, 0);
    }
}
