//! What a benchmark measures beside its times.

/// A figure of the benchmark's own, beside its times.
pub struct Metric {
    pub name: String,
    pub value: f64,
    pub unit: String,
}

pub enum Series {
    Values(Vec<f64>),
    /// An HdrHistogram, V2 compressed, base 64.
    Hdr(String),
}

pub struct Sample {
    pub name: String,
    pub unit: String,
    pub series: Series,
}

#[derive(Default)]
pub struct Measurements {
    pub metrics: Vec<Metric>,
    pub samples: Vec<Sample>,
}
