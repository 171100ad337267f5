//! Measures the delay that the relay itself adds to a round trip, and its cost.
//!
//! A client sends questions to an echo server over the loopback interface, one at a time. A
//! closed loop is enough, because only the relay's delay is measured. The client asks directly
//! and through a relay in this process, in short alternating turns. A disturbance of the
//! machine therefore affects both.

mod comparison;
mod echo;

pub use comparison::{calibrate, Calibration};
