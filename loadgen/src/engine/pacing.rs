//! The three modes in which the generator waits for the next instant.
//!
//! A wake by a timer costs four to five times as much as a request, and comes 20 to 30 µs
//! late on a virtual machine. `economy` therefore uses few wakes, `default` sets timers
//! earlier by the usual lateness, and `precise` spins for a bounded time before each
//! instant.

use crate::judgement::evidence::Mode;
use crate::kernel::clock;

/// A tick of `economy`, ns.
pub const TICK_NS: u64 = 1_000_000;

/// The most that `default` sets its timer ahead, ns, and so the most that it spins
/// before a request.
const DEFAULT_LEAD_NS: u64 = 30_000;

/// How far `default` begins with, ns: half a wake's own lateness on a virtual machine.
const FIRST_LEAD_NS: u64 = 10_000;

/// By how much a wake moves the lead of `default`, ns.
const LEAD_STEP_NS: u64 = 100;

/// How far `precise` sets its timer ahead, ns: 99 wakes of 100 come within it, and it
/// bounds the spinning a request.
const PRECISE_LEAD_NS: u64 = 60_000;

/// How far ahead of an instant the timer is set, which a wake's own lateness uses up;
/// what remains is spun.
///
/// `default` follows the median lateness of its wakes, so that half of its requests go
/// at their very instant and little is spun: by a small step up after each wake that was
/// later, and down after each that was not (Frugal-1U: Ma, Muthukrishnan and Sandler,
/// "Frugal Streaming for Estimating Quantiles", 2013).
#[derive(Clone, Copy, Debug)]
pub struct Lead {
    mode: Mode,
    ns: u64,
}

impl Lead {
    /// The lead that a mode begins with.
    pub fn of(mode: Mode) -> Self {
        let ns = match mode {
            Mode::Economy => 0,
            Mode::Default => FIRST_LEAD_NS,
            Mode::Precise => PRECISE_LEAD_NS,
        };
        Self { mode, ns }
    }

    /// How far ahead it is now, ns.
    #[inline]
    pub fn ns(self) -> u64 {
        self.ns
    }

    /// When to wake for an instant (both in ns since the run's start).
    #[inline]
    pub fn wake_ns(self, intended_ns: u64) -> u64 {
        match self.mode {
            Mode::Economy => intended_ns.div_ceil(TICK_NS) * TICK_NS,
            Mode::Default | Mode::Precise => intended_ns.saturating_sub(self.ns),
        }
    }

    /// A timer's wake came so much later than it was set for, ns.
    #[inline]
    pub fn learn(&mut self, late_ns: u64) {
        if self.mode == Mode::Default {
            self.ns = if late_ns > self.ns {
                (self.ns + LEAD_STEP_NS).min(DEFAULT_LEAD_NS)
            } else {
                self.ns.saturating_sub(LEAD_STEP_NS)
            };
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
        let lead = Lead::of(Mode::Economy);
        assert_eq!(lead.wake_ns(0), 0);
        assert_eq!(lead.wake_ns(1), TICK_NS);
        assert_eq!(lead.wake_ns(TICK_NS), TICK_NS);
        assert_eq!(lead.wake_ns(TICK_NS + 1), 2 * TICK_NS);
    }

    #[test]
    fn exact_modes_wake_ahead_by_no_more_than_they_may_spin() {
        for mode in [Mode::Default, Mode::Precise] {
            let lead = Lead::of(mode);
            assert_eq!(1_000_000 - lead.wake_ns(1_000_000), lead.ns());
            assert_eq!(lead.wake_ns(5), 0);
        }
    }

    /// The lead after wakes as late as these, over and over.
    fn lead_after(mode: Mode, lateness_ns: &[u64]) -> u64 {
        let mut lead = Lead::of(mode);
        for late_ns in lateness_ns.iter().cycle().take(10_000) {
            lead.learn(*late_ns);
        }
        lead.ns()
    }

    #[test]
    fn default_follows_the_median_of_its_wakes() {
        let shapes: [(&[u64], u64); 3] = [
            (&[17_000], 17_000),
            (&[2_000, 3_000, 4_000, 90_000, 1_000], 3_000),
            (&[0], 0),
        ];
        for (lateness_ns, median_ns) in shapes {
            let lead_ns = lead_after(Mode::Default, lateness_ns);
            assert!(lead_ns.abs_diff(median_ns) <= 3 * LEAD_STEP_NS, "{lead_ns}");
        }
    }

    #[test]
    fn default_never_spins_longer_than_its_bound_and_precise_always_as_long() {
        assert_eq!(lead_after(Mode::Default, &[500_000]), DEFAULT_LEAD_NS);
        assert_eq!(lead_after(Mode::Precise, &[0, 500_000]), PRECISE_LEAD_NS);
    }
}
