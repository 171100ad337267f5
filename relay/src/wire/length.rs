//! The declared round trip, and the number of bytes that may be in flight.

/// The least throughput of a direction in bytes per nanosecond. It is 2 GB/s, more than one
/// thread can copy, so the limit of the buffer does not limit throughput.
const RATE_BYTES_PER_NS: u64 = 2;
/// The least capacity of a direction. The default maximum of a TCP socket's receive buffer on
/// Linux is 6 MiB (tcp(7), tcp_rmem). A sixth of it is enough for continuous transfer.
const CAPACITY_LEAST_BYTES: u64 = 1 << 20;
/// The greatest capacity of a direction. For round trips of 67 ms and more, it limits the
/// throughput to 64 MiB per half round trip.
const CAPACITY_MOST_BYTES: u64 = 64 << 20;

/// The declared round trip, and the values that follow from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// The time that is added to a round trip, in ns.
    pub delay_ns: u64,
}

impl Length {
    /// The time that is added on the way to the target, in ns.
    pub fn there_ns(self) -> u64 {
        self.delay_ns / 2
    }

    /// The time that is added on the way back, in ns.
    pub fn back_ns(self) -> u64 {
        self.delay_ns - self.there_ns()
    }

    /// The number of bytes that may be in flight in one direction of one connection. If a
    /// sender sends more, it must wait.
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
