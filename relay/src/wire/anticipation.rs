//! Learns how late the kernel wakes a thread for a timer.
//!
//! On a virtual machine a timer fires about 20 to 60 µs late, because of the interrupt, the
//! idle state and the scheduler. Most of this delay is the same each time. A timer is therefore
//! set earlier by the 25th percentile of this delay. The thread spins for the remaining time, which
//! is less than the spread of the delays.

/// The share of wakings that should come before the instant.
const EARLY_SHARE: f64 = 0.25;
/// The change of the estimate after one timer, in ns. The step is small, and the estimate
/// converges within some hundreds of timers.
const STEP_NS: f64 = 500.0;
/// The greatest lead. Longer delays occur only on a disturbed machine, and too rarely to be
/// learned.
const MOST_NS: f64 = 100_000.0;

/// A running quantile of the lateness of timers, by stochastic approximation (Robbins and
/// Monro, "A stochastic approximation method", 1951, with a constant step).
#[derive(Debug, Default)]
pub struct Anticipation {
    lateness_ns: f64,
}

impl Anticipation {
    /// The time by which a timer is set before the instant at which it is due.
    pub fn lead_ns(&self) -> u64 {
        self.lateness_ns as u64
    }

    /// Learns from a timer that fired this long after the instant for which it was set.
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
