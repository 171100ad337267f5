//! Waits for the next thing to do: a request that is due, an answer, a look at time-outs.

use std::io;

use super::pacing;
use super::worker::{Source, Worker, LAST_LOOK_NS};
use runfair_measuring::kernel::clock;

/// A sleep longer than this, ns, is interrupted for a last look before its end.
const LONG_SLEEP_NS: u64 = 10_000_000;

impl Worker<'_> {
    /// When this thread is to look for a request next; `None`: others will, or none is left.
    fn next_ns(&mut self) -> Option<u64> {
        match &mut self.source {
            Source::Schedule(share) => share.wake_ns(),
            Source::ClosedLoop { .. } => self.has_more().then_some(0),
        }
    }

    /// Waits for the next thing to do, and reads what answers it may.
    pub(super) fn wait(&mut self) -> io::Result<()> {
        let mut until_ns = self.housekeeping_ns;
        if let Some(retry_ns) = self.pool.next_retry_ns() {
            until_ns = until_ns.min(retry_ns);
        }
        let next_ns = if self.backlog_since_ns.is_some() {
            let now_ns = self.now();
            self.grow_ns(now_ns)
        } else {
            self.next_ns()
        };
        if let Some(next_ns) = next_ns {
            until_ns = until_ns.min(pacing::wake_ns(self.load.mode, self.lead, next_ns));
        }
        let lead_ns = self.lead.ns();
        let mut now_ns = self.now();
        if self.sleeps(next_ns) {
            self.gather(0)?;
            now_ns = self.now();
            if now_ns + LONG_SLEEP_NS < until_ns {
                clock::sleep_until(self.start_ns + until_ns - LAST_LOOK_NS);
                self.gather(0)?;
                self.reopen_due();
                now_ns = self.now();
            }
            if now_ns < until_ns {
                clock::sleep_until(self.start_ns + until_ns);
                now_ns = self.now();
                self.lead.learn(now_ns.saturating_sub(until_ns));
            }
        } else {
            let early = now_ns < until_ns;
            self.gather(until_ns.saturating_sub(now_ns))?;
            now_ns = self.now();
            if early && now_ns >= until_ns {
                self.lead.learn(now_ns - until_ns);
            }
        }
        if let Some(next_ns) = next_ns {
            if now_ns < next_ns && now_ns + lead_ns >= next_ns {
                if self.stamped {
                    clock::spin_until(self.start_ns + next_ns);
                } else {
                    // Without stamps an answer's instant is that of its reading.
                    while self.now() < next_ns {
                        self.gather(0)?;
                    }
                }
                self.spin_ns += next_ns - now_ns;
            }
        }
        Ok(())
    }

    /// Whether it looks at the connections only when there is something else to do.
    fn sleeps(&self, next_ns: Option<u64>) -> bool {
        // A connection that is being opened is attended to at once: its time is measured. So is
        // the first answer to each template: it shows whether answers must be read at once.
        !(self.at_once
            || self.asked != self.met
            || self.backlog_since_ns.is_some()
            || next_ns.is_none()
            || self.pool.opening > 0)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use tempfile::NamedTempFile;

    use super::super::fixture::{with_request, ANSWER};

    /// The first answer to each kind of request shows whether answers must be read at once.
    #[test]
    fn the_first_answer_to_each_template_is_awaited() {
        let mut traffic = NamedTempFile::new().unwrap();
        writeln!(traffic, r#"{{"path": "/a"}}"#).unwrap();
        writeln!(traffic, r#"{{"path": "/b"}}"#).unwrap();
        let options = ["--traffic", traffic.path().to_str().unwrap()];
        with_request(&options, b"", |worker, mut peer| {
            for round in 0..2 {
                for _template in 0..2 {
                    while worker.in_flight == 0 {
                        worker.send_due();
                    }
                    // On a busy machine, further requests are due by now.
                    worker.backlog_since_ns = None;
                    assert_eq!(worker.sleeps(Some(0)), round > 0);
                    peer.write_all(ANSWER).unwrap();
                    while worker.in_flight > 0 {
                        worker.gather(10_000_000).unwrap();
                    }
                    assert!(worker.sleeps(Some(0)));
                }
            }
        });
    }
}
