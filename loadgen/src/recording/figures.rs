//! The four quantities of a request as histograms, of one worker and one interval.

use hdrhistogram::Histogram;
use runfair_measuring::recording::histogram::{add, histogram};

use super::openings::Opening;
use super::records::Record;
use crate::judgement::autocorrelation::Lag1;
use crate::judgement::block::bucket_of;
use crate::judgement::counts::{Counts, Failure};

/// Histograms in ns of one phase: latency and service time of the good answers,
/// queue wait and send lag of every request that was sent.
pub struct Quantities {
    /// done − intended.
    pub latency: Histogram<u64>,
    /// intended → a connection is free.
    pub queue_wait: Histogram<u64>,
    /// sent − the later of intended and free: the generator's own lateness.
    pub send_lag: Histogram<u64>,
    /// done − sent.
    pub service_time: Histogram<u64>,
    /// latency − send_lag: what it would have been with a punctual generator.
    pub punctual: Histogram<u64>,
    /// intended → given up, of requests that were not answered in time, sent or not.
    pub given_up: Histogram<u64>,
    /// sent → given up, of those that were sent.
    pub given_up_since_sent: Histogram<u64>,
}

impl Default for Quantities {
    fn default() -> Self {
        Self {
            latency: histogram(),
            queue_wait: histogram(),
            send_lag: histogram(),
            service_time: histogram(),
            punctual: histogram(),
            given_up: histogram(),
            given_up_since_sent: histogram(),
        }
    }
}

impl Quantities {
    /// Records one good answer.
    #[inline]
    pub fn record(&mut self, at: &Record) {
        let latency = at.done_ns - at.intended_ns;
        self.latency.saturating_record(latency);
        self.service_time.saturating_record(at.done_ns - at.sent_ns);
        self.punctual
            .saturating_record(latency - (at.sent_ns - at.free_ns));
        self.record_sending(at);
    }

    /// Records how one request was sent, whatever became of it.
    #[inline]
    pub fn record_sending(&mut self, at: &Record) {
        self.queue_wait
            .saturating_record(at.free_ns - at.intended_ns);
        self.send_lag.saturating_record(at.sent_ns - at.free_ns);
    }

    /// The four that are reported, with their names in every file.
    pub fn named(&self) -> [(&'static str, &Histogram<u64>); 4] {
        [
            ("latency", &self.latency),
            ("queue_wait", &self.queue_wait),
            ("send_lag", &self.send_lag),
            ("service_time", &self.service_time),
        ]
    }

    fn all(&mut self) -> [&mut Histogram<u64>; 7] {
        [
            &mut self.latency,
            &mut self.queue_wait,
            &mut self.send_lag,
            &mut self.service_time,
            &mut self.punctual,
            &mut self.given_up,
            &mut self.given_up_since_sent,
        ]
    }

    /// Adds another's.
    pub fn add(&mut self, other: &mut Self) {
        for (ours, theirs) in self.all().into_iter().zip(other.all()) {
            add(ours, theirs);
        }
    }

    fn clear(&mut self) {
        for histogram in self.all() {
            histogram.reset();
        }
    }

    /// Whether none of the four that are reported holds a value.
    pub fn is_empty(&self) -> bool {
        self.send_lag.is_empty()
    }
}

/// The phases of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Phase {
    /// Requests intended before the end of the warm-up.
    Warmup,
    /// Requests intended after the warm-up.
    Measured,
}

/// The figures of one worker in one interval.
#[derive(Default)]
pub struct Figures {
    /// Of requests intended after the warm-up.
    pub measured: Quantities,
    /// Of requests intended in it; only where one was asked for.
    pub warmup: Option<Box<Quantities>>,
    /// How many requests of the measured phase ended how, and what concerns both.
    pub counts: Counts,
    /// How many requests of the warm-up ended how.
    pub warmup_counts: Counts,
    /// Neighbouring latencies of the measured phase.
    pub lag1: Lag1,
    /// Every request that ended, where asked for.
    pub records: Vec<Record>,
    /// Every connection that opened.
    pub openings: Vec<Opening>,
}

impl Figures {
    /// Empty figures, with room for a warm-up where one was asked for. Their memory is
    /// touched now, so that no answer meets a page fault.
    pub fn new(warmup: bool) -> Self {
        let mut figures = Self {
            warmup: warmup.then(Box::default),
            ..Self::default()
        };
        figures.clear();
        figures
    }

    /// Records one good answer.
    #[inline]
    pub fn record(&mut self, phase: Phase, at: &Record) {
        self.counts_of(phase).good += 1;
        match (phase, &mut self.warmup) {
            (Phase::Warmup, Some(warmup)) => warmup.record(at),
            _ => {
                self.measured.record(at);
                self.lag1.observe(bucket_of(at.done_ns - at.intended_ns));
            }
        }
    }

    /// The counts of a phase.
    #[inline]
    pub fn counts_of(&mut self, phase: Phase) -> &mut Counts {
        match phase {
            Phase::Warmup => &mut self.warmup_counts,
            Phase::Measured => &mut self.counts,
        }
    }

    /// Records a request that was sent and got no good answer: `at.done_ns` is when that was
    /// known.
    pub fn record_failure(&mut self, phase: Phase, at: &Record, kind: Failure) {
        self.counts_of(phase).failures[kind as usize] += 1;
        let quantities = self.quantities_of(phase);
        quantities.record_sending(at);
        if kind == Failure::TimedOut {
            quantities
                .given_up
                .saturating_record(at.done_ns - at.intended_ns);
            quantities
                .given_up_since_sent
                .saturating_record(at.done_ns - at.sent_ns);
        }
    }

    /// Records a request that was never sent, and how long it had waited by then.
    pub fn record_unsent(&mut self, phase: Phase, waited_ns: u64, kind: Failure) {
        self.counts_of(phase).failures[kind as usize] += 1;
        if matches!(kind, Failure::Unsent | Failure::TimedOut) {
            let quantities = self.quantities_of(phase);
            quantities.given_up.saturating_record(waited_ns);
        }
    }

    fn quantities_of(&mut self, phase: Phase) -> &mut Quantities {
        match (phase, &mut self.warmup) {
            (Phase::Warmup, Some(warmup)) => warmup,
            _ => &mut self.measured,
        }
    }

    /// Adds another worker's of the same interval.
    pub fn add(&mut self, other: &mut Self) {
        self.measured.add(&mut other.measured);
        if let (Some(ours), Some(theirs)) = (&mut self.warmup, &mut other.warmup) {
            ours.add(theirs);
        }
        self.counts.add(&other.counts);
        self.warmup_counts.add(&other.warmup_counts);
        self.lag1.merge(&other.lag1);
        self.records.append(&mut other.records);
        self.openings.append(&mut other.openings);
    }

    /// Empties the figures without releasing their memory.
    pub fn clear(&mut self) {
        self.measured.clear();
        if let Some(warmup) = &mut self.warmup {
            warmup.clear();
        }
        self.counts = Counts::default();
        self.warmup_counts = Counts::default();
        self.lag1 = Lag1::default();
        self.records.clear();
        self.openings.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quantities_of_one_request() {
        let mut quantities = Quantities::default();
        quantities.record(&Record {
            intended_ns: 1_000,
            free_ns: 1_200,
            sent_ns: 1_230,
            done_ns: 2_000,
            ..Record::default()
        });
        assert_eq!(quantities.latency.max(), 1_000);
        assert_eq!(quantities.queue_wait.max(), 200);
        assert_eq!(quantities.send_lag.max(), 30);
        assert_eq!(quantities.service_time.max(), 770);
        assert_eq!(quantities.punctual.max(), 970);
        let mut sum = Quantities::default();
        sum.add(&mut quantities);
        assert!(!sum.is_empty());
        sum.clear();
        assert!(sum.is_empty());
    }

    #[test]
    fn longer_than_an_hour_is_counted_as_the_greatest() {
        let mut quantities = Quantities::default();
        quantities.record(&Record {
            done_ns: u64::MAX / 2,
            ..Record::default()
        });
        assert_eq!(quantities.latency.len(), 1);
        assert!(quantities.latency.max() >= 3_600_000_000_000);
    }
}
