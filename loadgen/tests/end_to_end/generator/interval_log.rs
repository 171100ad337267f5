//! The interval log, read by HdrHistogram's own reader.

use std::collections::BTreeMap;
use std::path::Path;

use base64::engine::general_purpose::STANDARD as BASE64;
use base64::Engine;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};
use hdrhistogram::serialization::Deserializer;
use hdrhistogram::Histogram;

/// All intervals of a log, by their tags.
pub struct IntervalLog {
    /// `latency`, `warmup.latency` and so on; the intervals in order.
    pub intervals: BTreeMap<String, Vec<Histogram<u64>>>,
}

impl IntervalLog {
    /// Reads a file.
    ///
    /// # Panics
    /// It is not a log, or ends in the middle of a line.
    pub fn read(path: &Path) -> Self {
        let bytes = std::fs::read(path).unwrap();
        let mut intervals: BTreeMap<String, Vec<_>> = BTreeMap::new();
        for entry in IntervalLogIterator::new(&bytes) {
            let LogEntry::Interval(interval) = entry.expect("a line of the log format") else {
                continue;
            };
            let tag = interval.tag().expect("a tag").as_str().to_owned();
            let binary = BASE64.decode(interval.encoded_histogram()).unwrap();
            let histogram = Deserializer::new()
                .deserialize(&mut binary.as_slice())
                .unwrap();
            intervals.entry(tag).or_default().push(histogram);
        }
        Self { intervals }
    }

    /// A quantity of the whole run, its warm-up included.
    pub fn whole(&self, quantity: &str) -> Histogram<u64> {
        let mut whole = Histogram::new(3).unwrap();
        for tag in [quantity.to_owned(), format!("warmup.{quantity}")] {
            for interval in self.intervals.get(&tag).into_iter().flatten() {
                whole.add(interval).unwrap();
            }
        }
        whole
    }
}
