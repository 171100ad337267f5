//! How the generator waits for the next instant, in three named modes.
//!
//! A timer's wake costs four to five times a request, and comes 20 to 30 µs
//! late on a virtual machine. So a mode chooses between few wakes (`economy`),
//! timers set a little ahead of need (`default`), and a bounded spin before
//! each instant (`precise`).

use crate::kernel::clock;

/// How exactly requests are sent, and at what cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// One wake a millisecond: what is due is sent together. Cheapest.
    Economy,
    /// One exact timer a request.
    Default,
    /// A timer set ahead, then a spin until the very instant.
    Precise,
}

/// A tick of `economy`, ns.
pub const TICK_NS: u64 = 1_000_000;

/// How far ahead of the instant `default` sets its timer, ns: half a wake's own
/// lateness on a virtual machine, which uses it up. What remains is spun, never
/// more than this.
const DEFAULT_LEAD_NS: u64 = 10_000;

/// The same for `precise`, ns: 99 wakes of 100 come within it, and it bounds the
/// spinning a request.
const PRECISE_LEAD_NS: u64 = 60_000;

impl Mode {
    /// The name on the command line and in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Economy => "economy",
            Self::Default => "default",
            Self::Precise => "precise",
        }
    }

    /// How long before an instant the generator should be awake, ns.
    pub fn lead_ns(self) -> u64 {
        match self {
            Self::Economy => 0,
            Self::Default => DEFAULT_LEAD_NS,
            Self::Precise => PRECISE_LEAD_NS,
        }
    }

    /// When to wake for an instant (both in ns since the run's start).
    #[inline]
    pub fn wake_ns(self, intended_ns: u64) -> u64 {
        match self {
            Self::Economy => intended_ns.div_ceil(TICK_NS) * TICK_NS,
            _ => intended_ns.saturating_sub(self.lead_ns()),
        }
    }
}

/// Reads the clock until an instant of CLOCK_MONOTONIC (ns) has come.
#[inline]
pub fn spin_until(instant_ns: u64) {
    while clock::monotonic_ns() < instant_ns {
        std::hint::spin_loop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn economy_wakes_on_its_grid_and_never_early() {
        assert_eq!(Mode::Economy.wake_ns(0), 0);
        assert_eq!(Mode::Economy.wake_ns(1), TICK_NS);
        assert_eq!(Mode::Economy.wake_ns(TICK_NS), TICK_NS);
        assert_eq!(Mode::Economy.wake_ns(TICK_NS + 1), 2 * TICK_NS);
    }

    #[test]
    fn exact_modes_wake_ahead_by_no_more_than_they_may_spin() {
        for mode in [Mode::Default, Mode::Precise] {
            assert_eq!(1_000_000 - mode.wake_ns(1_000_000), mode.lead_ns());
            assert_eq!(mode.wake_ns(5), 0);
        }
    }
}
