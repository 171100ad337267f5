//! The interval log: HdrHistogram log format 1.3, V2 compressed, values in ns,
//! one line a quantity and interval, tagged with the quantity's name; intervals
//! of the warm-up carry `warmup.` before it.

use std::io::Write;

use anyhow::Context;
use base64::engine::general_purpose::STANDARD as BASE64;
use base64::Engine;
use flate2::{Compress, Compression, FlushCompress};
use hdrhistogram::serialization::{Serializer, V2Serializer};
use hdrhistogram::Histogram;

use super::figures::Quantities;
use runfair_measuring::recording::output::Output;

/// The greatest value of an interval stands in the log in milliseconds, for people.
const NS_A_MILLISECOND: f64 = 1e6;

/// What a compressed V2 histogram begins with: this, and the length of the zlib
/// stream that follows, big-endian (HdrHistogram, "V2 encoding").
const COMPRESSED_COOKIE: u32 = 0x1c84_9314;

/// Writes intervals into an [`Output`].
///
/// The library's own compressing serializer would do, but for its cost: it sets up
/// a compressor for every histogram, forty times a second. Here one is kept.
pub struct IntervalLog {
    output: Output,
    serializer: V2Serializer,
    compressor: Compress,
    plain: Vec<u8>,
    binary: Vec<u8>,
    text: String,
}

impl IntervalLog {
    /// Begins the log of a run that started at a realtime instant; `comments` say
    /// what it was, one line each.
    pub fn new(output: Output, started_realtime_ns: u64, comments: &[String]) -> Self {
        let mut log = Self {
            output,
            serializer: V2Serializer::new(),
            compressor: Compress::new(Compression::fast(), true),
            plain: Vec::new(),
            binary: Vec::new(),
            text: String::new(),
        };
        let seconds = started_realtime_ns as f64 / 1e9;
        let mut heading = String::from("#[Histogram log format version 1.3]\n");
        for comment in comments {
            heading.push_str(&format!("#[{}]\n", comment.replace(['\n', '\r'], " ")));
        }
        heading.push_str(&format!(
            "#[BaseTime: {seconds:.3} (seconds since epoch)]\n\
             #[StartTime: {seconds:.3} (seconds since epoch)]\n\
             \"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n"
        ));
        log.put(heading.as_bytes());
        log.output.commit();
        log
    }

    /// Writes the lines of one interval (`from_ns` to `to_ns` since the start), all
    /// or none. A quantity of which nothing was recorded has no line.
    ///
    /// # Errors
    /// A histogram that cannot be serialised: a bug of ours. A full disk is not an
    /// error here: [`Self::output`] tells it.
    pub fn write(
        &mut self,
        (from_ns, to_ns): (u64, u64),
        warmup: Option<&Quantities>,
        measured: &Quantities,
    ) -> anyhow::Result<()> {
        let phases = [("warmup.", warmup), ("", Some(measured))];
        for (prefix, quantities) in phases {
            let Some(quantities) = quantities.filter(|quantities| !quantities.is_empty()) else {
                continue;
            };
            for (name, histogram) in quantities.named() {
                if histogram.is_empty() {
                    continue;
                }
                self.encode(histogram)?;
                let line = format!(
                    "Tag={prefix}{name},{:.6},{:.6},{:.3},{}\n",
                    from_ns as f64 / 1e9,
                    (to_ns - from_ns) as f64 / 1e9,
                    histogram.max() as f64 / NS_A_MILLISECOND,
                    self.text,
                );
                self.put(line.as_bytes());
            }
        }
        self.output.commit();
        Ok(())
    }

    /// Puts a histogram's V2 compressed form into `text`.
    fn encode(&mut self, histogram: &Histogram<u64>) -> anyhow::Result<()> {
        self.plain.clear();
        self.serializer
            .serialize(histogram, &mut self.plain)
            .context("a histogram cannot be serialised")?;
        self.binary.clear();
        self.binary
            .extend_from_slice(&COMPRESSED_COOKIE.to_be_bytes());
        self.binary.extend_from_slice(&[0; 4]);
        // The compressor only fills room that is there: enough for what does not shrink.
        self.binary.reserve(self.plain.len() + 1024);
        self.compressor.reset();
        self.compressor
            .compress_vec(&self.plain, &mut self.binary, FlushCompress::Finish)
            .context("a histogram cannot be compressed")?;
        let length = (self.binary.len() - 8) as u32;
        self.binary[4..8].copy_from_slice(&length.to_be_bytes());
        self.text.clear();
        BASE64.encode_string(&self.binary, &mut self.text);
        Ok(())
    }

    /// The file, to ask for its failure.
    pub fn output(&self) -> &Output {
        &self.output
    }

    fn put(&mut self, bytes: &[u8]) {
        // Writing to an Output goes to memory until it is committed.
        let written = self.output.write_all(bytes);
        debug_assert!(written.is_ok());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::records::Record;
    use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};
    use hdrhistogram::serialization::Deserializer;

    #[test]
    fn the_librarys_own_reader_gets_back_what_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.hlog");
        let mut output = Output::create(&path).unwrap();
        output.take_place();
        let mut log = IntervalLog::new(output, 1_700_000_000_250_000_000, &["a\nb".to_owned()]);
        let mut warmup = Quantities::default();
        let mut measured = Quantities::default();
        for value in [50_000, 60_000, 200_000_000] {
            let instants = Record {
                done_ns: value,
                ..Record::default()
            };
            measured.record(&instants);
            warmup.record(&instants);
        }
        log.write((0, 100_000_000), Some(&warmup), &Quantities::default())
            .unwrap();
        log.write((100_000_000, 200_000_000), None, &measured)
            .unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let mut tags = Vec::new();
        for entry in IntervalLogIterator::new(&bytes) {
            let LogEntry::Interval(interval) = entry.unwrap() else {
                continue;
            };
            tags.push(interval.tag().unwrap().to_string());
            let binary = BASE64.decode(interval.encoded_histogram()).unwrap();
            let read: Histogram<u64> = Deserializer::new()
                .deserialize(&mut binary.as_slice())
                .unwrap();
            if interval.tag().unwrap().to_string() == "latency" {
                assert_eq!(read.len(), 3);
                assert_eq!(read.max(), measured.latency.max());
                assert_eq!(interval.start_timestamp().as_millis(), 100);
            }
        }
        assert_eq!(
            tags,
            [
                "warmup.latency",
                "warmup.queue_wait",
                "warmup.send_lag",
                "warmup.service_time",
                "latency",
                "queue_wait",
                "send_lag",
                "service_time"
            ]
        );
    }
}
