//! What the relay itself adds to a round trip, and what it costs.
//!
//! A client asks an echo server over loopback, one question at a time (a closed loop, as
//! nothing but the wire is in question), directly and through a relay in this process, in
//! short turns, so that what disturbs the machine disturbs both.

mod comparison;
mod echo;

pub use comparison::{calibrate, Calibration, CalibrationError};
