//! The width of the terminal.

/// The columns of the terminal on standard output, otherwise on standard error; `None` if
/// neither is a terminal.
pub fn columns() -> Option<usize> {
    [libc::STDOUT_FILENO, libc::STDERR_FILENO]
        .into_iter()
        .find_map(|descriptor| {
            let mut size = libc::winsize {
                ws_row: 0,
                ws_col: 0,
                ws_xpixel: 0,
                ws_ypixel: 0,
            };
            // SAFETY: `size` outlives the call.
            let code = unsafe { libc::ioctl(descriptor, libc::TIOCGWINSZ, &raw mut size) };
            (code == 0 && size.ws_col > 0).then_some(usize::from(size.ws_col))
        })
}
