//! The system calls that the programs make themselves: clocks, readiness, sockets with
//! receive time stamps, the scheduling of their own threads, processors kept awake.
//!
//! Only here unsafe code is allowed: every block is one system call on memory that lives for the
//! call.
#![allow(unsafe_code)]

pub mod awake_processors;
pub mod clock;
pub mod descriptors;
pub mod epoll;
pub mod signal;
pub mod socket;
pub mod tcp_losses;
pub mod thread;
pub mod usage;
