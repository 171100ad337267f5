//! The limit of files that this process may open.

use std::io;

/// The number of descriptors that are needed in addition to the connections: standard
/// streams, epoll instances, output files, schedstat, name resolution.
const BESIDES: u64 = 64;

/// Makes room for this number of connections by raising the soft limit.
///
/// # Errors
/// The hard limit is too low; the error contains it.
pub fn make_room(connections: u64) -> io::Result<()> {
    let needed = connections + BESIDES;
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: `limit` outlives both calls.
    unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) };
    if limit.rlim_cur >= needed {
        return Ok(());
    }
    if limit.rlim_max < needed {
        return Err(io::Error::other(format!(
            "{connections} connections need {needed} file descriptors, but the limit is {}; \
             raise the limit with `ulimit -n {needed}` as root, or use fewer connections",
            limit.rlim_max
        )));
    }
    limit.rlim_cur = needed;
    // SAFETY: as above.
    if unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn more_than_the_hard_limit_is_one_line_that_says_what_to_do() {
        let error = super::make_room(u64::MAX / 2).unwrap_err().to_string();
        assert!(error.contains("ulimit -n") && !error.contains('\n'));
    }
}
