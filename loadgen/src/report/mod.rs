//! What a run says when it is over, and while it lasts.
//!
//! | File | What it says | To whom |
//! |---|---|---|
//! | [`result`] | everything, as JSON (`schemas/result.schema.json`) | programs |
//! | [`mod@table`] | one screen with the verdict | people |
//! | [`progress`] | a live line, or JSON Lines | both |
//! | [`percentiles`] | the percentile distribution (`.hgrm`) | HdrHistogram's tools |
//!
//! The rest serves them: [`requests`], [`opening`], [`target_share`] and [`generator`] are parts of the
//! document;
//! `quantities` lays percentiles out; `lines`, [`units`] and [`screen`] say how text is
//! broken, how a quantity is written, and what a screen can show.

pub mod generator;
mod lines;
pub mod opening;
pub mod percentiles;
pub mod progress;
mod quantities;
pub mod requests;
pub mod result;
pub mod screen;
pub mod table;
pub mod target_share;
#[cfg(test)]
mod tests_result;
#[cfg(test)]
mod tests_table;
pub mod units;

pub use percentiles::write_percentiles;
pub use progress::{Progress, ProgressReporter, ProgressStyle};
pub use result::{schema, RunResult};
pub use screen::Screen;
pub use table::table;
