//! A plan carried out: the load run, the run judged, the result put together.
//!
//! Above the engine and the report, which know nothing of each other.

pub mod evidence;
pub mod files;
pub mod progress;
pub mod result;
pub mod session;
