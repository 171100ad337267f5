//! One stretch of a rate profile: a constant rate or a linear ramp.

/// Quanta of expected arrivals in one request. A rate is held in millionths of
/// a request per second and an instant in nanoseconds, so that their product
/// counts 10⁻¹⁵ requests; twice that, since a ramp's mean rate has a half.
/// In quanta the expected arrivals at every stage's ends are whole numbers.
pub(super) const QUANTA_PER_REQUEST: u128 = 2_000_000_000_000_000;

/// Rates are whole multiples of a millionth of a request per second.
pub(super) const MICRO: u64 = 1_000_000;

/// A stage of a profile, placed on the axes of time and of expected arrivals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stage {
    /// Rate at the start, in 10⁻⁶ requests a second.
    pub from_micro_per_s: u64,
    /// Rate at the end; the same for a constant stage.
    pub to_micro_per_s: u64,
    /// The length; `None` for a constant last stage without an end.
    pub duration_ns: Option<u64>,
    /// The instant at which the stage begins.
    pub start_ns: u64,
    /// Expected arrivals before the stage, in quanta.
    before: u128,
    /// Expected arrivals at its end, in quanta.
    after: u128,
    /// `before` and `after` in requests, for the arrivals of chance.
    before_requests: f64,
    after_requests: f64,
}

impl Stage {
    /// Puts a stage behind another one, or at the origin.
    pub fn following(
        previous: Option<&Stage>,
        from_micro_per_s: u64,
        to_micro_per_s: u64,
        duration_ns: Option<u64>,
    ) -> Self {
        let (start_ns, before) = previous.map_or((0, 0), |stage| {
            (
                stage
                    .start_ns
                    .saturating_add(stage.duration_ns.unwrap_or(0)),
                stage.after,
            )
        });
        let after = duration_ns.map_or(u128::MAX, |duration_ns| {
            before
                + (u128::from(from_micro_per_s) + u128::from(to_micro_per_s))
                    * u128::from(duration_ns)
        });
        Self {
            from_micro_per_s,
            to_micro_per_s,
            duration_ns,
            start_ns,
            before,
            after,
            before_requests: in_requests(before),
            after_requests: duration_ns.map_or(f64::INFINITY, |_| in_requests(after)),
        }
    }

    /// The end of the stage; `None` if it has no end.
    pub fn end_ns(&self) -> Option<u64> {
        self.duration_ns.map(|length_ns| self.start_ns + length_ns)
    }

    /// Whether the arrival at this many quanta comes after the stage.
    #[inline]
    pub fn ends_before(&self, quanta: u128) -> bool {
        self.after <= quanta
    }

    /// Whether the arrival at this many expected requests comes after the stage.
    #[inline]
    pub fn ends_before_requests(&self, requests: f64) -> bool {
        self.after_requests <= requests
    }

    /// Expected arrivals at the stage's end; infinite without an end.
    pub fn after_requests(&self) -> f64 {
        self.after_requests
    }

    /// Expected arrivals from the origin to `at_ns`, which lies in the stage.
    pub fn requests_at(&self, at_ns: u64) -> f64 {
        let inside_ns = at_ns - self.start_ns;
        match self.duration_ns {
            Some(length_ns) if self.is_ramp() => {
                let x = inside_ns as f64;
                let from = self.from_micro_per_s as f64;
                let to = self.to_micro_per_s as f64;
                let inside = x * (from + (to - from) * (x / length_ns as f64) / 2.0);
                self.before_requests + inside / (QUANTA_PER_REQUEST / 2) as f64
            }
            _ => in_requests(
                self.before + 2 * u128::from(self.from_micro_per_s) * u128::from(inside_ns),
            ),
        }
    }

    /// The instant at which the expected arrivals reach `quanta`, rounded to
    /// the nearest nanosecond; exact in a constant stage. None if it cannot be
    /// counted in 64 bits.
    #[inline]
    pub fn instant_of_quanta(&self, quanta: u128) -> Option<u64> {
        let inside = quanta - self.before;
        let offset_ns = if self.is_ramp() {
            self.ramp_offset_ns(in_requests(inside))
        } else {
            let rate = u128::from(self.from_micro_per_s);
            u64::try_from((inside + rate) / (2 * rate)).ok()?
        };
        self.start_ns.checked_add(offset_ns)
    }

    /// The instant at which the expected arrivals reach `requests`, to the
    /// precision of a float. None if it cannot be counted in 64 bits.
    #[inline]
    pub fn instant_of_requests(&self, requests: f64) -> Option<u64> {
        let inside = requests - self.before_requests;
        let offset_ns = if self.is_ramp() {
            self.ramp_offset_ns(inside)
        } else {
            let ns_per_request = (MICRO * 1_000_000_000) as f64 / self.from_micro_per_s as f64;
            let offset_ns = (inside * ns_per_request + 0.5) as u64;
            offset_ns.min(self.duration_ns.unwrap_or(u64::MAX))
        };
        self.start_ns.checked_add(offset_ns)
    }

    #[inline]
    fn is_ramp(&self) -> bool {
        self.from_micro_per_s != self.to_micro_per_s
    }

    /// Solves the ramp's quadratic from its slower end, where every term under
    /// the root is positive, by the form without cancellation (Press and
    /// others, Numerical Recipes, 3rd edition, section 5.6).
    fn ramp_offset_ns(&self, inside_requests: f64) -> u64 {
        let length_ns = self.duration_ns.unwrap_or(0);
        let micro_per_request = (QUANTA_PER_REQUEST / 2) as f64;
        let rising = self.from_micro_per_s < self.to_micro_per_s;
        let (slow, fast, requests) = if rising {
            (self.from_micro_per_s, self.to_micro_per_s, inside_requests)
        } else {
            let remaining = (self.after_requests - self.before_requests) - inside_requests;
            (self.to_micro_per_s, self.from_micro_per_s, remaining)
        };
        let area = requests.max(0.0) * micro_per_request;
        if area == 0.0 {
            return if rising { 0 } else { length_ns };
        }
        let slow_rate = slow as f64;
        let slope = (fast - slow) as f64 / length_ns as f64;
        let root = (slow_rate * slow_rate + 2.0 * slope * area).sqrt();
        let from_slow_end_ns = 2.0 * area / (slow_rate + root);
        if rising {
            ((from_slow_end_ns + 0.5) as u64).min(length_ns)
        } else {
            (length_ns as f64 - from_slow_end_ns + 0.5).max(0.0) as u64
        }
    }
}

#[inline]
fn in_requests(quanta: u128) -> f64 {
    // Whole requests and their fraction apart: a quotient of two large floats
    // would lose the fraction's last digits.
    let whole = (quanta / QUANTA_PER_REQUEST) as f64;
    let fraction = (quanta % QUANTA_PER_REQUEST) as f64 / QUANTA_PER_REQUEST as f64;
    whole + fraction
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SECOND_NS: u64 = 1_000_000_000;

    fn quanta(requests: u64) -> u128 {
        u128::from(requests) * QUANTA_PER_REQUEST
    }

    #[test]
    fn a_rise_from_nothing_follows_the_square_root() {
        // 0..1000/s in 10 s: request k is due at sqrt(k / 50) s.
        let stage = Stage::following(None, 0, 1000 * MICRO, Some(10 * SECOND_NS));
        assert_eq!(stage.instant_of_quanta(quanta(0)), Some(0));
        assert_eq!(stage.instant_of_quanta(quanta(50)), Some(SECOND_NS));
        assert_eq!(stage.instant_of_quanta(quanta(1250)), Some(5 * SECOND_NS));
        assert_eq!(stage.after_requests(), 5000.0);
    }

    #[test]
    fn a_fall_to_nothing_mirrors_the_rise() {
        let length_ns = 10 * SECOND_NS;
        let rise = Stage::following(None, 0, 1000 * MICRO, Some(length_ns));
        let fall = Stage::following(None, 1000 * MICRO, 0, Some(length_ns));
        for k in 1..5000 {
            let up_ns = rise.instant_of_quanta(quanta(k)).unwrap();
            let down_ns = fall.instant_of_quanta(quanta(5000 - k)).unwrap();
            assert!((up_ns + down_ns).abs_diff(length_ns) <= 1, "request {k}");
        }
    }

    proptest! {
        #[test]
        fn ramps_invert_to_the_nanosecond_their_slope_allows(
            from in 0u64..2_000_000, to in 0u64..2_000_000,
            length_ns in 1_000_000u64..3_600_000_000_000, part in 0.0f64..1.0,
        ) {
            prop_assume!(from != to);
            let stage = Stage::following(None, from * MICRO, to * MICRO, Some(length_ns));
            let at_ns = (part * length_ns as f64) as u64;
            let requests = stage.requests_at(at_ns);
            let back_ns = stage.instant_of_requests(requests).unwrap();
            // What rounding of the expected arrivals can move the instant by.
            let rate_per_ns = (from as f64 + (to as f64 - from as f64) * part) / 1e9;
            let slack_ns = 1.0 + 4.0 * f64::EPSILON * (stage.after_requests() / rate_per_ns + length_ns as f64);
            prop_assert!(back_ns.abs_diff(at_ns) as f64 <= slack_ns, "{at_ns} → {requests} → {back_ns}");
        }
    }
}
