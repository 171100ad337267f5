//! A time in a finding's message, in the unit that people read.

use std::fmt;

/// A number of nanoseconds; displayed with three significant digits: `850 ns`, `12.3 µs`,
/// `1.05 ms`, `2.4 s`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Nanoseconds(
    /// The time, in nanoseconds.
    pub u64,
);

impl fmt::Display for Nanoseconds {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scale, unit) = match self.0 {
            ..1_000 => return write!(formatter, "{} ns", self.0),
            // A value that would round up to 1000 of a unit is written as 1.00 of the next.
            1_000..999_500 => (1e3, "µs"),
            999_500..999_500_000 => (1e6, "ms"),
            _ => (1e9, "s"),
        };
        write!(formatter, "{} {unit}", significant(self.0 as f64 / scale))
    }
}

/// `value` with three significant digits, and no more than three decimals.
pub fn significant(value: f64) -> String {
    let decimals = match value.abs() {
        99.95.. => 0,
        9.995.. => 1,
        0.9995.. => 2,
        _ => 3,
    };
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn three_digits_and_a_unit() {
        for (nanoseconds, text) in [
            (0, "0 ns"),
            (999, "999 ns"),
            (1_000, "1.00 µs"),
            (9_999, "10.0 µs"),
            (12_345, "12.3 µs"),
            (99_949, "99.9 µs"),
            (99_950, "100 µs"),
            (999_499, "999 µs"),
            (999_500, "1.00 ms"),
            (1_050_000, "1.05 ms"),
            (250_000_000, "250 ms"),
            (999_900_000, "1.00 s"),
            (2_400_000_000, "2.40 s"),
            (3_600_000_000_000, "3600 s"),
        ] {
            assert_eq!(Nanoseconds(nanoseconds).to_string(), text);
        }
    }

    proptest! {
        #[test]
        fn a_printed_time_is_within_half_a_percent(ns in 1_000u64..1_000_000_000_000) {
            let text = Nanoseconds(ns).to_string();
            let (value, unit) = text.split_once(' ').unwrap();
            let scale = match unit { "µs" => 1e3, "ms" => 1e6, "s" => 1e9, _ => 1.0 };
            let printed = value.parse::<f64>().unwrap() * scale;
            prop_assert!((printed / ns as f64 - 1.0).abs() < 0.006, "{ns} printed as {text}");
        }
    }
}
