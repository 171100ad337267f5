//! Numbers and durations in the outputs of tools.

use serde_json::Value;

/// Parses JSON, or says what stood there instead.
pub fn json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text.trim()).map_err(|error| format!("no JSON: {error}"))
}

/// The number at a JSON pointer (RFC 6901) in some unit, in nanoseconds; none where absent.
pub fn ns_at(value: &Value, pointer: &str, unit_ns: f64) -> Option<u64> {
    let number = value.pointer(pointer)?.as_f64()?;
    (number >= 0.0).then(|| (number * unit_ns).round() as u64)
}

/// The whole number at a JSON pointer; none where absent.
pub fn count_at(value: &Value, pointer: &str) -> Option<u64> {
    value.pointer(pointer)?.as_u64()
}

/// A duration with its unit, like `1.02ms` or `936.00us`, in nanoseconds.
pub fn duration_ns(text: &str) -> Option<u64> {
    let digits = text.find(|c: char| c.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at(digits);
    let unit_ns = match unit {
        "ns" => 1.0,
        "us" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        "m" => 60e9,
        "h" => 3600e9,
        _ => return None,
    };
    let number: f64 = number.parse().ok()?;
    Some((number * unit_ns).round() as u64)
}

/// The words of the first line that begins with these words.
pub fn words_after<'a>(text: &'a str, beginning: &[&str]) -> Option<Vec<&'a str>> {
    text.lines().find_map(|line| {
        let words: Vec<&'a str> = line.split_whitespace().collect();
        let begins = words.len() >= beginning.len()
            && words
                .iter()
                .zip(beginning)
                .all(|(word, wanted)| word == wanted);
        begins.then(|| words[beginning.len()..].to_vec())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_in_every_unit() {
        assert_eq!(duration_ns("936.50us"), Some(936_500));
        assert_eq!(duration_ns("1.02ms"), Some(1_020_000));
        assert_eq!(duration_ns("20.91s"), Some(20_910_000_000));
        assert_eq!(duration_ns("1.50m"), Some(90_000_000_000));
        assert_eq!(duration_ns("12"), None);
        assert_eq!(duration_ns("-ms"), None);
    }

    #[test]
    fn absent_figures_are_absent() {
        let value = json(r#"{"a":{"p50":0.5,"p99":null}}"#).unwrap();
        assert_eq!(ns_at(&value, "/a/p50", 1e6), Some(500_000));
        assert_eq!(ns_at(&value, "/a/p99", 1e6), None);
        assert_eq!(count_at(&value, "/b"), None);
        assert!(json("Running 1s test").is_err());
    }
}
