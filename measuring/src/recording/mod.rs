//! What is recorded: values in histograms, and records in files that always stay valid.

pub mod histogram;
pub mod output;
pub mod record;
pub mod replacement;
