//! Quantities as people read them. Times with three significant digits are
//! [`Nanoseconds`](crate::judgement::nanoseconds::Nanoseconds).

use crate::judgement::nanoseconds::significant;

/// `ns` nanoseconds without needless digits, for lengths somebody asked for: `10 s`, `1.5 s`,
/// `100 ms`.
pub fn length(ns: u64) -> String {
    let (scale, unit) = match ns {
        0 => return "0 s".to_owned(),
        1..1_000 => (1.0, "ns"),
        1_000..1_000_000 => (1e3, "µs"),
        1_000_000..1_000_000_000 => (1e6, "ms"),
        _ => (1e9, "s"),
    };
    let text = format!("{:.3}", ns as f64 / scale);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{text} {unit}")
}

/// `bytes` as `312 B`, `14.2 MiB`.
pub fn bytes(bytes: u64) -> String {
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1024.0;
    for unit in ["KiB", "MiB", "GiB"] {
        if value < 999.5 {
            return format!("{} {unit}", significant(value));
        }
        value /= 1024.0;
    }
    format!("{} TiB", significant(value))
}

/// `count` with its thousands parted: `1,234,567`.
pub fn count(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `per_s` as `10,000/s`, `12.5/s`.
pub fn rate(per_s: f64) -> String {
    if per_s >= 999.5 {
        // Beyond 2^64 a rate is not a rate; the cast saturates.
        return format!("{}/s", count(per_s.round() as u64));
    }
    let text = significant(per_s);
    let text = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        &text
    };
    format!("{text}/s")
}

/// `share` of one as a percentage, rounded down: `100.00%` is only said of all of it.
pub fn percentage_reached(share: f64) -> String {
    // A part in 10^9 is what floating point may take away of an exact quotient.
    let hundredths = (share * 1e4 + 1e-7).floor();
    format!("{:.2}%", hundredths / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asked_lengths_have_no_needless_digits() {
        assert_eq!(length(10_000_000_000), "10 s");
        assert_eq!(length(1_500_000_000), "1.5 s");
        assert_eq!(length(100_000_000), "100 ms");
        assert_eq!(length(50_000), "50 µs");
        assert_eq!(length(0), "0 s");
    }

    #[test]
    fn bytes_counts_and_rates() {
        assert_eq!(bytes(1023), "1023 B");
        assert_eq!(bytes(14_890_000), "14.2 MiB");
        assert_eq!(bytes(1024 * 1024 - 1), "1.00 MiB");
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(rate(10_000.0), "10,000/s");
        assert_eq!(rate(12.5), "12.5/s");
        assert_eq!(rate(100.0), "100/s");
        assert_eq!(rate(0.5), "0.5/s");
    }

    #[test]
    fn not_quite_all_is_never_called_all() {
        assert_eq!(percentage_reached(0.999_99), "99.99%");
        assert_eq!(percentage_reached(1.0), "100.00%");
        assert_eq!(percentage_reached(9.0 / 10.0), "90.00%");
        assert_eq!(percentage_reached(0.0), "0.00%");
    }
}
