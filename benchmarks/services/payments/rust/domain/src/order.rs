use serde::Serialize;

use crate::digits::{number, Malformed};

pub const QUERY: &str = "SELECT id, customer, status, amount, note FROM orders WHERE id = $1";

/// A row of the table, and the answer to `GET /order/ID`.
#[derive(Serialize)]
pub struct Order {
    pub id: i64,
    pub customer: String,
    pub status: String,
    pub amount: i64,
    pub note: String,
}

/// The id that a path names.
pub fn order_id(text: &str) -> Result<i64, Malformed> {
    number(text, i64::MAX)
}
