//! Measures the delay that the relay itself adds to a round trip, and its cost.
//!
//! A client asks an echo server over loopback, one question at a time. A closed loop is
//! enough, because only the relay's delay is measured. The client asks directly and through
//! a relay in this process, in short alternating turns, so that disturbances of the machine
//! affect both.

mod comparison;
mod echo;

pub use comparison::{calibrate, Calibration, CalibrationError};
