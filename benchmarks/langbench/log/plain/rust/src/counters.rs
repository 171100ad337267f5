//! The places of the counters.

pub const LINES: usize = 0;
pub const TOKENS: usize = 1;
pub const NUMBERS: usize = 2;
pub const REFERENCES: usize = 3;
pub const LOG_TYPES: usize = 4;
pub const VARIABLES: usize = 5;
pub const SCANNED: usize = 6;
pub const CANDIDATES: usize = 7;
pub const MATCHES: usize = 8;
