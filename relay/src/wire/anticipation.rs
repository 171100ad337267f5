//! How much too late the kernel wakes a thread for a timer, learned as it goes.
//!
//! A timer rings some 20 to 60 µs late on a virtual machine: interrupt, idle state, scheduler.
//! Most of that is the same each time. So timers are set earlier by what nearly every waking
//! takes, and the little that is left is waited out with the processor: less than the spread.

/// The share of wakings that is expected to come before the instant.
const EARLY_SHARE: f64 = 0.25;
/// What one waking changes, ns: a step this small settles within some hundreds of wakings.
const STEP_NS: f64 = 500.0;
/// No more is anticipated: what a disturbed machine takes longer comes too rarely.
const MOST_NS: f64 = 100_000.0;

/// A running quantile of the lateness of timers, by stochastic approximation (Robbins and
/// Monro, "A stochastic approximation method", 1951, with a constant step).
#[derive(Debug, Default)]
pub struct Anticipation {
    lateness_ns: f64,
}

impl Anticipation {
    /// How much earlier than due a timer is to ring.
    pub fn lead_ns(&self) -> u64 {
        self.lateness_ns as u64
    }

    /// A timer rang so long after it was set for.
    pub fn learn(&mut self, lateness_ns: u64) {
        let change_ns = if (lateness_ns as f64) < self.lateness_ns {
            -STEP_NS * (1.0 - EARLY_SHARE)
        } else {
            STEP_NS * EARLY_SHARE
        };
        self.lateness_ns = (self.lateness_ns + change_ns).clamp(0.0, MOST_NS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_settles_where_a_quarter_of_the_wakings_is_earlier() {
        let mut anticipation = Anticipation::default();
        for number in 0..4_000 {
            anticipation.learn(20_000 + (number * 7_919 % 100) * 400);
        }
        let lead_ns = anticipation.lead_ns();
        assert!((27_000..33_000).contains(&lead_ns), "{lead_ns}");
    }

    #[test]
    fn a_disturbance_is_not_waited_for() {
        let mut anticipation = Anticipation::default();
        for _ in 0..10_000 {
            anticipation.learn(5_000_000);
        }
        assert_eq!(anticipation.lead_ns(), MOST_NS as u64);
    }
}
