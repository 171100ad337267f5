//! Histograms of times.

use hdrhistogram::Histogram;

/// The greatest value of a histogram, in ns: one hour. Greater values are counted as this
/// value.
const GREATEST_NS: u64 = 3_600_000_000_000;

/// Significant decimal digits of a histogram: 0.1% of a value.
const DIGITS: u8 = 3;

/// An empty histogram with the range and precision of all of ours.
pub fn histogram() -> Histogram<u64> {
    // The bounds are constants that the library accepts; were they not, every test would fail.
    Histogram::new_with_bounds(1, GREATEST_NS, DIGITS)
        .unwrap_or_else(|_| unreachable!("constant bounds"))
}

/// Adds the values of another histogram: only what was recorded is looked at, a fraction of the
/// buckets.
pub fn add(to: &mut Histogram<u64>, other: &Histogram<u64>) {
    for value in other.iter_recorded() {
        to.saturating_record_n(
            value.value_iterated_to(),
            value.count_since_last_iteration(),
        );
    }
}
