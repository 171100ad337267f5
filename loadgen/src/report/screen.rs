//! Where text goes: how wide, and whether colour and non-ASCII letters are wanted.

use crate::judgement::nanoseconds::Nanoseconds;
use runfair_measuring::command_line::printable::{printable, printable_ascii};

/// Width assumed where nothing says otherwise (files, pipes): the classic terminal.
const DEFAULT_COLUMNS: usize = 80;
/// Narrower claims are taken as this: no word of ours would fit.
const COLUMNS_MIN: usize = 40;

/// What the place a text is written to can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Screen {
    /// Characters in a line.
    pub columns: usize,
    /// Whether escape sequences for colour may be written.
    pub colour: bool,
    /// Whether letters beyond ASCII (`µ`, `·`) may be written.
    pub unicode: bool,
}

/// Emphasis of a piece of text, by its code (ECMA-48 §8.3.117, SGR); nothing is ever said by colour
/// alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    /// A heading.
    Bold = 1,
    /// `void`.
    Red = 31,
    /// `fair`.
    Green = 32,
    /// `flagged`.
    Yellow = 33,
}

impl Screen {
    /// A file or a pipe: 80 columns, no colour, ASCII only.
    pub const fn plain() -> Self {
        Self {
            columns: DEFAULT_COLUMNS,
            colour: false,
            unicode: false,
        }
    }

    /// What a stream can show. `terminal` says whether it is one, `columns` its
    /// width where known, `environment` looks a variable up (`COLUMNS`,
    /// `NO_COLOR` as <https://no-color.org> defines it, `TERM`, and the locale as
    /// POSIX.1-2017 §8.2 orders it: `LC_ALL`, `LC_CTYPE`, `LANG`).
    pub fn of(
        terminal: bool,
        columns: Option<usize>,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Self {
        if !terminal {
            return Self::plain();
        }
        let set = |name: &str| environment(name).filter(|value| !value.is_empty());
        let columns = set("COLUMNS")
            .and_then(|text| text.parse().ok())
            .or(columns)
            .unwrap_or(DEFAULT_COLUMNS)
            .max(COLUMNS_MIN);
        let dumb = set("TERM").is_none_or(|term| term == "dumb");
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
            .into_iter()
            .find_map(set)
            .unwrap_or_default()
            .to_ascii_uppercase();
        Self {
            columns,
            colour: !dumb && set("NO_COLOR").is_none(),
            unicode: locale.contains("UTF-8") || locale.contains("UTF8"),
        }
    }

    /// `text` in `ink`, or as it is where colour is not wanted.
    pub fn paint(&self, ink: Ink, text: &str) -> String {
        if !self.colour {
            return text.to_owned();
        }
        format!("\x1b[{}m{text}\x1b[0m", ink as u8)
    }

    /// `text`, whoever wrote it, made safe to show here.
    pub fn show(&self, text: &str) -> String {
        if self.unicode {
            printable(text)
        } else {
            printable_ascii(text)
        }
    }

    /// The time `ns` in nanoseconds as text, in the form of [`Nanoseconds`].
    pub fn time(&self, ns: u64) -> String {
        self.show(&Nanoseconds(ns).to_string())
    }

    /// What stands between the parts of a line.
    pub const fn separator(&self) -> &'static str {
        if self.unicode {
            " · "
        } else {
            " | "
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(variables: &[(&str, &str)]) -> Screen {
        Screen::of(true, Some(132), |name| {
            variables
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn a_pipe_is_plain_whatever_the_environment_says() {
        let screen = Screen::of(false, Some(132), |_| Some("en_US.UTF-8".to_owned()));
        assert_eq!(screen, Screen::plain());
    }

    #[test]
    fn a_terminal_has_its_own_width_unless_columns_says_otherwise() {
        assert_eq!(with(&[("TERM", "xterm")]).columns, 132);
        assert_eq!(with(&[("COLUMNS", "100")]).columns, 100);
        assert_eq!(with(&[("COLUMNS", "wide")]).columns, 132);
        assert_eq!(with(&[("COLUMNS", "3")]).columns, COLUMNS_MIN);
    }

    #[test]
    fn no_color_and_dumb_terminals_get_no_escape_sequence() {
        let coloured = with(&[("TERM", "xterm")]);
        assert_eq!(coloured.paint(Ink::Red, "void"), "\x1b[31mvoid\x1b[0m");
        for variables in [
            &[("TERM", "xterm"), ("NO_COLOR", "1")][..],
            &[("TERM", "dumb")],
            &[],
        ] {
            assert_eq!(with(variables).paint(Ink::Red, "void"), "void");
        }
        // An empty NO_COLOR is as good as none, by its definition.
        assert!(with(&[("TERM", "xterm"), ("NO_COLOR", "")]).colour);
    }

    #[test]
    fn letters_beyond_ascii_only_where_the_locale_in_force_has_them() {
        assert!(with(&[("LANG", "C.utf8")]).unicode);
        assert!(!with(&[("LANG", "C.utf8"), ("LC_ALL", "C")]).unicode);
        assert!(!with(&[]).unicode);
    }
}
