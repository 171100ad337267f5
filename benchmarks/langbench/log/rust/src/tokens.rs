//! Tokens, numbers and placeholders: `langbench/log/contract.md`, "Tokens".

use std::ops::Range;

pub const VARIABLE_PLACEHOLDER: u8 = 0x11;
pub const NUMBER_PLACEHOLDER: u8 = 0x12;
const MOST_DIGITS: u64 = 13;

pub fn is_placeholder(byte: u8) -> bool {
    matches!(byte, VARIABLE_PLACEHOLDER | NUMBER_PLACEHOLDER)
}

const TOKEN_BYTES: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < table.len() {
        table[byte] = byte >= 128
            || (byte as u8).is_ascii_alphanumeric()
            || matches!(byte as u8, VARIABLE_PLACEHOLDER | NUMBER_PLACEHOLDER)
            || matches!(byte as u8, b'+' | b'-' | b'.' | b'/' | b'_' | b'\\');
        byte += 1;
    }
    table
};

/// The first token of the text from `from` on, a longest run of token bytes.
pub fn next_token(text: &[u8], from: usize) -> Option<Range<usize>> {
    let is_token_byte = |&byte: &u8| TOKEN_BYTES[usize::from(byte)];
    let start = from + text[from..].iter().position(is_token_byte)?;
    let length = text[start..].iter().take_while(|byte| is_token_byte(byte)).count();
    Some(start..start + length)
}

/// Whether the token of the text is a variable.
pub fn is_variable(text: &[u8], token: &Range<usize>) -> bool {
    let mut letter = false;
    for &byte in &text[token.clone()] {
        if byte.is_ascii_digit() || is_placeholder(byte) {
            return true;
        }
        letter |= byte.is_ascii_alphabetic();
    }
    letter && text[..token.start].ends_with(b"=")
}

/// The code of a variable that is a number.
pub fn number_code(token: &[u8]) -> Option<i64> {
    let (negative, magnitude) = match token.strip_prefix(b"-") {
        Some(magnitude) => (true, magnitude),
        None => (false, token),
    };
    let (mut value, mut digits, mut scale, mut point) = (0, 0, 0, false);
    for &byte in magnitude {
        match byte {
            b'0'..=b'9' => {
                digits += 1;
                if digits > MOST_DIGITS {
                    return None;
                }
                value = value * 10 + u64::from(byte - b'0');
                scale += u64::from(point);
            }
            b'.' if digits > 0 && !point => point = true,
            _ => return None,
        }
    }
    if digits == 0 || point && scale == 0 {
        return None;
    }
    Some(((value * 16 + digits) * 32 + scale * 2 + u64::from(negative)) as i64)
}

pub fn append_number(line: &mut Vec<u8>, code: i64) {
    let digits = (code / 32 % 16) as usize;
    let scale = (code / 2 % 16) as usize;
    let mut text = [0; MOST_DIGITS as usize];
    let mut value = code / 512;
    for digit in text[..digits].iter_mut().rev() {
        *digit = b'0' + (value % 10) as u8;
        value /= 10;
    }
    if code % 2 == 1 {
        line.push(b'-');
    }
    line.extend_from_slice(&text[..digits - scale]);
    if scale > 0 {
        line.push(b'.');
        line.extend_from_slice(&text[digits - scale..digits]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_byte_for_byte() {
        for text in ["0", "007", "-0.50", "1445144423722", "0.000000000001", "-12.0", "9.9"] {
            let mut line = Vec::new();
            if let Some(code) = number_code(text.as_bytes()) {
                append_number(&mut line, code);
            }
            assert_eq!(line, text.as_bytes());
        }
        assert_eq!(number_code(b"007"), Some((7 * 16 + 3) * 32));
        assert_eq!(number_code(b"-0.50"), Some((50 * 16 + 3) * 32 + 2 * 2 + 1));
    }

    #[test]
    fn what_is_no_number_goes_to_the_dictionary() {
        for text in ["-", ".5", "5.", "1.2.3", "+5", "--5", "12345678901234", "1e5", "0x1f", "-.5"]
        {
            assert_eq!(number_code(text.as_bytes()), None, "{text}");
        }
    }
}
