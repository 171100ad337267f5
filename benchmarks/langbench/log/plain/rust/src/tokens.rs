//! Tokens, numbers and placeholders.

pub const VARIABLE_PLACEHOLDER: u8 = 17;
pub const NUMBER_PLACEHOLDER: u8 = 18;
const MOST_DIGITS: i64 = 13;

pub fn is_placeholder(byte: u8) -> bool {
    byte == VARIABLE_PLACEHOLDER || byte == NUMBER_PLACEHOLDER
}

fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || b"+-./_\\".contains(&byte)
        || is_placeholder(byte)
        || byte >= 128
}

/// Where the token that begins here ends.
pub fn token_end(text: &[u8], begin: usize) -> usize {
    let mut end = begin;
    while end < text.len() && is_token_byte(text[end]) {
        end += 1;
    }
    end
}

pub fn is_variable(text: &[u8], begin: usize, end: usize) -> bool {
    let token = &text[begin..end];
    if token.iter().any(|&byte| byte.is_ascii_digit() || is_placeholder(byte)) {
        return true;
    }
    begin > 0 && text[begin - 1] == b'=' && token.iter().any(u8::is_ascii_alphabetic)
}

pub fn number_code(token: &[u8]) -> Option<i64> {
    let negative = token[0] == b'-';
    let (mut value, mut digits, mut scale, mut point) = (0, 0, 0, false);
    for &byte in &token[usize::from(negative)..] {
        if byte.is_ascii_digit() {
            digits += 1;
            if digits > MOST_DIGITS {
                return None;
            }
            value = 10 * value + i64::from(byte - b'0');
            scale += i64::from(point);
        } else if byte == b'.' && digits > 0 && !point {
            point = true;
        } else {
            return None;
        }
    }
    if digits == 0 || point && scale == 0 {
        return None;
    }
    Some((value * 16 + digits) * 32 + scale * 2 + i64::from(negative))
}

pub fn number_text(code: i64) -> String {
    let (digits, scale) = ((code / 32 % 16) as usize, (code / 2 % 16) as usize);
    let mut text = format!("{:0digits$}", code / 512);
    if scale > 0 {
        text.insert(digits - scale, '.');
    }
    if code % 2 == 1 {
        text.insert(0, '-');
    }
    text
}
