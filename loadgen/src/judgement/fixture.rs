//! Honest runs for the tests: what each liar of the checks is made from.

use super::autocorrelation::Lag1;
use super::block::Timeline;
use super::censored::Failed;
use super::counts::{Counts, Failure};
use super::evidence::{Evidence, Loop, Mode, Quantities, Quantity, SenderThread};
use hdrhistogram::Histogram;

/// A small seeded generator (Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators", OOPSLA 2014: SplitMix64): a test that fails once fails always.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        // Mixed once: neighbouring seeds would otherwise give one stream, shifted.
        Self(Self(seed).next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Uniform in the open interval (0, 1).
    pub(crate) fn uniform(&mut self) -> f64 {
        ((self.next() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// Exponential with mean 1.
    pub(crate) fn exponential(&mut self) -> f64 {
        -self.uniform().ln()
    }

    /// Normal with mean 0 and variance 1 (Box and Muller).
    pub(crate) fn normal(&mut self) -> f64 {
        (2.0 * self.exponential()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

/// A histogram of nanoseconds up to an hour, three digits, as the recorder keeps them.
pub(crate) fn histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, 3_600_000_000_000, 3).unwrap()
}

/// The length of the recorder's intervals.
pub(crate) const INTERVAL_NS: u64 = 100_000_000;

/// One request of an invented run, in nanoseconds.
#[derive(Clone, Copy)]
pub(crate) struct Request {
    pub(crate) intended_ns: u64,
    pub(crate) queue_wait_ns: u64,
    pub(crate) send_lag_ns: u64,
    pub(crate) service_time_ns: u64,
}

impl Request {
    pub(crate) fn latency_ns(&self) -> u64 {
        self.queue_wait_ns + self.send_lag_ns + self.service_time_ns
    }
}

/// A quantity from its values and the times at which they were known.
pub(crate) fn quantity(values: impl Iterator<Item = (u64, u64)>) -> Quantity {
    let mut found = Quantity {
        histogram: histogram(),
        timeline: Timeline::new(INTERVAL_NS),
        failed: None,
    };
    for (done_ns, value_ns) in values {
        found.histogram.record(value_ns).unwrap();
        found.timeline.record(done_ns, value_ns);
    }
    found
}

/// Ten seconds of 2,000 requests a second, constant, in the default mode: latencies are
/// independent, the generator is 20 µs late in the median, nothing else runs.
pub(crate) fn honest_requests(seed: u64) -> Vec<Request> {
    let mut random = Random::new(seed);
    (0..20_000)
        .map(|index| Request {
            intended_ns: index * 500_000,
            queue_wait_ns: 0,
            send_lag_ns: 5_000 + (15_000.0 * random.uniform()) as u64,
            service_time_ns: (1_000_000.0 * (0.3 * random.normal()).exp()) as u64,
        })
        .collect()
}

/// The honest run's evidence.
pub(crate) fn honest() -> Evidence {
    evidence_of(&honest_requests(1))
}

/// Evidence of an untroubled generator for the given requests.
pub(crate) fn evidence_of(requests: &[Request]) -> Evidence {
    let count = requests.len() as u64;
    let of = |value: fn(&Request) -> u64| {
        quantity(
            requests
                .iter()
                .map(|request| (request.intended_ns + request.latency_ns(), value(request))),
        )
    };
    let mut punctual = histogram();
    let mut lag1 = Lag1::default();
    for request in requests {
        punctual
            .record(request.latency_ns() - request.send_lag_ns)
            .unwrap();
        lag1.observe(super::block::bucket_of(request.latency_ns()));
    }
    Evidence {
        loop_kind: Loop::Open,
        mode: Mode::Default,
        offered_per_s: 2_000.0,
        elapsed_ns: 10_000_000_000,
        counts: Counts {
            scheduled: count,
            sent: count,
            good: count,
            checkable: count,
            checked: count,
            connections_opened: 50,
            ..Counts::default()
        },
        answers: count,
        quantities: Quantities {
            latency: of(Request::latency_ns),
            queue_wait: of(|request| request.queue_wait_ns),
            send_lag: of(|request| request.send_lag_ns),
            service_time: of(|request| request.service_time_ns),
        },
        punctual,
        lag1,
        threads: vec![SenderThread {
            cpu_share: 0.1,
            spin_share: 0.0,
            run_queue_share: Some(0.001),
            ..SenderThread::default()
        }],
        reads_at_once: false,
        connections: 50,
        servers: Vec::new(),
        interrupted: false,
        cut_off: 0,
        given_up: false,
    }
}

/// Lets one more request fail at each of these instants, at a latency that nobody knows.
pub(crate) fn fail_at(evidence: &mut Evidence, instants_ns: impl Iterator<Item = u64>) {
    let instants_ns: Vec<u64> = instants_ns.collect();
    fail(evidence, instants_ns.len() as u64);
    let quantities = &mut evidence.quantities;
    for quantity in [&mut quantities.latency, &mut quantities.service_time] {
        for at_ns in &instants_ns {
            quantity.timeline.record_failures(*at_ns, 1);
        }
    }
}

/// Lets so many more requests fail, at a latency and a time that nobody knows.
pub(crate) fn fail(evidence: &mut Evidence, count: u64) {
    evidence.counts.failures[Failure::Reset as usize] = count;
    let quantities = &mut evidence.quantities;
    for quantity in [&mut quantities.latency, &mut quantities.service_time] {
        quantity.failed = Some(Failed {
            given_up: histogram(),
            others: count,
            timeout_ns: 5_000_000_000,
        });
    }
}
