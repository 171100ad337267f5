//! The accounting of a relay: a record of every query, figures over all queries, and the
//! report.

pub mod account;
pub mod quantiles;
pub mod records;
pub mod report;

pub use account::Account;
pub use quantiles::Quantiles;
pub use records::{Outcome, QueryRecords};
pub use report::{schema_text, Report};
