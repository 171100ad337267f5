//! Merges the figures that workers hand over, interval by interval. The result is written
//! to the logs at once and added to the totals of the run.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::mpsc::{Receiver, Sender};

use super::figures::{Figures, Quantities};
use super::interval_log::IntervalLog;
use super::openings::Openings;
use crate::judgement::autocorrelation::Lag1;
use crate::judgement::block::Timeline;
use crate::judgement::counts::Counts;
use runfair_measuring::recording::output::Output;

/// One worker's figures of one interval.
pub struct HandOver {
    /// The number of the worker.
    pub thread: usize,
    /// The start of the interval, in ns since the run's start.
    pub from_ns: u64,
    /// The end of the interval. The interval is a whole number of interval lengths.
    pub to_ns: u64,
    /// Whether this is the last interval of the worker.
    pub last: bool,
    /// The figures of the worker in this interval.
    pub figures: Box<Figures>,
}

/// The data for the progress line at the end of an interval.
pub struct Interval<'a> {
    /// The end of the interval, in ns since the run's start.
    pub to_ns: u64,
    /// The length of the interval, in ns.
    pub length_ns: u64,
    /// The figures of the interval's good answers.
    pub figures: &'a Figures,
    /// Counts of the whole run so far.
    pub counts: &'a Counts,
    /// The number of complete answers in this interval.
    pub completed: u64,
}

/// The totals of the whole run.
pub struct Totals {
    /// Good answers to requests intended after the warm-up.
    pub measured: Quantities,
    /// Good answers to requests intended in the warm-up.
    pub warmup: Option<Box<Quantities>>,
    /// The numbers of requests of the measured phase by outcome, and counts that concern
    /// both phases.
    pub counts: Counts,
    /// The numbers of requests of the warm-up by outcome.
    pub warmup_counts: Counts,
    /// The times that connections took to open.
    pub openings: Openings,
    /// The sums for the autocorrelation of neighbouring latencies.
    pub lag1: Lag1,
    /// The measured phase's four quantities ([`Quantities::named`]) by time.
    pub timelines: [Timeline; 4],
    /// The same quantities including the warm-up, if there is a warm-up.
    pub whole_timelines: Option<Box<[Timeline; 4]>>,
}

impl Totals {
    /// The numbers of requests of the whole run by outcome.
    pub fn whole_counts(&self) -> Counts {
        let mut counts = self.counts;
        counts.add(&self.warmup_counts);
        counts
    }
}

/// The files to which the collector writes.
#[derive(Default)]
pub struct Outputs {
    /// The interval log.
    pub log: Option<IntervalLog>,
    /// The raw records.
    pub records: Option<Output>,
}

/// Figures that wait for the other workers' figures of the same interval.
struct Pending {
    from_ns: u64,
    owner: usize,
    figures: Box<Figures>,
}

/// Collects figures until every worker has handed over its last interval.
pub struct Collector<'a> {
    outputs: &'a mut Outputs,
    emptied: Vec<Sender<Box<Figures>>>,
    reached_ns: Vec<u64>,
    pending: BTreeMap<u64, Pending>,
    totals: Totals,
}

impl<'a> Collector<'a> {
    /// A collector for as many workers as there are ways back.
    pub fn new(
        outputs: &'a mut Outputs,
        emptied: Vec<Sender<Box<Figures>>>,
        interval_ns: u64,
        warmup: bool,
    ) -> Self {
        Self {
            outputs,
            reached_ns: vec![0; emptied.len()],
            emptied,
            pending: BTreeMap::new(),
            totals: Totals {
                measured: Quantities::default(),
                warmup: warmup.then(Box::default),
                counts: Counts::default(),
                warmup_counts: Counts::default(),
                openings: Openings::default(),
                lag1: Lag1::default(),
                timelines: timelines(interval_ns),
                whole_timelines: warmup.then(|| Box::new(timelines(interval_ns))),
            },
        }
    }

    /// Takes figures until the last worker has ended, and calls `observer` for every
    /// interval. If a worker dies early, only its own figures end.
    ///
    /// # Errors
    /// A histogram cannot be serialised, which is a bug.
    pub fn run(
        mut self,
        handed_over: &Receiver<HandOver>,
        mut observer: impl FnMut(&Interval<'_>),
    ) -> anyhow::Result<Totals> {
        while let Ok(message) = handed_over.recv() {
            self.reached_ns[message.thread] = if message.last {
                u64::MAX
            } else {
                message.to_ns
            };
            self.merge(message);
            self.flush(&mut observer)?;
        }
        self.reached_ns.fill(u64::MAX);
        self.flush(&mut observer)?;
        Ok(self.totals)
    }

    fn merge(&mut self, message: HandOver) {
        let HandOver {
            thread,
            from_ns,
            to_ns,
            mut figures,
            ..
        } = message;
        match self.pending.get_mut(&to_ns) {
            None => {
                self.pending.insert(
                    to_ns,
                    Pending {
                        from_ns,
                        owner: thread,
                        figures,
                    },
                );
            }
            Some(pending) => {
                pending.from_ns = pending.from_ns.min(from_ns);
                pending.figures.add(&mut figures);
                self.give_back(thread, figures);
            }
        }
    }

    /// Writes the intervals that every worker has passed, and drops them. If intervals
    /// overlap, as after a stall of a single worker, they are written as one.
    fn flush(&mut self, observer: &mut impl FnMut(&Interval<'_>)) -> anyhow::Result<()> {
        let passed_ns = self.reached_ns.iter().copied().min().unwrap_or(u64::MAX);
        while let Some(to_ns) = self.first_end_ns().filter(|end_ns| *end_ns <= passed_ns) {
            let later = self.pending.split_off(&(to_ns + 1));
            let mut parts = std::mem::replace(&mut self.pending, later).into_values();
            let Some(mut joined) = parts.next() else {
                return Ok(());
            };
            for mut part in parts {
                joined.from_ns = joined.from_ns.min(part.from_ns);
                joined.figures.add(&mut part.figures);
                self.give_back(part.owner, part.figures);
            }
            self.put(joined.from_ns, to_ns, &mut joined.figures)?;
            let figures = &joined.figures;
            observer(&Interval {
                to_ns,
                length_ns: to_ns - joined.from_ns,
                figures,
                counts: &self.totals.whole_counts(),
                completed: figures.counts.completed() + figures.warmup_counts.completed(),
            });
            self.give_back(joined.owner, joined.figures);
        }
        Ok(())
    }

    /// The end of the first stretch of time that no pending interval crosses.
    fn first_end_ns(&self) -> Option<u64> {
        let mut end_ns = *self.pending.keys().next()?;
        for (to_ns, pending) in &self.pending {
            if pending.from_ns < end_ns {
                end_ns = *to_ns;
            }
        }
        Some(end_ns)
    }

    fn put(&mut self, from_ns: u64, to_ns: u64, figures: &mut Figures) -> anyhow::Result<()> {
        if let Some(log) = &mut self.outputs.log {
            log.write(
                (from_ns, to_ns),
                figures.warmup.as_deref(),
                &figures.measured,
            )?;
        }
        if let Some(records) = &mut self.outputs.records {
            for record in &figures.records {
                // Writing to an Output goes to memory until it is committed.
                let written = records.write_all(&record.bytes());
                debug_assert!(written.is_ok());
            }
            records.commit();
        }
        let totals = &mut self.totals;
        let span = (from_ns, to_ns);
        let failed = figures.counts.failed();
        trace(&mut totals.timelines, span, &figures.measured, failed);
        if let Some(whole) = &mut totals.whole_timelines {
            trace(whole, span, &figures.measured, failed);
            if let Some(warmup) = &figures.warmup {
                trace(whole, span, warmup, figures.warmup_counts.failed());
            }
        }
        totals.measured.add(&mut figures.measured);
        if let (Some(ours), Some(theirs)) = (&mut totals.warmup, &mut figures.warmup) {
            ours.add(theirs);
        }
        totals.counts.add(&figures.counts);
        totals.warmup_counts.add(&figures.warmup_counts);
        totals.openings.add(&figures.openings);
        totals.lag1.merge(&figures.lag1);
        Ok(())
    }

    fn give_back(&mut self, thread: usize, mut figures: Box<Figures>) {
        figures.clear();
        // A worker that has ended takes nothing back.
        let _ = self.emptied[thread].send(figures);
    }
}

fn timelines(interval_ns: u64) -> [Timeline; 4] {
    std::array::from_fn(|_| Timeline::new(interval_ns))
}

/// Adds an interval's four quantities to their timelines, and its failures to those of latency
/// and service time, which failed requests do not have.
fn trace(
    timelines: &mut [Timeline; 4],
    (from_ns, to_ns): (u64, u64),
    quantities: &Quantities,
    failed: u64,
) {
    for (timeline, (_, histogram)) in timelines.iter_mut().zip(quantities.named()) {
        let values = histogram.iter_recorded().map(|value| {
            (
                value.value_iterated_to(),
                value.count_since_last_iteration(),
            )
        });
        timeline.record_block(from_ns, to_ns - from_ns, values);
    }
    let [latency, _, _, service_time] = timelines;
    for timeline in [latency, service_time] {
        timeline.record_failures(from_ns + (to_ns - from_ns) / 2, failed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::counts::Failure;
    use crate::recording::figures::Phase;
    use crate::recording::records::Record;
    use std::sync::mpsc::channel;

    fn figures(latencies_ns: &[u64]) -> Box<Figures> {
        let mut figures = Box::new(Figures::new(false));
        for &latency in latencies_ns {
            figures.record(
                Phase::Measured,
                &Record {
                    done_ns: latency,
                    ..Record::default()
                },
            );
        }
        figures
    }

    fn message(thread: usize, to_ns: u64, last: bool, latencies_ns: &[u64]) -> HandOver {
        HandOver {
            thread,
            from_ns: to_ns - 100,
            to_ns,
            last,
            figures: figures(latencies_ns),
        }
    }

    #[test]
    fn intervals_never_overlap_and_keep_each_workers_order() {
        let (back_a, _got_a) = channel();
        let (back_b, _got_b) = channel();
        let mut outputs = Outputs::default();
        let collector = Collector::new(&mut outputs, vec![back_a, back_b], 100, false);
        let (sender, receiver) = channel();
        let long = |thread, from_ns, to_ns, last, numbers: &[u64]| {
            let mut message = message(thread, to_ns, last, numbers);
            message.from_ns = from_ns;
            message.figures.records = numbers
                .iter()
                .map(|&index| Record {
                    index,
                    thread: thread as u16,
                    ..Record::default()
                })
                .collect();
            message
        };
        // The first worker stalls from 100 to 400 while the second goes on.
        sender.send(long(0, 0, 100, false, &[1])).unwrap();
        for (number, to_ns) in [100, 200, 300, 400].into_iter().enumerate() {
            let index = [10 + number as u64];
            sender
                .send(long(1, to_ns - 100, to_ns, false, &index))
                .unwrap();
        }
        sender.send(long(0, 100, 400, false, &[2])).unwrap();
        sender.send(long(0, 400, 500, true, &[3])).unwrap();
        sender.send(long(1, 400, 500, true, &[14])).unwrap();
        drop(sender);
        let mut spans = Vec::new();
        let mut order = Vec::new();
        let totals = collector
            .run(&receiver, |interval| {
                spans.push((interval.to_ns - interval.length_ns, interval.to_ns));
                let records = &interval.figures.records;
                order.extend(records.iter().map(|record| (record.thread, record.index)));
            })
            .unwrap();
        assert_eq!(spans, [(0, 100), (100, 400), (400, 500)]);
        assert_eq!(totals.counts.good, 8);
        let of = |thread| -> Vec<u64> {
            let of = order.iter().filter(|(number, _)| *number == thread);
            of.map(|(_, index)| *index).collect()
        };
        assert_eq!(of(0), [1, 2, 3]);
        assert_eq!(of(1), [10, 11, 12, 13, 14]);
    }

    #[test]
    fn failures_are_on_the_timelines_of_the_quantities_that_they_lack() {
        let mut outputs = Outputs::default();
        let (back, _got) = channel();
        let collector = Collector::new(&mut outputs, vec![back], 100, false);
        let (sender, receiver) = channel();
        sender.send(message(0, 100, false, &[10])).unwrap();
        let mut failing = message(0, 200, true, &[20]);
        let at = Record::default();
        failing
            .figures
            .record_failure(Phase::Measured, &at, Failure::Reset);
        sender.send(failing).unwrap();
        drop(sender);
        let totals = collector.run(&receiver, |_| {}).unwrap();
        assert_eq!(totals.timelines[0].count(), 2);
        let requests = totals.timelines.map(|timeline| {
            let blocks = timeline.blocks().iter();
            blocks.map(|block| block.requests()).collect::<Vec<_>>()
        });
        // A failed request was sent as well: the others count it as a value.
        assert_eq!(requests, [(); 4].map(|()| vec![1, 2]));
    }

    #[test]
    fn intervals_of_all_workers_are_merged_in_order_and_nothing_is_lost() {
        let mut outputs = Outputs::default();
        let (back_a, got_a) = channel();
        let (back_b, _got_b) = channel();
        let collector = Collector::new(&mut outputs, vec![back_a, back_b], 100, false);
        let (sender, receiver) = channel();
        sender.send(message(0, 100, false, &[10, 20])).unwrap();
        sender.send(message(0, 200, false, &[30])).unwrap();
        sender.send(message(1, 200, false, &[40])).unwrap(); // its first interval grew
        sender.send(message(0, 300, true, &[50])).unwrap();
        sender.send(message(1, 400, true, &[60, 70])).unwrap();
        drop(sender);
        let mut seen = Vec::new();
        let totals = collector
            .run(&receiver, |interval| {
                seen.push((interval.to_ns, interval.figures.counts.good));
            })
            .unwrap();
        assert_eq!(seen, [(100, 2), (200, 2), (300, 1), (400, 2)]);
        assert_eq!(totals.counts.good, 7);
        assert_eq!(totals.measured.latency.len(), 7);
        assert_eq!(totals.timelines[0].count(), 7);
        let emptied = got_a.try_iter().last().unwrap();
        assert_eq!(emptied.counts.good, 0);
        assert!(emptied.measured.is_empty());
    }
}
