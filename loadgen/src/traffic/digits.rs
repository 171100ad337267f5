//! Numbers as decimal text, appended without an allocation.

/// Digits of a key: `redis-benchmark` writes `key:000000000123`.
pub(super) const KEY_DIGITS: usize = 12;

/// Appends a number as it is usually written.
#[inline]
pub(super) fn append_decimal(number: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// How many bytes [`append_decimal`] appends.
#[inline]
pub(super) fn decimal_length(number: u64) -> usize {
    number.checked_ilog10().map_or(1, |log| log as usize + 1)
}

/// Appends the twelve digits of a key, which is below 10¹².
#[inline]
pub(super) fn append_key(key: u64, out: &mut Vec<u8>) {
    let mut text = [b'0'; KEY_DIGITS];
    // Two halves that do not wait for each other's divisions.
    let (mut high, mut low) = ((key / 1_000_000) as u32, (key % 1_000_000) as u32);
    for place in (0..KEY_DIGITS / 2).rev() {
        text[place] += (high % 10) as u8;
        text[place + KEY_DIGITS / 2] += (low % 10) as u8;
        high /= 10;
        low /= 10;
    }
    out.extend_from_slice(&text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn decimals_are_as_formatted(number: u64, shift in 0u32..64) {
            let number = number >> shift;
            let mut out = Vec::new();
            append_decimal(number, &mut out);
            prop_assert_eq!(decimal_length(number), out.len());
            prop_assert_eq!(String::from_utf8(out).unwrap(), number.to_string());
        }

        #[test]
        fn keys_have_twelve_digits(key in 0u64..1_000_000_000_000) {
            let mut out = Vec::new();
            append_key(key, &mut out);
            prop_assert_eq!(String::from_utf8(out).unwrap(), format!("{key:012}"));
        }
    }

    #[test]
    fn the_ends_are_right() {
        for number in [0, 9, 10, u64::MAX] {
            let mut out = Vec::new();
            append_decimal(number, &mut out);
            assert_eq!(out, number.to_string().into_bytes());
        }
    }
}
