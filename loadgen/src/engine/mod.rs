//! The engine: threads that own connections and follow the schedule.
//!
//! ```text
//! address   which of a name's addresses is used
//! crew      starts the threads, lets them connect, says when the run starts
//!  └ worker  one thread: its share of the schedule, its connections, its figures
//!     ├ shared_schedule  the next request, of all threads
//!     ├ sending   due requests onto free connections
//!     ├ reading   bytes that have come, made into answers
//!     ├ streams   the same of HTTP/2: several answers at once
//!     ├ outcome   how requests end
//!     ├ unread    what a connection has beyond its turn
//!     ├ losses    segments that were lost, and answers that waited for them
//!     ├ opening   how connections begin and end
//!     ├ pool      connections: opened, free, lost, opened again
//!     ├ growth    more of them while all are busy
//!     ├ giving_up  what is no longer waited for
//!     ├ waiting   until the next request is due, or an answer is there
//!     ├ punctual_send  when a request could have been sent by a generator that is never late
//!     └ pacing    how to wait for the next instant
//! ```
//!
//! The schedule does not depend on the server. If a request is due and no connection is
//! free, it waits in the schedule, and its latency includes the wait.

pub mod address;
pub mod connection;
pub mod crew;
#[cfg(test)]
mod fixture;
mod giving_up;
mod growth;
pub mod load;
mod losses;
mod opening;
mod outcome;
pub mod pacing;
pub mod pool;
pub mod preload;
pub mod punctual_send;
mod reading;
mod sending;
pub mod shared_schedule;
pub mod streams;
mod unread;
mod waiting;
pub mod worker;
