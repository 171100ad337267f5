//! Numbers as answers write them: digits alone, no sign, no space.

/// A number in decimal digits, if it fits.
#[inline]
pub(super) fn decimal(digits: &[u8]) -> Option<u64> {
    number(digits, 10)
}

/// A number in hexadecimal digits of either case, if it fits.
#[inline]
pub(super) fn hexadecimal(digits: &[u8]) -> Option<u64> {
    number(digits, 16)
}

#[inline]
fn number(digits: &[u8], radix: u32) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_u64, |number, digit| {
        let digit = char::from(*digit).to_digit(radix)?;
        number
            .checked_mul(u64::from(radix))?
            .checked_add(u64::from(digit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_alone_are_a_number() {
        assert_eq!(decimal(b"0"), Some(0));
        assert_eq!(decimal(b"0042"), Some(42));
        assert_eq!(hexadecimal(b"fF"), Some(255));
        for wrong in ["", "-1", "+1", " 1", "1 ", "1.0", "0x1", "1e3", "g"] {
            assert_eq!(decimal(wrong.as_bytes()), None, "{wrong}");
            let hexadecimal_too = wrong == "1e3";
            assert_eq!(hexadecimal(wrong.as_bytes()).is_some(), hexadecimal_too);
        }
    }

    #[test]
    fn what_does_not_fit_is_none() {
        assert_eq!(decimal(b"18446744073709551615"), Some(u64::MAX));
        assert_eq!(decimal(b"18446744073709551616"), None);
        assert_eq!(decimal(b"100000000000000000000"), None);
        assert_eq!(hexadecimal(b"ffffffffffffffff"), Some(u64::MAX));
        assert_eq!(hexadecimal(b"10000000000000000"), None);
    }
}
