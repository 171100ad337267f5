use std::array;

use serde::{Deserialize, Serialize};

use crate::digits::{only_digits, Malformed};
use crate::processor::{Processor, FEATURES};

const MOST: i64 = 1_000_000_000;
const DIGITS: usize = 16;

/// What `POST /route` is asked.
#[derive(Deserialize)]
pub struct Routing {
    pub amount: i64,
    pub country: String,
    pub card: String,
}

/// What it answers.
#[derive(Serialize)]
pub struct Choice<'a> {
    pub processor: &'a str,
    pub score: i64,
    pub fee: i64,
    pub eligible: u32,
}

impl Routing {
    /// Fails for an amount that is out of range or a card that is none.
    pub fn checked(self) -> Result<Self, Malformed> {
        let card = self.card.len() == DIGITS && only_digits(&self.card);
        if card && (1..=MOST).contains(&self.amount) {
            Ok(self)
        } else {
            Err(Malformed)
        }
    }

    /// The best of the processors, or none where no one serves the country.
    pub fn choice<'a>(&self, processors: &'a [Processor]) -> Option<Choice<'a>> {
        let features = self.features();
        let mut best: Option<Choice> = None;
        let mut eligible = 0;
        for processor in processors.iter().filter(|one| one.serves(&self.country)) {
            eligible += 1;
            let fee = processor.fee(self.amount);
            let score = processor.score(fee, &features);
            if best.as_ref().is_none_or(|best| score > best.score) {
                best = Some(Choice { processor: &processor.id, score, fee, eligible });
            }
        }
        best.map(|best| Choice { eligible, ..best })
    }

    fn features(&self) -> [i32; FEATURES] {
        let card = self.card.as_bytes();
        array::from_fn(|i| {
            let digit = i64::from(card[i % DIGITS] - b'0');
            ((self.amount >> (i % 24) ^ digit) & 255) as i32
        })
    }
}
