//! What every framework's program has in common: its command line, what it keeps in memory, and
//! the answers (benchmarks/services/payments/contract.md).

mod digits;
mod order;
mod payment;
mod payments;
mod processor;
mod routing;

pub use digits::Malformed;
pub use order::{order_id, Order, QUERY};
pub use payment::{amount, payable, Payment, Receipt};
pub use payments::Payments;
pub use processor::Processor;
pub use routing::{Choice, Routing};
