//! Single values of the command line that are neither rates nor durations.

use crate::protocol::expectation::StatusRule;
use crate::traffic::digest_of_hex;
use crate::transport::target::Resolution;

/// Why a value cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the texts say it")]
pub enum ValueError {
    #[error("write a whole number, such as 500, 10k or 1M")]
    Count,
    #[error("the number is too large; the largest is 18446744073709551615")]
    CountTooLarge,
    #[error("write an instant of CLOCK_MONOTONIC as a whole number of nanoseconds")]
    Instant,
    #[error("write a header in the form 'Name: value'")]
    Header,
    #[error("write a status (200), a class (2xx) or a list (200,404); statuses are 200 to 599")]
    Status,
    #[error("write a SHA-256 digest as 64 hexadecimal digits")]
    Digest,
    #[error("write POINTER=JSON, such as /items/0/id=7; a pointer is empty or begins with /")]
    Pointer,
    #[error("the value after = is not JSON: {0}; write a text in quotes: /name=\"value\"")]
    Json(String),
    #[error("write HOST:PORT:ADDRESS, such as example.test:443:127.0.0.1 or example.test:443:::1")]
    Resolution,
}

/// Digits, perhaps with `k` or `M`.
pub(super) fn parse_count(text: &str) -> Result<u64, ValueError> {
    let (digits, times) = match text.as_bytes().last() {
        Some(b'k') => (&text[..text.len() - 1], 1_000),
        Some(b'M') => (&text[..text.len() - 1], 1_000_000),
        _ => (text, 1),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(ValueError::Count);
    }
    digits
        .parse::<u64>()
        .ok()
        .and_then(|count| count.checked_mul(times))
        .ok_or(ValueError::CountTooLarge)
}

/// Nanoseconds on CLOCK_MONOTONIC.
pub(super) fn parse_instant(text: &str) -> Result<u64, ValueError> {
    parse_count(text)
        .ok()
        .filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()))
        .ok_or(ValueError::Instant)
}

/// `Name: value`; the traffic room says whether they can be sent.
pub(super) fn parse_header(text: &str) -> Result<(String, String), ValueError> {
    let (name, value) = text.split_once(':').ok_or(ValueError::Header)?;
    Ok((name.trim_end().to_owned(), value.trim().to_owned()))
}

/// `HOST:PORT:ADDRESS`.
pub(super) fn parse_resolution(text: &str) -> Result<Resolution, ValueError> {
    let mut parts = text.splitn(3, ':');
    let (Some(host), Some(port), Some(address)) = (parts.next(), parts.next(), parts.next()) else {
        return Err(ValueError::Resolution);
    };
    let address = address
        .strip_prefix('[')
        .and_then(|address| address.strip_suffix(']'))
        .unwrap_or(address);
    match (port.parse(), address.parse()) {
        (Ok(port), Ok(address)) if !host.is_empty() => Ok(Resolution {
            host: host.to_owned(),
            port,
            address,
        }),
        _ => Err(ValueError::Resolution),
    }
}

/// `200`, `2xx` or `200,404`.
pub(super) fn parse_statuses(text: &str) -> Result<StatusRule, ValueError> {
    if let [class @ b'2'..=b'5', b'x' | b'X', b'x' | b'X'] = text.as_bytes() {
        return Ok(StatusRule::Class(u16::from(class - b'0')));
    }
    text.split(',')
        .map(|code| match code.trim().parse() {
            Ok(code @ 200..=599) => Ok(code),
            _ => Err(ValueError::Status),
        })
        .collect::<Result<_, _>>()
        .map(StatusRule::OneOf)
}

/// 64 hexadecimal digits.
pub(super) fn parse_digest(text: &str) -> Result<[u8; 32], ValueError> {
    digest_of_hex(text).ok_or(ValueError::Digest)
}

/// `/pointer=JSON`.
pub(super) fn parse_pointer_value(text: &str) -> Result<(String, serde_json::Value), ValueError> {
    let (pointer, json) = text.split_once('=').ok_or(ValueError::Pointer)?;
    if !pointer.is_empty() && !pointer.starts_with('/') {
        return Err(ValueError::Pointer);
    }
    let value = serde_json::from_str(json).map_err(|error| ValueError::Json(error.to_string()))?;
    Ok((pointer.to_owned(), value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn counts_may_end_in_k_or_m() {
        assert_eq!(parse_count("500"), Ok(500));
        assert_eq!(parse_count("10k"), Ok(10_000));
        assert_eq!(parse_count("2M"), Ok(2_000_000));
        for text in ["", "k", "-1", "1.5k", "1 k", "0x10", "10K"] {
            assert_eq!(parse_count(text), Err(ValueError::Count), "{text:?}");
        }
        assert_eq!(
            parse_count("18446744073709551615k"),
            Err(ValueError::CountTooLarge)
        );
    }

    #[test]
    fn instants_are_plain_numbers() {
        assert_eq!(parse_instant("123456789"), Ok(123_456_789));
        for text in ["", "-1", "+1", "10k", "1s", "noon", "18446744073709551616"] {
            assert_eq!(parse_instant(text), Err(ValueError::Instant), "{text:?}");
        }
    }

    #[test]
    fn statuses_by_code_class_and_list() {
        assert_eq!(parse_statuses("200"), Ok(StatusRule::OneOf(vec![200])));
        assert_eq!(parse_statuses("2xx"), Ok(StatusRule::Class(2)));
        assert_eq!(
            parse_statuses("200, 404"),
            Ok(StatusRule::OneOf(vec![200, 404]))
        );
        for text in ["", "20", "1xx", "100", "600", "200,", "2x", "ok"] {
            assert_eq!(parse_statuses(text), Err(ValueError::Status), "{text:?}");
        }
    }

    #[test]
    fn digests_are_64_hexadecimal_digits() {
        let text = "00ff".repeat(16);
        let digest = parse_digest(&text).unwrap();
        assert_eq!((digest[0], digest[1], digest[31]), (0, 255, 255));
        for text in ["", "00", &"0".repeat(63), &"g".repeat(64), &"é".repeat(32)] {
            assert_eq!(parse_digest(text), Err(ValueError::Digest), "{text:?}");
        }
    }

    #[test]
    fn pointers_lead_to_json_values() {
        let read = |text| parse_pointer_value(text).unwrap();
        assert_eq!(read("/a/0=7"), ("/a/0".to_owned(), 7.into()));
        assert_eq!(read("/q=\"a=b\""), ("/q".to_owned(), "a=b".into()));
        assert_eq!(read("=null"), (String::new(), serde_json::Value::Null));
        assert_eq!(parse_pointer_value("a=1"), Err(ValueError::Pointer));
        assert_eq!(parse_pointer_value("/a"), Err(ValueError::Pointer));
        assert!(matches!(
            parse_pointer_value("/a=yes"),
            Err(ValueError::Json(_))
        ));
    }

    #[test]
    fn a_header_has_a_colon() {
        let header = ("X-A".to_owned(), "b: c".to_owned());
        assert_eq!(parse_header("X-A:  b: c "), Ok(header));
        assert_eq!(parse_header("X-A"), Err(ValueError::Header));
    }

    proptest! {
        #[test]
        fn no_text_panics(text in any::<String>()) {
            let _ = parse_count(&text);
            let _ = parse_header(&text);
            let _ = parse_instant(&text);
            let _ = parse_statuses(&text);
            let _ = parse_digest(&text);
            let _ = parse_pointer_value(&text);
        }
    }
}
