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
            Ok(number) => number.clamp(1, MOST_QUERIES as i64) as usize,
            Err(error) if *error.kind() == IntErrorKind::PosOverflow => MOST_QUERIES,
            Err(_) => 1,
        }
    }
}
