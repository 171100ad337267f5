//! Parses decimal numbers exactly, as whole multiples of a small unit.

/// The reason why a text is not a decimal number in the requested unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the texts say it")]
pub enum DecimalError {
    #[error("is not a number")]
    NotANumber,
    #[error("has too many decimals")]
    TooFine,
    #[error("is too large")]
    TooLarge,
}

/// Reads digits with an optional fraction, such as `1.25`, in units of
/// 1/`units_per_one`: nothing is rounded.
///
/// # Errors
/// [`DecimalError`].
pub fn parse_decimal(text: &str, units_per_one: u64) -> Result<u64, DecimalError> {
    let (whole, fraction) = match text.split_once('.') {
        Some((whole, fraction)) if !fraction.is_empty() => (whole, fraction),
        Some(_) => return Err(DecimalError::NotANumber),
        None => (text, ""),
    };
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(fraction) {
        return Err(DecimalError::NotANumber);
    }
    let mut units = whole
        .parse::<u64>()
        .ok()
        .and_then(|whole| whole.checked_mul(units_per_one))
        .ok_or(DecimalError::TooLarge)?;
    let mut unit = units_per_one;
    for digit in fraction.trim_end_matches('0').bytes() {
        if unit % 10 != 0 {
            return Err(DecimalError::TooFine);
        }
        unit /= 10;
        units = units
            .checked_add(unit * u64::from(digit - b'0'))
            .ok_or(DecimalError::TooLarge)?;
    }
    Ok(units)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_exact() {
        assert_eq!(parse_decimal("12", 1000), Ok(12_000));
        assert_eq!(parse_decimal("0.125", 1000), Ok(125));
        assert_eq!(parse_decimal("1.500000", 1000), Ok(1500));
        assert_eq!(parse_decimal("0", 1), Ok(0));
    }

    #[test]
    fn what_cannot_be_told_exactly_is_refused() {
        assert_eq!(parse_decimal("0.0001", 1000), Err(DecimalError::TooFine));
        // A minute of 60 units has tenths but no hundredths.
        assert_eq!(parse_decimal("0.5", 60), Ok(30));
        assert_eq!(parse_decimal("0.25", 60), Err(DecimalError::TooFine));
        assert_eq!(
            parse_decimal("99999999999999999999", 1),
            Err(DecimalError::TooLarge)
        );
        assert_eq!(
            parse_decimal("18446744073709551615.9", 10),
            Err(DecimalError::TooLarge)
        );
        for text in ["", ".", "1.", ".5", "-1", "+1", "1e3", "1 ", "٣", "1.2.3"] {
            assert_eq!(
                parse_decimal(text, 1000),
                Err(DecimalError::NotANumber),
                "{text:?}"
            );
        }
    }
}
