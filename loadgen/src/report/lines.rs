//! Text cut and broken to a width.

use textwrap::{Options, WordSplitter};

/// The first `limit` characters of `text`, with `...` where some were left out.
pub fn clipped(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    let kept: String = text.chars().take(limit.saturating_sub(3)).collect();
    format!("{kept}...")
}

/// `text` broken at spaces into lines of at most `width` characters. A number stays with
/// the word after it (`10 s`, `50 connections`); a longer word is cut.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let options = Options::new(width.max(1)).word_splitter(WordSplitter::NoHyphenation);
    let text = glued(text);
    let lines = textwrap::wrap(&text, options).into_iter();
    lines.map(|line| line.replace(GLUE, " ")).collect()
}

/// Stands for a space at which a line does not break.
const GLUE: char = '\u{a0}';

/// The text with each number glued to the word after it.
fn glued(text: &str) -> String {
    let is_number = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_digit())
            && word
                .chars()
                .all(|c| c.is_ascii_digit() || c == '.' || c == ',')
    };
    let mut glued = String::with_capacity(text.len() + 16);
    let mut after_number = false;
    for word in text.split(' ') {
        if !glued.is_empty() {
            glued.push(if after_number { GLUE } else { ' ' });
        }
        glued.push_str(word);
        after_number = !after_number && is_number(word);
    }
    glued
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn long_text_is_clipped_and_says_so() {
        assert_eq!(clipped("abcdef", 6), "abcdef");
        assert_eq!(clipped("abcdefg", 6), "abc...");
    }

    #[test]
    fn lines_break_at_spaces_and_long_words_are_cut() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(wrapped("", 10), [""]);
        assert_eq!(
            wrapped("for 10 s at 1,000 requests", 6),
            ["for", "10 s", "at", "1,000 ", "reques", "ts"]
        );
    }

    proptest! {
        #[test]
        fn wrapping_loses_no_letter_and_keeps_the_width(text in "[a-z0-9 ]{0,200}", width in 1usize..60) {
            let lines = wrapped(&text, width);
            prop_assert!(lines.iter().all(|line| line.chars().count() <= width));
            let letters = |text: &str| text.chars().filter(|c| *c != ' ').collect::<String>();
            prop_assert_eq!(letters(&lines.concat()), letters(&text));
        }
    }
}
