//! A bounded sample of neighbouring requests, which shows the real arrival process.
//!
//! The sample consists of runs of neighbouring requests, spread over the whole schedule.
//! When it is full, every second run is dropped. A gap lies between neighbours of this
//! process's shard, whichever threads sent them.

use crate::schedule::Shard;

/// The least number of indices in a run, as a power of two. A shard has at least half as many
/// requests in each run.
const RUN_BITS: u32 = 6;

/// The greatest number of requests that one worker keeps.
const CAPACITY: usize = 4096;

/// One worker's share of the sample.
#[derive(Clone, Debug)]
pub struct GapSample {
    /// The distance between the indices of neighbours.
    step: u64,
    /// The number of indices in a run, as a power of two: a shift is cheaper than a division.
    run_bits: u32,
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

#[inline]
fn is_kept(index: u64, run_bits: u32, stride: u64) -> bool {
    (index >> run_bits) & (stride - 1) == 0
}

impl GapSample {
    /// An empty sample of a shard's requests.
    pub fn new(shard: Shard) -> Self {
        let step = shard.of();
        Self {
            step,
            run_bits: RUN_BITS + step.next_power_of_two().trailing_zeros(),
            stride: 1,
            points: Vec::with_capacity(CAPACITY),
        }
    }

    /// Records that a request was sent.
    #[inline]
    pub fn observe(&mut self, departure: Departure) {
        let (index, run_bits) = (departure.index, self.run_bits);
        if is_kept(index, run_bits, self.stride) {
            if self.points.len() == CAPACITY {
                self.stride *= 2;
                let stride = self.stride;
                self.points
                    .retain(|point| is_kept(point.index, run_bits, stride));
                if !is_kept(index, run_bits, stride) {
                    return;
                }
            }
            self.points.push(departure);
        }
    }

    /// Neighbours of the shard, (earlier, later), out of all workers' samples.
    pub fn neighbours(samples: &[Self]) -> Vec<(Departure, Departure)> {
        let (step, run_bits) = samples
            .first()
            .map_or((1, RUN_BITS), |sample| (sample.step, sample.run_bits));
        let stride = samples
            .iter()
            .map(|sample| sample.stride)
            .max()
            .unwrap_or(1);
        let mut points: Vec<Departure> = samples
            .iter()
            .flat_map(|sample| sample.points.iter().copied())
            .filter(|point| is_kept(point.index, run_bits, stride))
            .collect();
        points.sort_unstable();
        points
            .windows(2)
            .filter(|pair| pair[1].index == pair[0].index + step)
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
        let mut sample = GapSample::new(Shard::WHOLE);
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
        let mut samples = vec![GapSample::new(Shard::WHOLE); 2];
        for index in 0..1_000_000_u64 {
            samples[(index % 2) as usize].observe(departure(index));
        }
        let gaps = GapSample::neighbours(&samples);
        assert!(gaps.len() > 1000);
        assert!(gaps.iter().all(|(from, to)| to.index - from.index == 1));
    }

    #[test]
    fn neighbours_of_a_shard_are_its_own() {
        for of in [3, 64] {
            let mut sample = GapSample::new(Shard::new(2, of).unwrap());
            for number in 0..1_000_000_u64 {
                sample.observe(departure(1 + number * of));
            }
            let gaps = GapSample::neighbours(&[sample]);
            assert!(gaps.len() > 500, "{}", gaps.len());
            assert!(gaps.iter().all(|(from, to)| to.index - from.index == of));
        }
    }
}
