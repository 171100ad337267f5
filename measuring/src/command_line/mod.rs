//! The values of options, the reasons to stop before anything is done, and what is printed.

pub mod console;
pub mod decimal;
pub mod duration;
pub mod printable;
pub mod processors;
mod stop;

pub use stop::Stop;
