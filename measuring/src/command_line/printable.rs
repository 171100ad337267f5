//! Foreign text made safe to print.
//!
//! A server's error message, a header, a file name: whatever others wrote may hold
//! escape sequences that move a terminal's cursor, recolour it or retitle its window.
//! None of it reaches a terminal raw.

use std::fmt::Write as _;

/// `text` with everything that is not a plain character written as an escape
/// (`\u{1b}`): control characters, line and paragraph separators, and the
/// characters that reorder the line around them (Unicode Standard Annex 9, §2).
pub fn printable(text: &str) -> String {
    text.chars()
        .fold(String::with_capacity(text.len()), |mut out, c| {
            if is_plain(c) {
                out.push(c);
            } else {
                // Writing into a String cannot fail.
                let _ = write!(out, "{}", c.escape_unicode());
            }
            out
        })
}

/// Like [`printable`], in ASCII alone.
pub fn printable_ascii(text: &str) -> String {
    text.chars()
        .fold(String::with_capacity(text.len()), |mut out, c| {
            match c {
                'µ' | 'μ' => out.push('u'),
                '·' => out.push('|'),
                '–' | '—' | '−' => out.push('-'),
                '’' | '‘' => out.push('\''),
                '“' | '”' => out.push('"'),
                '≥' => out.push_str(">="),
                '≤' => out.push_str("<="),
                '×' => out.push('x'),
                '…' => out.push_str("..."),
                c if c.is_ascii() && is_plain(c) => out.push(c),
                c => {
                    let _ = write!(out, "{}", c.escape_unicode());
                }
            }
            out
        })
}

fn is_plain(c: char) -> bool {
    !c.is_control()
        && !matches!(c,
            '\u{061c}'
            | '\u{200e}' | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
            | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn escape_sequences_are_shown_not_obeyed() {
        assert_eq!(
            printable("\x1b]0;owned\x07 \x1b[2J\r\n\u{9b}31m"),
            "\\u{1b}]0;owned\\u{7} \\u{1b}[2J\\u{d}\\u{a}\\u{9b}31m"
        );
        assert_eq!(printable("abc\u{202e}def"), "abc\\u{202e}def");
        assert_eq!(printable("naïve – ok"), "naïve – ok");
    }

    #[test]
    fn ascii_keeps_our_own_signs_readable() {
        assert_eq!(printable_ascii("50 µs · p99 ≥ 1 …"), "50 us | p99 >= 1 ...");
        assert_eq!(printable_ascii("é"), "\\u{e9}");
    }

    proptest! {
        #[test]
        fn nothing_printed_is_a_control_character(text in any::<String>()) {
            prop_assert!(printable(&text).chars().all(|c| !c.is_control()));
            prop_assert!(printable_ascii(&text).bytes().all(|b| (0x20..0x7f).contains(&b)));
        }
    }
}
