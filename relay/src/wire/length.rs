//! How long the wire is declared to be, and what fits on it.

/// Bytes a nanosecond that a direction carries at least, so that the bound on its buffer
/// does not limit throughput: 2 GB/s, more than one thread copies.
const RATE_BYTES_PER_NS: u64 = 2;
/// The least that a direction may hold: the greatest receive buffer that Linux gives a TCP
/// socket by default is 6 MiB (tcp(7), tcp_rmem), of which a sixth keeps it moving.
const CAPACITY_LEAST_BYTES: u64 = 1 << 20;
/// The most that a direction may hold. From a round trip of 67 ms on it limits throughput,
/// to 64 MiB each half round trip.
const CAPACITY_MOST_BYTES: u64 = 64 << 20;

/// The declared round trip, and what follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// What a round trip takes longer than without the wire, ns.
    pub delay_ns: u64,
}

impl Length {
    /// What the way to the target takes longer, ns.
    pub fn there_ns(self) -> u64 {
        self.delay_ns / 2
    }

    /// What the way back takes longer, ns.
    pub fn back_ns(self) -> u64 {
        self.delay_ns - self.there_ns()
    }

    /// Bytes that may be under way in one direction of one connection; the sender of more
    /// is made to wait.
    pub fn capacity_bytes(self) -> usize {
        let rate_bound = self.back_ns().saturating_mul(RATE_BYTES_PER_NS);
        // At most 64 MiB, which fits.
        rate_bound.clamp(CAPACITY_LEAST_BYTES, CAPACITY_MOST_BYTES) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_ways_make_the_round_trip() {
        for delay_ns in [0, 1, 1_000_001, u64::MAX] {
            let length = Length { delay_ns };
            assert_eq!(length.there_ns() + length.back_ns(), delay_ns);
        }
    }

    #[test]
    fn the_buffers_are_bounded_whatever_the_delay() {
        let capacity = |delay_ns| Length { delay_ns }.capacity_bytes() as u64;
        assert_eq!(capacity(0), CAPACITY_LEAST_BYTES);
        assert_eq!(capacity(20_000_000), 20_000_000);
        assert_eq!(capacity(u64::MAX), CAPACITY_MOST_BYTES);
    }
}
