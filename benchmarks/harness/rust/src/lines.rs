//! What a program says, a line an event.

use std::io::{self, Write};

use crate::clocks::monotonic_ns;
use crate::json::{number, Object};
use crate::measurements::{Metric, Sample, Series};

/// The contract allows ten writes a second.
const WRITE_INTERVAL_NS: u64 = 100_000_000;

/// When one iteration began, and what it took.
pub(crate) struct Times {
    pub(crate) started_monotonic_ns: u64,
    pub(crate) wall_ns: u64,
    pub(crate) cpu_ns: u64,
}

/// Lines of output, kept until there is time to write them.
pub struct Lines<W> {
    output: W,
    kept: String,
    written_monotonic_ns: u64,
}

impl<W: Write> Lines<W> {
    pub fn new(output: W) -> Self {
        Self { output, kept: String::new(), written_monotonic_ns: 0 }
    }

    pub(crate) fn add(&mut self, line: Object) {
        self.kept.push_str(&line.end());
        self.kept.push('\n');
    }

    /// To be called between iterations.
    pub(crate) fn write_if_due(&mut self) -> io::Result<()> {
        if monotonic_ns() - self.written_monotonic_ns >= WRITE_INTERVAL_NS {
            self.write()?;
        }
        Ok(())
    }

    pub fn write(&mut self) -> io::Result<()> {
        self.output.write_all(self.kept.as_bytes())?;
        self.output.flush()?;
        self.kept.clear();
        self.written_monotonic_ns = monotonic_ns();
        Ok(())
    }

    pub(crate) fn iteration(&mut self, index: u64, times: &Times, digest: u64, metrics: &[Metric]) {
        let mut line = Object::event("iteration")
            .json("index", index)
            .json("started_monotonic_ns", times.started_monotonic_ns)
            .json("wall_ns", times.wall_ns)
            .json("cpu_ns", times.cpu_ns)
            .text("digest", &format!("{digest:016x}"));
        if !metrics.is_empty() {
            let all = metrics.iter().fold(Object::new(), |all, metric| {
                let one = Object::new().json("value", number(metric.value));
                all.json(&metric.name, one.text("unit", &metric.unit).end())
            });
            line = line.json("metrics", all.end());
        }
        self.add(line);
    }

    pub(crate) fn sample(&mut self, sample: &Sample) {
        let line = Object::event("sample").text("name", &sample.name).text("unit", &sample.unit);
        self.add(match &sample.series {
            Series::Hdr(histogram) => line.text("hdr", histogram),
            Series::Values(values) => {
                let values: Vec<String> = values.iter().map(|&v| number(v).to_string()).collect();
                line.json("values", format_args!("[{}]", values.join(",")))
            }
        });
    }

    /// A service is ready to be asked; written at once.
    pub fn ready(&mut self, host: &str, port: u16) -> io::Result<()> {
        self.add(Object::event("ready").text("host", host).json("port", port));
        self.write()
    }
}
