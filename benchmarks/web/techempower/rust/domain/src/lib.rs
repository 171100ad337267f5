//! What every framework's program has in common: the tables, the page of the fortunes, and what
//! a request asks for (benchmarks/web/techempower/contract.md).

mod database;
mod failure;
mod fortunes;
mod listening;
mod message;
mod shares;
mod wanted;

pub use database::{Database, World};
pub use failure::Failure;
pub use listening::listening;
pub use message::{Message, GREETING};
pub use shares::Shares;
pub use wanted::Wanted;
