//! Reads the kernel's counters of a TCP connection's lost and overtaken segments.

use std::os::fd::RawFd;

/// The offsets of the counters in `struct tcp_info` (linux/tcp.h). New versions add fields
/// only at its end.
const TOTAL_RETRANSMITTED: usize = 100;
const OUT_OF_ORDER: usize = 224;
const INFO_BYTES: usize = 232;

/// The counts of segments of one connection or of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// Segments that this host sent again.
    pub retransmitted: u64,
    /// Segments that were received after a gap, because an earlier segment was lost or
    /// overtaken.
    pub out_of_order: u64,
}

impl Losses {
    /// Adds the counts of another connection.
    pub fn add(&mut self, other: Self) {
        self.retransmitted += other.retransmitted;
        self.out_of_order += other.out_of_order;
    }

    /// The difference to earlier counts of the same connection.
    pub fn since(self, earlier: Self) -> Self {
        Self {
            retransmitted: self.retransmitted.saturating_sub(earlier.retransmitted),
            out_of_order: self.out_of_order.saturating_sub(earlier.out_of_order),
        }
    }

    /// The counts of a connection so far. They are 0 if the socket is not a TCP socket, or
    /// if the kernel does not report them (segments out of order are counted since Linux
    /// 5.4).
    pub fn of(descriptor: RawFd) -> Self {
        let mut info = [0u8; INFO_BYTES];
        let mut length = INFO_BYTES as libc::socklen_t;
        // SAFETY: the kernel writes at most `length` bytes into `info`.
        let code = unsafe {
            libc::getsockopt(
                descriptor,
                libc::IPPROTO_TCP,
                libc::TCP_INFO,
                info.as_mut_ptr().cast(),
                &raw mut length,
            )
        };
        if code < 0 {
            return Self::default();
        }
        let counter = |offset: usize| {
            let word: [u8; 4] = std::array::from_fn(|byte| info[offset + byte]);
            u64::from(u32::from_ne_bytes(word))
        };
        Self {
            retransmitted: counter(TOTAL_RETRANSMITTED),
            out_of_order: counter(OUT_OF_ORDER),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};
    use std::os::fd::AsRawFd;

    #[test]
    fn a_loopback_connection_loses_nothing() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        assert_eq!(Losses::of(stream.as_raw_fd()), Losses::default());
    }

    #[test]
    fn a_file_has_no_segments() {
        let file = tempfile::tempfile().unwrap();
        assert_eq!(Losses::of(file.as_raw_fd()), Losses::default());
    }

    #[test]
    fn only_what_is_new_counts() {
        let losses = |retransmitted, out_of_order| Losses {
            retransmitted,
            out_of_order,
        };
        assert_eq!(losses(5, 3).since(losses(2, 3)), losses(3, 0));
    }
}
