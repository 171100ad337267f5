//! A file that is written beside the file that it will replace. The old file stays
//! unchanged until the new file is moved to its place.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file that is being written. If it is dropped before it is in its place, it is removed.
#[derive(Debug)]
pub struct Replacement {
    path: PathBuf,
    file: File,
    /// Where it is until it takes its place; `None` for what is written to directly.
    partial: Option<PathBuf>,
}

impl Replacement {
    /// Creates the file beside `path`; a device or a pipe is written to, not replaced.
    ///
    /// # Errors
    /// What the file system refuses: a folder that takes no file, a file that may not be
    /// written.
    pub fn begin(path: &Path) -> io::Result<Self> {
        if path.exists() && !path.is_file() {
            return Ok(Self {
                path: path.to_owned(),
                file: OpenOptions::new().write(true).open(path)?,
                partial: None,
            });
        }
        // Through a link, so that the file is replaced and not the link.
        let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if target.is_file() {
            // A file that must not be written must not be replaced.
            OpenOptions::new().write(true).open(&target)?;
        }
        let (file, partial) = beside(&target)?;
        Ok(Self {
            file,
            path: target,
            partial: Some(partial),
        })
    }

    /// The file itself.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Puts the file where it belongs; what is written later is written there.
    ///
    /// # Errors
    /// What the file system refuses.
    pub fn take_place(&mut self) -> io::Result<()> {
        if let Some(partial) = &self.partial {
            std::fs::rename(partial, &self.path)?;
            self.partial = None;
        }
        Ok(())
    }

    /// Writes the whole file and puts it where it belongs once it is on disk.
    ///
    /// # Errors
    /// Whatever `fill` or the file system fails with; what was there before stays.
    pub fn finish(
        mut self,
        fill: impl FnOnce(&mut BufWriter<&mut File>) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut out = BufWriter::new(&mut self.file);
        fill(&mut out)?;
        out.flush()?;
        drop(out);
        if self.partial.is_some() {
            self.file.sync_all()?;
        }
        self.take_place()
    }
}

/// Creates a new file beside `target`. An earlier process with the same number, as in a
/// container, may have been killed and have left its file; another name is taken then.
fn beside(target: &Path) -> io::Result<(File, PathBuf)> {
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}", std::process::id()));
    let mut tries = 0u64;
    loop {
        let mut name = name.clone();
        if tries > 0 {
            name.push(format!(".{tries}"));
        }
        name.push(".partial");
        let partial = target.with_file_name(name);
        match File::create_new(&partial) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => tries += 1,
            created => return created.map(|file| (file, partial)),
        }
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if let Some(partial) = &self.partial {
            // Whoever dropped it has a failure to tell that matters more.
            let _ = std::fs::remove_file(partial);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn names(folder: &Path) -> Vec<String> {
        fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }

    #[test]
    fn what_was_there_stays_until_its_place_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        fs::write(&path, "before").unwrap();
        let mut replacement = Replacement::begin(&path).unwrap();
        replacement.file().write_all(b"after").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"before");
        replacement.take_place().unwrap();
        replacement.file().write_all(b"wards").unwrap();
        drop(replacement);
        assert_eq!(fs::read(&path).unwrap(), b"afterwards");
        assert_eq!(names(folder.path()), ["run.json"]);
    }

    #[test]
    fn one_that_fails_half_way_leaves_what_was_there_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        fs::write(&path, "before").unwrap();
        let error = Replacement::begin(&path)
            .unwrap()
            .finish(|out| {
                out.write_all(b"half")?;
                Err(io::Error::other("no more room"))
            })
            .unwrap_err();
        assert_eq!(error.to_string(), "no more room");
        assert_eq!(fs::read(&path).unwrap(), b"before");
        assert_eq!(names(folder.path()), ["run.json"]);
    }

    #[test]
    fn what_an_earlier_process_of_the_same_number_left_is_in_nobodys_way() {
        // In a container, every run has the same number.
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        let number = std::process::id();
        let left = [
            format!("run.json.{number}.1.partial"),
            format!("run.json.{number}.partial"),
        ];
        for name in &left {
            fs::write(folder.path().join(name), "killed").unwrap();
        }
        let replacement = Replacement::begin(&path).unwrap();
        replacement.finish(|out| out.write_all(b"after")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"after");
        for name in &left {
            assert_eq!(fs::read(folder.path().join(name)).unwrap(), b"killed");
        }
    }

    #[test]
    fn a_link_stays_one() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("run.json"), folder.path().join("last"));
        fs::write(&path, "before").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let replacement = Replacement::begin(&link).unwrap();
        replacement.finish(|out| out.write_all(b"after")).unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(&path).unwrap(), b"after");
    }

    #[test]
    fn what_cannot_be_written_is_told_at_once() {
        let folder = tempfile::tempdir().unwrap();
        Replacement::begin(&folder.path().join("absent/run.json")).unwrap_err();
        Replacement::begin(Path::new("/proc/run.json")).unwrap_err();
        let full = Replacement::begin(Path::new("/dev/full")).unwrap();
        let error = full.finish(|out| out.write_all(b"x")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }
}
