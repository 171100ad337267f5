//! Reads the kernel's counters of a TCP connection's lost and overtaken segments.

use std::os::fd::RawFd;

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
        // SAFETY: all zero is a valid tcp_info, which has only numbers.
        let mut info: libc::tcp_info = unsafe { std::mem::zeroed() };
        let mut length = size_of_val(&info) as libc::socklen_t;
        // SAFETY: the kernel writes at most `length` bytes into `info`.
        let code = unsafe {
            libc::getsockopt(
                descriptor,
                libc::IPPROTO_TCP,
                libc::TCP_INFO,
                (&raw mut info).cast(),
                &raw mut length,
            )
        };
        if code < 0 {
            return Self::default();
        }
        Self {
            retransmitted: info.tcpi_total_retrans.into(),
            out_of_order: info.tcpi_rcv_ooopack.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::offset_of;
    use std::net::{TcpListener, TcpStream};
    use std::os::fd::AsRawFd;

    #[test]
    fn a_loopback_connection_loses_nothing() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        assert_eq!(Losses::of(stream.as_raw_fd()), Losses::default());
    }

    #[test]
    fn the_counters_lie_where_linux_has_them() {
        assert_eq!(offset_of!(libc::tcp_info, tcpi_total_retrans), 100);
        assert_eq!(offset_of!(libc::tcp_info, tcpi_rcv_ooopack), 224);
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
