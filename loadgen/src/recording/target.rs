//! The outcomes of the requests to one of several servers.

use hdrhistogram::Histogram;

use crate::judgement::counts::Counts;
use runfair_measuring::recording::histogram::{add, histogram};

/// Of one thread over the whole run: a server's share is not told by interval.
pub struct TargetFigures {
    /// How many requests ended how; only what its connections tell.
    pub counts: Counts,
    /// done − intended of the good answers, ns.
    pub latency: Histogram<u64>,
    /// intended → given up, of requests that were not answered in time, ns.
    pub given_up: Histogram<u64>,
}

impl TargetFigures {
    /// None for a lone server, whose figures are the run's.
    pub fn of_several(servers: usize) -> Vec<Self> {
        let those = if servers > 1 { servers } else { 0 };
        (0..those)
            .map(|_| Self {
                counts: Counts::default(),
                latency: histogram(),
                given_up: histogram(),
            })
            .collect()
    }

    /// Adds another thread's.
    pub fn add(&mut self, other: &Self) {
        self.counts.add(&other.counts);
        add(&mut self.latency, &other.latency);
        add(&mut self.given_up, &other.given_up);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lone_server_has_none() {
        assert!(TargetFigures::of_several(1).is_empty());
        assert_eq!(TargetFigures::of_several(3).len(), 3);
    }

    #[test]
    fn those_of_two_threads_make_the_whole() {
        let mut of = TargetFigures::of_several(2);
        for (figures, latency_ns) in of.iter_mut().zip([1_000, 5_000]) {
            figures.counts.good += 1;
            figures.latency.saturating_record(latency_ns);
        }
        let (whole, other) = of.split_at_mut(1);
        whole[0].add(&other[0]);
        assert_eq!(whole[0].counts.good, 2);
        assert_eq!(whole[0].latency.len(), 2);
        assert!(whole[0].latency.max() >= 5_000);
    }
}
