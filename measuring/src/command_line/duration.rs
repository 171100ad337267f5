//! Lengths of time as people write them: `500ms`, `10s`, `1h30m`.

use super::decimal::{parse_decimal, DecimalError};

/// The units, largest first, each in nanoseconds.
const UNITS_NS: [(&str, u64); 6] = [
    ("h", 3_600_000_000_000),
    ("m", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
];

/// The reason why a text is not a duration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the texts say it")]
pub enum DurationError {
    #[error("a duration is missing; write, for example, 10s")]
    Empty,
    #[error("{0} has no unit; write {0}s")]
    NoUnit(String),
    #[error("{0:?} is not a unit of time; the units are h, m, s, ms, us and ns")]
    UnknownUnit(String),
    #[error("{0:?} is not a duration; write, for example, 10s, 500ms or 1h30m")]
    NotADuration(String),
    #[error("{0:?}: write each unit once, from large to small, as in 1h30m")]
    Order(String),
    #[error("{0:?} is not a whole number of nanoseconds; round the duration")]
    TooFine(String),
    #[error("{0:?} is too long; give at most 584 years")]
    TooLong(String),
}

/// Reads a duration in nanoseconds: numbers, each with its unit, from large to small. Zero
/// is a valid duration; the caller decides whether it is allowed.
///
/// # Errors
/// [`DurationError`] says what is wrong and, if possible, what to write.
pub fn parse_duration_ns(text: &str) -> Result<u64, DurationError> {
    if text.is_empty() {
        return Err(DurationError::Empty);
    }
    let mut rest = text;
    let mut total_ns = 0_u64;
    let mut largest_allowed = 0;
    while !rest.is_empty() {
        let number_end = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(rest.len());
        let (number, after) = rest.split_at(number_end);
        let unit_end = after
            .find(|c: char| c.is_ascii_digit() || c == '.')
            .unwrap_or(after.len());
        let (unit, after) = after.split_at(unit_end);
        if number.is_empty() {
            return Err(DurationError::NotADuration(text.to_owned()));
        }
        if unit.is_empty() {
            return Err(match parse_decimal(number, 1_000_000_000) {
                Err(DecimalError::NotANumber) => DurationError::NotADuration(text.to_owned()),
                _ => DurationError::NoUnit(number.to_owned()),
            });
        }
        let place = UNITS_NS
            .iter()
            .position(|(name, _)| *name == unit || (*name == "us" && unit == "µs"))
            .ok_or_else(|| DurationError::UnknownUnit(unit.to_owned()))?;
        if place < largest_allowed {
            return Err(DurationError::Order(text.to_owned()));
        }
        largest_allowed = place + 1;
        let part_ns = parse_decimal(number, UNITS_NS[place].1).map_err(|error| match error {
            DecimalError::NotANumber => DurationError::NotADuration(text.to_owned()),
            DecimalError::TooFine => DurationError::TooFine(text.to_owned()),
            DecimalError::TooLarge => DurationError::TooLong(text.to_owned()),
        })?;
        total_ns = total_ns
            .checked_add(part_ns)
            .ok_or_else(|| DurationError::TooLong(text.to_owned()))?;
        rest = after;
    }
    Ok(total_ns)
}

/// Writes a duration in the form that [`parse_duration_ns`] reads.
pub fn format_duration_ns(duration_ns: u64) -> String {
    let mut text = String::new();
    let mut left_ns = duration_ns;
    for (name, unit_ns) in UNITS_NS {
        if left_ns >= unit_ns {
            text.push_str(&format!("{}{name}", left_ns / unit_ns));
            left_ns %= unit_ns;
        }
    }
    if text.is_empty() {
        text.push_str("0s");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn durations_people_write() {
        for (text, expected_ns) in [
            ("500ms", 500_000_000),
            ("10s", 10_000_000_000),
            ("2m", 120_000_000_000),
            ("1h30m", 5_400_000_000_000),
            ("1.5s", 1_500_000_000),
            ("0.1us", 100),
            ("7µs", 7_000),
            ("1s500ms", 1_500_000_000),
            ("0s", 0),
        ] {
            assert_eq!(parse_duration_ns(text), Ok(expected_ns), "{text}");
        }
    }

    #[test]
    fn errors_say_what_to_write() {
        for (text, message) in [
            ("10", "10 has no unit; write 10s"),
            ("", "a duration is missing; write, for example, 10s"),
            (
                "10x",
                "\"x\" is not a unit of time; the units are h, m, s, ms, us and ns",
            ),
            (
                "-1s",
                "\"-1s\" is not a duration; write, for example, 10s, 500ms or 1h30m",
            ),
            (
                "30m1h",
                "\"30m1h\": write each unit once, from large to small, as in 1h30m",
            ),
            (
                "0.5ns",
                "\"0.5ns\" is not a whole number of nanoseconds; round the duration",
            ),
            (
                "99999999999h",
                "\"99999999999h\" is too long; give at most 584 years",
            ),
            ("1h30", "30 has no unit; write 30s"),
        ] {
            let error = parse_duration_ns(text).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
        for text in ["s", "1..5s", ".", "1s ", " 1s", "1 s", "∞"] {
            assert!(parse_duration_ns(text).is_err(), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_can_be_read(duration_ns: u64) {
            prop_assert_eq!(parse_duration_ns(&format_duration_ns(duration_ns)), Ok(duration_ns));
        }

        #[test]
        fn no_text_panics(text in "[0-9.hmsnuµ -]{0,12}") {
            let _ = parse_duration_ns(&text);
        }
    }
}
