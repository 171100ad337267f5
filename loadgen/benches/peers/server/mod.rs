//! The reference server: an epoll loop with a fixed answer that logs, for every request, the
//! kernel's stamp of its arrival and its own stamp after writing the answer.
//!
//! | file | what |
//! |---|---|
//! | [`serving`] | the server itself, run in a process of its own |
//! | [`head_end`] | counting requests in a stream of bytes |
//! | [`log`] | the log of arrivals, in memory and on disk |
//! | [`child`] | starting, freezing and ending that process |

pub mod child;
pub mod head_end;
pub mod log;
pub mod serving;

pub use child::ReferenceServer;
pub use log::Arrival;
pub use serving::ANSWER;
