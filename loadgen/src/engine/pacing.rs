//! The three modes in which the generator waits for the next instant.
//!
//! A wake by a timer costs four to five times as much as a request, and comes 20 to 30 µs
//! late on a virtual machine. `economy` therefore uses few wakes, `default` sets timers
//! earlier by the usual lateness, and `precise` spins for a bounded time before each
//! instant.

use runfair_measuring::lead::Lead;

use crate::judgement::evidence::Mode;

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

/// The lead that a mode begins with. `default` follows the median lateness of its wakes, so that
/// half of its requests go at their very instant and little is spun.
pub fn lead(mode: Mode) -> Lead {
    match mode {
        Mode::Economy => Lead::fixed(0),
        Mode::Default => {
            Lead::following(FIRST_LEAD_NS, (LEAD_STEP_NS, LEAD_STEP_NS), DEFAULT_LEAD_NS)
        }
        Mode::Precise => Lead::fixed(PRECISE_LEAD_NS),
    }
}

/// When to wake for an instant (both in ns since the run's start).
#[inline]
pub fn wake_ns(mode: Mode, lead: Lead, intended_ns: u64) -> u64 {
    match mode {
        Mode::Economy => intended_ns.div_ceil(TICK_NS) * TICK_NS,
        Mode::Default | Mode::Precise => intended_ns.saturating_sub(lead.ns()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn economy_wakes_on_its_grid_and_never_early() {
        let wake = |intended_ns| wake_ns(Mode::Economy, lead(Mode::Economy), intended_ns);
        assert_eq!(wake(0), 0);
        assert_eq!(wake(1), TICK_NS);
        assert_eq!(wake(TICK_NS), TICK_NS);
        assert_eq!(wake(TICK_NS + 1), 2 * TICK_NS);
    }

    #[test]
    fn exact_modes_wake_ahead_by_no_more_than_they_may_spin() {
        for mode in [Mode::Default, Mode::Precise] {
            let lead = lead(mode);
            assert_eq!(1_000_000 - wake_ns(mode, lead, 1_000_000), lead.ns());
            assert_eq!(wake_ns(mode, lead, 5), 0);
        }
    }

    #[test]
    fn default_never_spins_longer_than_its_bound_and_precise_always_as_long() {
        for (mode, late_ns, expected_ns) in [
            (Mode::Default, 500_000, DEFAULT_LEAD_NS),
            (Mode::Precise, 500_000, PRECISE_LEAD_NS),
            (Mode::Precise, 0, PRECISE_LEAD_NS),
        ] {
            let mut lead = lead(mode);
            for _ in 0..10_000 {
                lead.learn(late_ns);
            }
            assert_eq!(lead.ns(), expected_ns);
        }
    }
}
