//! Counters of the task's own work.

/// Counts operations, or compiles to nothing.
pub trait Counter {
    /// Whether anything is counted: a benchmark may take counts from what it made.
    const COUNTS: bool = true;

    fn tick(&mut self, counter: usize);
}

/// The counter of timed iterations.
pub struct Uncounted;

impl Counter for Uncounted {
    const COUNTS: bool = false;

    #[inline(always)]
    fn tick(&mut self, _counter: usize) {}
}

/// The counter of `--count`.
pub struct Counted(pub(crate) Vec<u64>);

impl Counter for Counted {
    fn tick(&mut self, counter: usize) {
        self.0[counter] += 1;
    }
}
