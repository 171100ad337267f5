use std::num::IntErrorKind;

use serde::Deserialize;

const MOST_QUERIES: usize = 500;

/// The query string of `multiple-queries` and `updates`.
#[derive(Deserialize)]
pub struct Wanted {
    queries: Option<String>,
}

impl Wanted {
    /// What the text means as a number of queries.
    pub fn count(&self) -> usize {
        let Some(text) = &self.queries else { return 1 };
        match text.parse::<i64>() {
            _ if text.starts_with('+') => 1,
            Ok(number) => number.clamp(1, MOST_QUERIES as i64) as usize,
            Err(error) if *error.kind() == IntErrorKind::PosOverflow => MOST_QUERIES,
            Err(_) => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Wanted;

    #[test]
    fn a_text_states_a_number_of_queries() {
        let (high, low) = ("9".repeat(5000), format!("-{}", "9".repeat(5000)));
        for (text, expected) in [
            ("", 1),
            ("foo", 1),
            ("0", 1),
            ("-3", 1),
            ("20x", 1),
            ("2_0", 1),
            ("+20", 1),
            ("2", 2),
            ("500", 500),
            ("501", 500),
            (&high, 500),
            (&low, 1),
        ] {
            let queries = Some(text.to_owned());
            assert_eq!(Wanted { queries }.count(), expected, "{text:.20}");
        }
    }
}
