//! A bounded sample of neighbouring requests, which shows the real arrival process.
//!
//! The sample consists of runs of neighbouring indices, spread over the whole schedule.
//! When it is full, every second run is dropped. A gap lies between neighbours of the whole
//! schedule, whichever threads sent them.

/// The number of neighbouring requests in a run.
const RUN: u64 = 64;

/// The greatest number of requests that one worker keeps.
const CAPACITY: usize = 4096;

/// One worker's share of the sample.
#[derive(Clone, Debug)]
pub struct GapSample {
    /// One run in this many is kept; a power of two.
    stride: u64,
    points: Vec<Departure>,
}

/// The sending of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Departure {
    /// Its number in the schedule.
    pub index: u64,
    /// When it was meant to go, ns.
    pub intended_ns: u64,
    /// The instant at which the request would have been sent if a connection had been free
    /// (intended + send lag), in ns.
    pub went_ns: u64,
}

impl Default for GapSample {
    fn default() -> Self {
        Self {
            stride: 1,
            points: Vec::with_capacity(CAPACITY),
        }
    }
}

#[inline]
fn is_kept(index: u64, stride: u64) -> bool {
    (index / RUN) & (stride - 1) == 0
}

impl GapSample {
    /// Records that a request was sent.
    #[inline]
    pub fn observe(&mut self, departure: Departure) {
        let index = departure.index;
        if is_kept(index, self.stride) {
            if self.points.len() == CAPACITY {
                self.stride *= 2;
                let stride = self.stride;
                self.points.retain(|point| is_kept(point.index, stride));
                if !is_kept(index, stride) {
                    return;
                }
            }
            self.points.push(departure);
        }
    }

    /// Neighbours of the whole schedule, (earlier, later), out of all workers' shares.
    pub fn neighbours(samples: &[Self]) -> Vec<(Departure, Departure)> {
        let stride = samples
            .iter()
            .map(|sample| sample.stride)
            .max()
            .unwrap_or(1);
        let mut points: Vec<Departure> = samples
            .iter()
            .flat_map(|sample| sample.points.iter().copied())
            .filter(|point| is_kept(point.index, stride))
            .collect();
        points.sort_unstable();
        points
            .windows(2)
            .filter(|pair| pair[1].index == pair[0].index + 1)
            .map(|pair| (pair[0], pair[1]))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn departure(index: u64) -> Departure {
        Departure {
            index,
            intended_ns: index * 100,
            went_ns: index * 100 + 7,
        }
    }

    #[test]
    fn the_sample_is_bounded_and_spans_the_run() {
        let mut sample = GapSample::default();
        for index in 0..10_000_000_u64 {
            sample.observe(departure(index));
        }
        assert!(sample.points.len() <= CAPACITY && sample.points.len() > CAPACITY / 4);
        assert!(sample.points.last().unwrap().index > 9_000_000);
        let gaps = GapSample::neighbours(&[sample]);
        assert!(gaps.len() > 1000);
        assert!(gaps
            .iter()
            .all(|(from, to)| to.went_ns - from.went_ns == 100));
    }

    #[test]
    fn neighbours_are_found_across_workers() {
        let mut samples = vec![GapSample::default(), GapSample::default()];
        for index in 0..1_000_000_u64 {
            samples[(index % 2) as usize].observe(departure(index));
        }
        let gaps = GapSample::neighbours(&samples);
        assert!(gaps.len() > 1000);
        assert!(gaps.iter().all(|(from, to)| to.index - from.index == 1));
    }
}
