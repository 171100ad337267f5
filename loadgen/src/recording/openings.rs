//! The times that connections took to open.

use hdrhistogram::Histogram;

use runfair_measuring::recording::histogram::histogram;

/// One connection that opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Opening {
    /// From the attempt until the socket was connected, ns.
    pub connect_ns: u64,
    /// The time from then until the TLS handshake was complete, in ns. Without TLS it is
    /// almost 0.
    pub handshake_ns: u64,
}

/// All connections that opened.
pub struct Openings {
    /// Attempt → connected.
    pub connect: Histogram<u64>,
    /// Connected → TLS agreed.
    pub handshake: Histogram<u64>,
}

impl Default for Openings {
    fn default() -> Self {
        Self {
            connect: histogram(),
            handshake: histogram(),
        }
    }
}

impl Openings {
    /// Adds some.
    pub fn add(&mut self, openings: &[Opening]) {
        for opening in openings {
            self.connect.saturating_record(opening.connect_ns);
            self.handshake.saturating_record(opening.handshake_ns);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_opening_is_in_both() {
        let mut openings = Openings::default();
        openings.add(&[
            Opening {
                connect_ns: 1_000,
                handshake_ns: 5_000,
            },
            Opening {
                connect_ns: 2_000,
                handshake_ns: 9_000,
            },
        ]);
        assert_eq!((openings.connect.len(), openings.handshake.len()), (2, 2));
        assert_eq!(openings.connect.max(), 2_000);
        assert!(openings.handshake.min() <= 5_000 && openings.handshake.max() >= 9_000);
    }
}
