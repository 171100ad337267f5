//! A trace: recorded time stamps that are replayed.

use std::sync::Arc;

/// The instants of a recording, in nanoseconds from its first, at the speed
/// they are to be played.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    intended_ns: Arc<[u64]>,
}

/// The reason why time stamps are not a valid trace.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the texts say it")]
pub enum TraceError {
    #[error("the trace has no time stamps")]
    Empty,
    #[error("line {line}: the time stamp {at_ns} ns is earlier than the time stamp above it ({previous_ns} ns); sort the trace by time")]
    Unsorted {
        line: u64,
        at_ns: u64,
        previous_ns: u64,
    },
    #[error("the speed {0} is not a positive number; 1 is the recorded speed, 2 twice as fast")]
    Speed(f64),
    #[error("at speed {0} the trace lasts longer than 584 years; give a higher speed")]
    TooLong(f64),
}

impl Trace {
    /// Takes stamps with the lines they stand on; the first becomes the origin
    /// and `speed` divides every distance from it.
    ///
    /// # Errors
    /// No stamps, a stamp before its predecessor (with its line), or a speed
    /// that is not a positive number.
    pub fn new(
        stamps: impl IntoIterator<Item = (u64, u64)>,
        speed: f64,
    ) -> Result<Self, TraceError> {
        if !(speed.is_finite() && speed > 0.0) {
            return Err(TraceError::Speed(speed));
        }
        let mut stamps = stamps.into_iter().peekable();
        let &(_, origin_ns) = stamps.peek().ok_or(TraceError::Empty)?;
        let mut previous_ns = origin_ns;
        let mut intended_ns = Vec::with_capacity(stamps.size_hint().0);
        for (line, at_ns) in stamps {
            if at_ns < previous_ns {
                return Err(TraceError::Unsorted {
                    line,
                    at_ns,
                    previous_ns,
                });
            }
            previous_ns = at_ns;
            intended_ns.push(played_ns(at_ns - origin_ns, speed)?);
        }
        Ok(Self {
            intended_ns: intended_ns.into(),
        })
    }

    /// The instant of one request, in nanoseconds from the first.
    #[inline]
    pub fn instant_ns(&self, index: u64) -> Option<u64> {
        let index = usize::try_from(index).ok()?;
        self.intended_ns.get(index).copied()
    }

    /// The instants, in nanoseconds from the first, never falling.
    pub fn intended_ns(&self) -> &[u64] {
        &self.intended_ns
    }
}

fn played_ns(recorded_ns: u64, speed: f64) -> Result<u64, TraceError> {
    // As recorded means to the nanosecond, which a float cannot hold for long.
    if speed == 1.0 {
        return Ok(recorded_ns);
    }
    let played = (recorded_ns as f64 / speed).round();
    if played >= u64::MAX as f64 {
        return Err(TraceError::TooLong(speed));
    }
    Ok(played as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn numbered(stamps: &[u64]) -> Vec<(u64, u64)> {
        (1..).zip(stamps.iter().copied()).collect()
    }

    #[test]
    fn the_first_stamp_is_the_origin() {
        let trace = Trace::new(numbered(&[1000, 1000, 1700]), 1.0).unwrap();
        assert_eq!(trace.intended_ns(), [0, 0, 700]);
        let faster = Trace::new(numbered(&[1000, 1100, 1700]), 2.0).unwrap();
        assert_eq!(faster.intended_ns(), [0, 50, 350]);
    }

    #[test]
    fn errors_name_the_line() {
        let error = Trace::new([(3, 5), (4, 9), (7, 8)], 1.0).unwrap_err();
        assert_eq!(
            error.to_string(),
            "line 7: the time stamp 8 ns is earlier than the time stamp above it (9 ns); sort the trace by time"
        );
        assert_eq!(Trace::new([], 1.0), Err(TraceError::Empty));
        for speed in [0.0, -1.0, f64::INFINITY] {
            assert_eq!(
                Trace::new(numbered(&[1]), speed),
                Err(TraceError::Speed(speed))
            );
        }
        assert!(matches!(
            Trace::new(numbered(&[1]), f64::NAN),
            Err(TraceError::Speed(_))
        ));
        assert_eq!(
            Trace::new(numbered(&[0, u64::MAX]), 0.5),
            Err(TraceError::TooLong(0.5))
        );
    }

    proptest! {
        #[test]
        fn playing_keeps_the_order_and_scales_the_length(
            mut stamps in proptest::collection::vec(0u64..1_000_000_000_000, 1..50), speed in 0.01f64..100.0,
        ) {
            stamps.sort_unstable();
            let trace = Trace::new(numbered(&stamps), speed).unwrap();
            prop_assert!(trace.intended_ns().is_sorted());
            prop_assert_eq!(trace.intended_ns().len(), stamps.len());
            let recorded_ns = (stamps[stamps.len() - 1] - stamps[0]) as f64;
            let played_ns = *trace.intended_ns().last().unwrap() as f64;
            prop_assert!((played_ns * speed - recorded_ns).abs() <= speed);
        }
    }
}
