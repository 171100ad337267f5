//! The limit of files that this process may open.

use std::io;

use nix::sys::resource::{getrlimit, setrlimit, Resource};

/// The number of descriptors that are needed in addition to those of connections and threads:
/// standard streams, output files, schedstat, name resolution.
const BESIDES: u64 = 64;

/// Makes room for this number of connections, and for an epoll instance of each thread, by raising
/// the soft limit.
///
/// # Errors
/// The hard limit is too low; the error contains it.
pub fn make_room(connections: u64, threads: u64) -> io::Result<()> {
    let needed = connections + threads + BESIDES;
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    if soft >= needed {
        return Ok(());
    }
    if hard < needed {
        return Err(io::Error::other(format!(
            "{connections} connections need {needed} file descriptors, but the limit is {hard}; \
             raise the limit with `ulimit -n {needed}` as root, or use fewer connections"
        )));
    }
    Ok(setrlimit(Resource::RLIMIT_NOFILE, needed, hard)?)
}

/// Raises the soft limit to the hard limit, if the system permits it.
pub fn raise() {
    if let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) {
        if soft < hard {
            // If this fails, fewer connections are possible.
            let _ = setrlimit(Resource::RLIMIT_NOFILE, hard, hard);
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn more_than_the_hard_limit_is_one_line_that_says_what_to_do() {
        let error = super::make_room(u64::MAX / 2, 1).unwrap_err().to_string();
        assert!(error.contains("ulimit -n") && !error.contains('\n'));
    }
}
