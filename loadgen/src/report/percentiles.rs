//! The percentile distribution of a histogram as text (`.hgrm`).
//!
//! The layout is the one HdrHistogram's own `HistogramLogProcessor` prints
//! (`AbstractHistogram.outputPercentileDistribution`), so that its plotters and every
//! script that reads wrk2's spectrum read ours.

use std::io::{self, Write};

use hdrhistogram::Histogram;

/// Steps in each half of the remaining distance to 100%: the processor's default.
pub const TICKS_PER_HALF_DISTANCE: u32 = 5;
/// Values are recorded in nanoseconds and printed in milliseconds.
const NS_PER_MS: f64 = 1e6;

/// Writes the percentile distribution of `histogram` (of nanoseconds), in milliseconds.
///
/// # Errors
/// Whatever `out` fails with.
pub fn write_percentiles(histogram: &Histogram<u64>, out: &mut impl Write) -> io::Result<()> {
    let digits = usize::from(histogram.sigfig());
    writeln!(
        out,
        "{:>12} {:>14} {:>10} {:>14}\n",
        "Value", "Percentile", "TotalCount", "1/(1-Percentile)"
    )?;
    let mut total = 0u64;
    for step in histogram.iter_quantiles(TICKS_PER_HALF_DISTANCE) {
        total += step.count_since_last_iteration();
        let value_ms = histogram.highest_equivalent(step.value_iterated_to()) as f64 / NS_PER_MS;
        let level = step.quantile_iterated_to();
        if level < 1.0 {
            let inverse = 1.0 / (1.0 - level);
            writeln!(
                out,
                "{value_ms:12.digits$} {level:2.12} {total:10} {inverse:14.2}"
            )?;
        } else {
            writeln!(out, "{value_ms:12.digits$} {level:2.12} {total:10}")?;
        }
    }
    let layout = Layout::of(histogram);
    let mean_ms = histogram.mean() / NS_PER_MS;
    let deviation_ms = histogram.stdev() / NS_PER_MS;
    let max_ms = if histogram.is_empty() {
        0.0
    } else {
        histogram.highest_equivalent(histogram.max()) as f64 / NS_PER_MS
    };
    writeln!(
        out,
        "#[Mean    = {mean_ms:12.digits$}, StdDeviation   = {deviation_ms:12.digits$}]"
    )?;
    writeln!(
        out,
        "#[Max     = {max_ms:12.digits$}, Total count    = {:12}]",
        histogram.len()
    )?;
    writeln!(
        out,
        "#[Buckets = {:12}, SubBuckets     = {:12}]",
        layout.buckets, layout.sub_buckets
    )
}

/// How a histogram's memory is laid out: the library keeps it to itself, the footer
/// prints it, and both numbers follow from the range and the precision
/// (`AbstractHistogram.init` and `getBucketsNeededToCoverValue`).
struct Layout {
    buckets: u32,
    sub_buckets: u64,
}

impl Layout {
    fn of(histogram: &Histogram<u64>) -> Self {
        let unit_resolution = 2 * 10u64.pow(u32::from(histogram.sigfig()));
        let sub_buckets = unit_resolution.next_power_of_two();
        let unit_magnitude = histogram.low().max(1).ilog2();
        let mut untrackable = sub_buckets << unit_magnitude;
        let mut buckets = 1;
        while untrackable <= histogram.high() {
            buckets += 1;
            match untrackable.checked_mul(2) {
                Some(next) if next <= i64::MAX as u64 => untrackable = next,
                _ => break,
            }
        }
        Self {
            buckets,
            sub_buckets,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the Java library (HdrHistogram 2.2.2) prints of the same values.
    const OF_JAVA: &str = include_str!("../../tests/golden/percentiles.hgrm");
    const EMPTY_OF_JAVA: &str = include_str!("../../tests/golden/percentiles-empty.hgrm");
    const HOUR_NS: u64 = 3_600_000_000_000;

    fn text(histogram: &Histogram<u64>) -> String {
        let mut out = Vec::new();
        write_percentiles(histogram, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_same_text_as_the_reference_library() {
        let mut histogram = Histogram::new_with_max(HOUR_NS, 3).unwrap();
        let mut state = 1u64;
        for _ in 0..10_000 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            histogram.record(20_000 + (state >> 33) % 60_000).unwrap();
        }
        for slow_ns in [200_000_000, 1_500_000, 1_500_000] {
            histogram.record(slow_ns).unwrap();
        }
        assert_eq!(text(&histogram), OF_JAVA);
    }

    #[test]
    fn an_empty_histogram_has_a_heading_and_a_footer() {
        let histogram = Histogram::new_with_max(HOUR_NS, 3).unwrap();
        assert_eq!(text(&histogram), EMPTY_OF_JAVA);
    }
}
