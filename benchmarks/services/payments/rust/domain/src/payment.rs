use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::digits::{number, Malformed};

const MOST: i64 = 1_000_000_000_000;
/// A record's index is the first six bytes of the key, of the eight that are kept.
const INDEX_SHIFT: u32 = 16;

/// What `POST /pay/AMOUNT` is asked.
#[derive(Deserialize)]
pub struct Payment {
    pub card: String,
    pub merchant: String,
    pub currency: String,
}

/// What it answers.
#[derive(Serialize)]
pub struct Receipt<'a> {
    pub status: &'static str,
    pub amount: i64,
    pub currency: &'a str,
    pub merchant: &'a str,
    pub reference: String,
    pub record: &'a str,
}

/// The amount that a path names.
pub fn amount(text: &str) -> Result<i64, Malformed> {
    number(text, MOST)
}

/// An amount that is a number already.
pub fn payable(amount: i64) -> Result<i64, Malformed> {
    if (1..=MOST).contains(&amount) {
        Ok(amount)
    } else {
        Err(Malformed)
    }
}

impl Payment {
    /// Takes the payment.
    pub fn receipt<'a>(&'a self, amount: i64, records: &'a [String]) -> Receipt<'a> {
        let Self { card, merchant, currency } = self;
        let key = Sha256::digest(format!("{card}:{merchant}"))[..8]
            .iter()
            .fold(0_u64, |key, &byte| key << 8 | u64::from(byte));
        Receipt {
            status: "approved",
            amount,
            currency,
            merchant,
            reference: format!("{key:016x}"),
            record: &records[(key >> INDEX_SHIFT) as usize % records.len()],
        }
    }
}
