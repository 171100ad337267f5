//! Input: the files of `--input`, and the end of standard input.

use std::fs;
use std::io;
use std::path::Path;

use crate::failure::UserError;

/// The bytes of an input file.
pub fn read(path: &Path) -> Result<Vec<u8>, UserError> {
    fs::read(path).map_err(|error| UserError(format!("--input {path:?} cannot be read: {error}")))
}

/// Whether standard input has ended; takes what has come, and never waits.
pub(crate) fn standard_input_ended() -> bool {
    let mut input = libc::pollfd { fd: libc::STDIN_FILENO, events: libc::POLLIN, revents: 0 };
    // SAFETY: `input` is the one descriptor that the count speaks of.
    if unsafe { libc::poll(&mut input, 1, 0) } <= 0 {
        return false;
    }
    let mut taken = [0_u8; 4096];
    // SAFETY: `taken` is writable for the length given.
    let length = unsafe { libc::read(libc::STDIN_FILENO, taken.as_mut_ptr().cast(), taken.len()) };
    match length {
        0 => true,
        1.. => false,
        _ => !matches!(
            io::Error::last_os_error().kind(),
            io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock
        ),
    }
}
