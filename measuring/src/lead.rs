//! How much earlier than its instant a timer is set.
//!
//! On a virtual machine a timer fires about 20 to 60 µs late, because of the interrupt, the idle
//! state and the scheduler. Most of this lateness is the same each time. A timer is therefore set
//! earlier by a lead, which the wake's own lateness uses up; what remains is spun.

/// A lead that may follow a quantile of the lateness of timers: by a small step up after each wake
/// that was later, and down after each that was not (Robbins and Monro, "A stochastic approximation
/// method", 1951; with equal steps Frugal-1U: Ma, Muthukrishnan and Sandler, "Frugal Streaming for
/// Estimating Quantiles", 2013).
#[derive(Clone, Copy, Debug)]
pub struct Lead {
    ns: u64,
    up_ns: u64,
    down_ns: u64,
    most_ns: u64,
}

impl Lead {
    /// A lead that stays as it is.
    pub const fn fixed(ns: u64) -> Self {
        Self::following(ns, (0, 0), ns)
    }

    /// A lead that begins with `first_ns`, and follows the quantile `up / (up + down)` of the
    /// lateness, up to `most_ns`.
    pub const fn following(first_ns: u64, (up_ns, down_ns): (u64, u64), most_ns: u64) -> Self {
        Self {
            ns: first_ns,
            up_ns,
            down_ns,
            most_ns,
        }
    }

    /// The lead now, in ns.
    #[inline]
    pub fn ns(self) -> u64 {
        self.ns
    }

    /// Learns from a timer that fired this long after the instant for which it was set.
    #[inline]
    pub fn learn(&mut self, late_ns: u64) {
        self.ns = if late_ns > self.ns {
            (self.ns + self.up_ns).min(self.most_ns)
        } else {
            self.ns.saturating_sub(self.down_ns)
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_settles_where_a_quarter_of_the_wakings_is_earlier() {
        let mut lead = Lead::following(0, (125, 375), 100_000);
        for number in 0..4_000 {
            lead.learn(20_000 + (number * 7_919 % 100) * 400);
        }
        assert!((27_000..33_000).contains(&lead.ns()), "{}", lead.ns());
    }

    #[test]
    fn equal_steps_follow_the_median() {
        let shapes: [(&[u64], u64); 3] = [
            (&[17_000], 17_000),
            (&[2_000, 3_000, 4_000, 90_000, 1_000], 3_000),
            (&[0], 0),
        ];
        for (lateness_ns, median_ns) in shapes {
            let mut lead = Lead::following(10_000, (100, 100), 30_000);
            for late_ns in lateness_ns.iter().cycle().take(10_000) {
                lead.learn(*late_ns);
            }
            assert!(lead.ns().abs_diff(median_ns) <= 300, "{}", lead.ns());
        }
    }

    #[test]
    fn a_disturbance_is_not_waited_for() {
        let mut lead = Lead::following(0, (125, 375), 100_000);
        let mut fixed = Lead::fixed(60_000);
        for _ in 0..10_000 {
            lead.learn(5_000_000);
            fixed.learn(5_000_000);
            fixed.learn(0);
        }
        assert_eq!((lead.ns(), fixed.ns()), (100_000, 60_000));
    }
}
