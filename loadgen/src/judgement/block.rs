//! Divides a run into blocks of time, to measure the dependence between requests.
//!
//! A single histogram of a run does not contain the order of the values, and a list of all
//! values would grow with the run. This module therefore keeps at most [`MOST_BLOCKS`]
//! blocks, each with a coarse histogram. When all blocks are used, neighbouring blocks are
//! merged and blocks become twice as long, so that any run fits.

/// The greatest number of blocks. The steady-state detector uses at most 500 blocks for the
/// same reasons (`docs/statistics.md`). A power of two can be halved without a remainder.
pub const MOST_BLOCKS: usize = 512;

/// The number of sub-buckets in an octave. Neighbouring buckets differ by 3% to 6%, which
/// is precise enough to count values above a percentile.
const SUB_BUCKETS: u64 = 16;
const SUB_BUCKET_BITS: u32 = SUB_BUCKETS.ilog2();

/// The greatest value with its own bucket: an hour. Greater values are put into the same
/// bucket.
const GREATEST_VALUE_NS: u64 = 3_600_000_000_000;

/// The number of buckets of a full histogram.
pub const BUCKETS: usize = bucket_of(GREATEST_VALUE_NS) as usize + 1;

/// The bucket of failed requests. They have no value, and count as slower than every value.
pub const FAILED_BUCKET: u16 = BUCKETS as u16;

/// The bucket of a value. Buckets are exact up to 15 ns; above there are 16 buckets per
/// octave.
pub const fn bucket_of(value_ns: u64) -> u16 {
    let value = if value_ns > GREATEST_VALUE_NS {
        GREATEST_VALUE_NS
    } else {
        value_ns
    };
    if value < SUB_BUCKETS {
        return value as u16;
    }
    let octave = value.ilog2() - SUB_BUCKET_BITS;
    // The top five bits: 16 to 31.
    let top = value >> octave;
    (octave as u64 * SUB_BUCKETS + top) as u16
}

/// The least value of a bucket, in nanoseconds.
pub const fn bucket_start_ns(bucket: u16) -> u64 {
    let bucket = bucket as u64;
    if bucket < 2 * SUB_BUCKETS {
        return bucket;
    }
    let octave = bucket / SUB_BUCKETS - 1;
    (bucket % SUB_BUCKETS + SUB_BUCKETS) << octave
}

/// The values, and the failures of requests, that became known during one stretch of time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Block {
    /// The counts by bucket, up to the bucket of the greatest value.
    counts: Vec<u32>,
    count: u64,
    failed: u64,
}

impl Block {
    /// The number of values in this block.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The number of values and failures in this block.
    pub fn requests(&self) -> u64 {
        self.count + self.failed
    }

    /// The number of values in one bucket, or of failures in [`FAILED_BUCKET`].
    pub fn in_bucket(&self, bucket: u16) -> u64 {
        if bucket == FAILED_BUCKET {
            return self.failed;
        }
        self.counts
            .get(usize::from(bucket))
            .map_or(0, |&count| u64::from(count))
    }

    /// The number of values and failures in buckets above this bucket.
    pub fn above_bucket(&self, bucket: u16) -> u64 {
        if bucket == FAILED_BUCKET {
            return 0;
        }
        let values = self.counts.iter().skip(usize::from(bucket) + 1);
        values.map(|&count| u64::from(count)).sum::<u64>() + self.failed
    }

    /// The median of the values, interpolated inside its bucket; `None` if there is no value.
    pub fn median_ns(&self) -> Option<f64> {
        let half = self.count as f64 / 2.0;
        let mut below = 0;
        for (bucket, &count) in self.counts.iter().enumerate() {
            let count = u64::from(count);
            if count > 0 && (below + count) as f64 >= half {
                let bucket = bucket as u16;
                let start = bucket_start_ns(bucket) as f64;
                let width = bucket_start_ns(bucket + 1) as f64 - start;
                return Some(start + width * (half - below as f64) / count as f64);
            }
            below += count;
        }
        None
    }

    fn add(&mut self, bucket: u16, count: u64) {
        let bucket = usize::from(bucket);
        if self.counts.len() <= bucket {
            self.counts.resize(bucket + 1, 0);
        }
        // Four billion in one bucket of one block: a day of a million a second.
        let held = &mut self.counts[bucket];
        *held = held.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
        self.count += count;
    }

    fn absorb(&mut self, other: &Self) {
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine = mine.saturating_add(*theirs);
        }
        self.count += other.count;
        self.failed += other.failed;
    }
}

/// The values of a run, by the time at which they became known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timeline {
    block_ns: u64,
    blocks: Vec<Block>,
}

impl Timeline {
    /// An empty timeline. The first length of its blocks is `block_ns` (at least 1), the
    /// length of the recorder's intervals.
    pub fn new(block_ns: u64) -> Self {
        Self {
            block_ns: block_ns.max(1),
            blocks: Vec::new(),
        }
    }

    /// The present length of a block, in nanoseconds.
    pub fn block_ns(&self) -> u64 {
        self.block_ns
    }

    /// The blocks from the start of the run, including empty blocks.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The number of recorded values.
    pub fn count(&self) -> u64 {
        self.blocks.iter().map(Block::count).sum()
    }

    /// Adds the values of an interval of length `length_ns` that began at `start_ns`,
    /// counted from the run's start. The interval is assigned to the block in which its
    /// middle lies. It should not be longer than the first length of blocks.
    pub fn record_block(
        &mut self,
        start_ns: u64,
        length_ns: u64,
        values: impl Iterator<Item = (u64, u64)>,
    ) {
        let block = self.block_at(start_ns.saturating_add(length_ns / 2));
        for (value_ns, count) in values {
            block.add(bucket_of(value_ns), count);
        }
    }

    /// Adds failures that became known at `at_ns`, counted from the run's start.
    pub fn record_failures(&mut self, at_ns: u64, count: u64) {
        self.block_at(at_ns).failed += count;
    }

    /// Adds one value that became known at `at_ns`, counted from the run's start.
    pub fn record(&mut self, at_ns: u64, value_ns: u64) {
        self.block_at(at_ns).add(bucket_of(value_ns), 1);
    }

    fn block_at(&mut self, at_ns: u64) -> &mut Block {
        while at_ns / self.block_ns >= MOST_BLOCKS as u64 {
            self.halve();
        }
        let position = (at_ns / self.block_ns) as usize;
        if self.blocks.len() <= position {
            self.blocks.resize_with(position + 1, Block::default);
        }
        &mut self.blocks[position]
    }

    /// Merges neighbouring blocks two by two. There are then half as many blocks, each
    /// twice as long.
    fn halve(&mut self) {
        self.block_ns = self.block_ns.saturating_mul(2);
        let mut merged = Vec::with_capacity(MOST_BLOCKS);
        for pair in self.blocks.chunks(2) {
            let mut block = pair[0].clone();
            if let Some(second) = pair.get(1) {
                block.absorb(second);
            }
            merged.push(block);
        }
        self.blocks = merged;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn buckets_are_exact_then_sixteen_an_octave() {
        for value in 0..32 {
            assert_eq!(u64::from(bucket_of(value)), value);
            assert_eq!(bucket_start_ns(value as u16), value);
        }
        assert_eq!(bucket_of(32), bucket_of(33));
        assert_eq!(bucket_of(34), bucket_of(32) + 1);
        assert_eq!(bucket_of(2_000_000) - bucket_of(1_000_000), 16);
        assert_eq!(bucket_of(u64::MAX), bucket_of(GREATEST_VALUE_NS));
        assert_eq!(usize::from(bucket_of(u64::MAX)), BUCKETS - 1);
        assert_eq!(BUCKETS, 619);
        // The greatest memory of a timeline, whose every block has a request of an hour. If
        // requests take about 1 ms, a timeline takes 0.3 MB.
        assert_eq!(MOST_BLOCKS * BUCKETS * size_of::<u32>(), 1_267_712);
    }

    proptest! {
        #[test]
        fn every_value_lies_in_its_bucket(value in 0..=GREATEST_VALUE_NS) {
            let bucket = bucket_of(value);
            prop_assert!(bucket_start_ns(bucket) <= value);
            prop_assert!(value < bucket_start_ns(bucket + 1));
            let width = bucket_start_ns(bucket + 1) - bucket_start_ns(bucket);
            prop_assert!(width == 1 || width * SUB_BUCKETS <= bucket_start_ns(bucket));
        }

        #[test]
        fn merging_loses_no_value_and_no_order(
            times in prop::collection::vec(0u64..40_000, 1..200),
        ) {
            let mut timeline = Timeline::new(10);
            for &at in &times {
                timeline.record(at, at + 1);
            }
            prop_assert!(timeline.blocks().len() <= MOST_BLOCKS);
            prop_assert_eq!(timeline.count(), times.len() as u64);
            // As if the final length had been known from the start.
            let mut known = Timeline::new(timeline.block_ns());
            for &at in &times {
                known.record(at, at + 1);
            }
            prop_assert_eq!(timeline, known);
        }
    }

    #[test]
    fn a_run_of_any_length_fits() {
        let mut timeline = Timeline::new(100_000_000);
        for second in 0..1_000_000u64 {
            timeline.record(second * 1_000_000_000, 1_000_000);
        }
        // 0.1 s doubled 15 times: a million seconds are 306 such blocks.
        assert_eq!(timeline.block_ns(), 100_000_000 << 15);
        assert_eq!(timeline.blocks().len(), 306);
        assert_eq!(timeline.count(), 1_000_000);
        timeline.record(u64::MAX, 1);
        assert!(timeline.blocks().len() <= MOST_BLOCKS);
        assert_eq!(timeline.count(), 1_000_001);
    }

    #[test]
    fn intervals_go_where_their_middle_lies() {
        let mut timeline = Timeline::new(100);
        timeline.record_block(99, 100, [(5, 2), (7, 1)].into_iter());
        assert_eq!(timeline.blocks()[0].count(), 0);
        let block = &timeline.blocks()[1];
        assert_eq!(block.count(), 3);
        assert_eq!((block.in_bucket(5), block.above_bucket(5)), (2, 1));
        assert_eq!((block.in_bucket(600), block.above_bucket(600)), (0, 0));
    }

    #[test]
    fn failures_are_above_every_value_and_survive_the_merging_of_blocks() {
        let mut timeline = Timeline::new(1);
        timeline.record(0, GREATEST_VALUE_NS);
        timeline.record_failures(0, 2);
        timeline.record_failures(1, 3);
        timeline.record_failures(MOST_BLOCKS as u64, 4);
        let block = &timeline.blocks()[0];
        assert_eq!((block.count(), block.requests()), (1, 6));
        assert_eq!(block.above_bucket(FAILED_BUCKET - 1), 5);
        assert_eq!(block.in_bucket(FAILED_BUCKET), 5);
        assert_eq!(block.above_bucket(FAILED_BUCKET), 0);
        assert!(block.median_ns().unwrap() >= GREATEST_VALUE_NS as f64 * 0.9);
        assert_eq!(timeline.count(), 1);
    }

    #[test]
    fn medians_are_interpolated() {
        let mut block = Block::default();
        assert_eq!(block.median_ns(), None);
        block.add(bucket_of(1_000_000), 100);
        let median = block.median_ns().unwrap();
        let bucket = bucket_of(1_000_000);
        let middle = (bucket_start_ns(bucket) + bucket_start_ns(bucket + 1)) as f64 / 2.0;
        assert_eq!(median, middle);
        // Half as many again above it moves the median up inside the bucket.
        block.add(bucket_of(2_000_000), 50);
        assert!(block.median_ns().unwrap() > median);
        assert_eq!(block.count(), 150);
    }
}
