//! What the open-loop floors share: the schedule, its connections, its report. How to wait and to
//! read is what tells them apart.

use std::io;

use super::pool::Pool;
use super::{intended_after_begin_ns, FloorOptions, FloorReport, Recorder, GRACE_NS, SETTLE_NS};
use crate::kernel::{monotonic_ns, Epoll};
use crate::percentile::Percentiles;

/// A constant rate on its way.
pub struct OpenLoop {
    /// Readiness of the connections.
    pub epoll: Epoll,
    /// The connections.
    pub pool: Pool,
    /// Where answers are read into.
    pub buffer: Vec<u8>,
    /// When the first request goes, monotonic nanoseconds.
    pub begin_ns: u64,
    end_ns: u64,
    rate: u64,
    recorder: Recorder,
    report: FloorReport,
}

impl OpenLoop {
    /// Connects; the first request goes soon after.
    pub fn begin(options: &FloorOptions) -> io::Result<Self> {
        let epoll = Epoll::new()?;
        let pool = Pool::connect(options.port, options.connections, &epoll)?;
        let recorder = Recorder::new()?;
        let begin_ns = monotonic_ns() + SETTLE_NS;
        Ok(Self {
            epoll,
            pool,
            buffer: vec![0; 65_536],
            begin_ns,
            end_ns: begin_ns + options.seconds * 1_000_000_000,
            rate: options.rate,
            recorder,
            report: FloorReport {
                scheduled: options.rate * options.seconds,
                begin_ns,
                ..FloorReport::default()
            },
        })
    }

    /// Sends what is due on the connections that are free. False when all is answered, or given up.
    #[inline]
    pub fn send_due(&mut self) -> io::Result<bool> {
        let mut now_ns = monotonic_ns();
        if self.report.completed >= self.report.scheduled || now_ns > self.end_ns + GRACE_NS {
            return Ok(false);
        }
        while self.report.sent < self.report.scheduled {
            let intended_ns = self.intended_ns();
            if intended_ns > now_ns || !self.pool.send(intended_ns, now_ns)? {
                break;
            }
            self.report.sent += 1;
            now_ns = monotonic_ns();
        }
        Ok(true)
    }

    /// When the next request is meant to go; none while no connection is free or all were sent.
    #[inline]
    pub fn next_ns(&self) -> Option<u64> {
        (self.report.sent < self.report.scheduled && !self.pool.free.is_empty())
            .then(|| self.intended_ns())
    }

    #[inline]
    fn intended_ns(&self) -> u64 {
        self.begin_ns + intended_after_begin_ns(self.report.sent, self.rate)
    }

    /// Notes the answer of a connection, which is free again.
    #[inline]
    pub fn complete(&mut self, index: usize, done_ns: u64) {
        let member = &self.pool.members[index];
        self.recorder
            .record(member.intended_ns, member.sent_ns, done_ns);
        self.report.completed += 1;
        self.pool.free.push_back(index);
    }

    /// What it found.
    pub fn end(mut self) -> FloorReport {
        self.report.latency = Percentiles::of_histogram(&self.recorder.latency);
        self.report.service = Percentiles::of_histogram(&self.recorder.service);
        self.report
    }
}
