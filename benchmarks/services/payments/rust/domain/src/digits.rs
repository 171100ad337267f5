/// What is answered with 400.
#[derive(Debug)]
pub struct Malformed;

/// A number from 1 to `most`. `parse` alone would take a sign.
pub(crate) fn number(text: &str, most: i64) -> Result<i64, Malformed> {
    (text.parse().ok())
        .filter(|number| only_digits(text) && (1..=most).contains(number))
        .ok_or(Malformed)
}

pub(crate) fn only_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
