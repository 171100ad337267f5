//! The effective sample size of a run.
//!
//! A pause delays every request that is waiting, and a busy second makes a thousand
//! requests slow together. The requests of a run are therefore not independent, and an
//! interval that assumes independence is far too narrow. For each percentile, the run's
//! blocks of time are the clusters of a cluster sample: the number of requests above the
//! percentile varies from block to block, and the ratio of that variance to the one of
//! independent requests is the **design effect** (Rao and Scott, "A simple method for the
//! analysis of clustered binary data", Biometrics 48, 1992, equations 1 and 2). The
//! effective number of requests is their number divided by it.
//!
//! - *Dependence longer than a block* is found by merging neighbouring blocks, two by two, again
//!   and again (Flyvbjerg and Petersen, "Error estimates on averages of correlated data", J.
//!   Chem. Phys. 91, 1989), as long as the longer blocks show significantly more of it.
//! - *Failed requests* count as above every percentile, because an outage is as much one event as a
//!   pause is. Their own share has a design effect too.
//! - *Few events make an uncertain design effect.* Its degrees of freedom come from the fourth
//!   moment of the blocks (Satterthwaite, "An approximate distribution of estimates of variance
//!   components", Biometrics Bulletin 2, 1946): a run with three pauses has some six of them,
//!   however many blocks. Intervals widen by Student's t over the normal quantile, squared
//!   (Korn and Graubard 1998, see [`runfair_measuring::statistics::order_statistics`]).
//!
//! What one run cannot show is the difference between runs: those intervals speak of this run
//! alone.

use super::block::{Block, Timeline, FAILED_BUCKET};
use runfair_measuring::statistics::order_statistics::CONFIDENCE;
use runfair_measuring::statistics::percentile::Percentile;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use statrs::distribution::{ChiSquared, ContinuousCDF, StudentsT};

/// The least number of blocks. With only seven degrees of freedom, a variance has an error
/// of a factor of two in either direction.
pub const LEAST_BLOCKS: usize = 8;

/// The least number of blocks after merging.
const LEAST_MERGED_BLOCKS: usize = 16;

/// Longer blocks replace shorter blocks if their design effect is greater with this
/// confidence. With a higher confidence, long dependence would be missed; with a lower, the
/// greatest of several noisy estimates would be taken. In simulation (the table in
/// [`crate::judgement`]) this value keeps both errors small.
const MERGING_CONFIDENCE: f64 = 0.8;

/// The two-sided 95% point of the normal distribution.
const NORMAL_POINT: f64 = 1.959_964;

/// The design effect of one percentile of one run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DesignEffect {
    /// The variance of the share above the percentile, in units of that of independent requests.
    pub variance_ratio: f64,
    /// Degrees of freedom of that ratio.
    pub degrees_of_freedom: f64,
    /// Blocks of time compared.
    pub blocks: u64,
    /// The length of such a block, in nanoseconds.
    pub block_ns: u64,
}

impl DesignEffect {
    /// Requests of the run that are worth one independent request: the variance ratio, widened
    /// for its uncertainty, at least 1.
    pub fn requests_each(&self) -> f64 {
        let widening = student_point(self.degrees_of_freedom) / NORMAL_POINT;
        (self.variance_ratio * widening * widening).max(1.0)
    }

    /// Whether the requests certainly depend on one another: their variance ratio is above 1
    /// with 95% confidence.
    pub fn is_certain(&self) -> bool {
        lower_bound(self, CONFIDENCE) > 1.0
    }
}

/// One block of time: its requests, and how many of them count as above the percentile.
#[derive(Debug, Clone, Copy)]
struct Cluster {
    requests: f64,
    above: f64,
}

/// The design effect of `percentile`. `None` if fewer than [`LEAST_BLOCKS`] blocks have
/// requests, or if all values lie in one bucket.
pub fn design_effect(timeline: &Timeline, percentile: Percentile) -> Option<DesignEffect> {
    effect_of(timeline, &Split::at(timeline.blocks(), percentile)?)
}

/// The design effect of the share of failed requests. `None` if fewer than [`LEAST_BLOCKS`]
/// blocks have requests, or if none or all of the requests failed.
pub fn design_effect_of_failures(timeline: &Timeline) -> Option<DesignEffect> {
    effect_of(timeline, &Split::at_failures(timeline.blocks())?)
}

/// Whether fewer than [`LEAST_BLOCKS`] blocks have requests, so that nothing is known about the
/// dependence between failures.
pub fn has_few_blocks(timeline: &Timeline) -> bool {
    occupied_blocks(timeline) < LEAST_BLOCKS
}

/// The number of blocks in which a request was answered or failed.
pub fn occupied_blocks(timeline: &Timeline) -> usize {
    let blocks = timeline.blocks().iter();
    blocks.filter(|block| block.requests() > 0).count()
}

fn effect_of(timeline: &Timeline, split: &Split) -> Option<DesignEffect> {
    let blocks = timeline.blocks();
    let mut clusters: Vec<Cluster> = blocks.iter().map(|block| split.cluster(block)).collect();
    let mut block_ns = timeline.block_ns();
    let mut found = variance_ratio(&clusters, split, block_ns)?;
    while clusters.len() / 2 >= LEAST_MERGED_BLOCKS {
        clusters = merged(&clusters);
        block_ns = block_ns.saturating_mul(2);
        let Some(longer) = variance_ratio(&clusters, split, block_ns) else {
            break;
        };
        if lower_bound(&longer, MERGING_CONFIDENCE) > found.variance_ratio {
            found = longer;
        }
    }
    Some(found)
}

/// The division of the coarse buckets into values above the percentile and other values.
///
/// The percentile lies inside a bucket. Each value in this bucket counts as above the
/// percentile with the same fraction, so that exactly the tail is counted. A bucket with
/// half of the run's values (from a very regular server) is then not counted on one side
/// only.
struct Split {
    bucket: u16,
    /// What a value in the bucket counts.
    fraction: f64,
    /// The share of requests that should count as above.
    tail: f64,
    /// The variance of what an independent request counts.
    variance: f64,
}

impl Split {
    fn at(blocks: &[Block], percentile: Percentile) -> Option<Self> {
        let total: u64 = blocks.iter().map(Block::requests).sum();
        let rank = percentile.rank(total);
        if rank == 0 {
            return None;
        }
        let (mut bucket, mut below) = (0, 0);
        let inside = loop {
            let inside: u64 = blocks.iter().map(|block| block.in_bucket(bucket)).sum();
            if below + inside >= rank {
                break inside;
            }
            below += inside;
            bucket += 1;
        };
        let above = (total - below - inside) as f64 / total as f64;
        let inside = inside as f64 / total as f64;
        let tail = percentile.tail();
        let fraction = ((tail - above) / inside).clamp(0.0, 1.0);
        let mean = above + fraction * inside;
        let variance = above + fraction * fraction * inside - mean * mean;
        // Rounding leaves 1e-17 where every value lies in one bucket.
        (variance > 1e-12).then_some(Self {
            bucket,
            fraction,
            tail: mean,
            variance,
        })
    }

    /// The division into failed requests and values.
    fn at_failures(blocks: &[Block]) -> Option<Self> {
        let total: u64 = blocks.iter().map(Block::requests).sum();
        let failed: u64 = blocks
            .iter()
            .map(|block| block.in_bucket(FAILED_BUCKET))
            .sum();
        let share = failed as f64 / total as f64;
        (failed > 0 && failed < total).then_some(Self {
            bucket: FAILED_BUCKET,
            fraction: 1.0,
            tail: share,
            variance: share * (1.0 - share),
        })
    }

    fn cluster(&self, block: &Block) -> Cluster {
        Cluster {
            requests: block.requests() as f64,
            above: block.above_bucket(self.bucket) as f64
                + self.fraction * block.in_bucket(self.bucket) as f64,
        }
    }
}

/// Rao and Scott's design effect of a ratio estimator over clusters of unequal size.
fn variance_ratio(clusters: &[Cluster], split: &Split, block_ns: u64) -> Option<DesignEffect> {
    let occupied = clusters.iter().filter(|c| c.requests > 0.0).count();
    if occupied < LEAST_BLOCKS {
        return None;
    }
    let (mut requests, mut squares, mut fourth_powers) = (0.0, 0.0, 0.0);
    for cluster in clusters {
        let residual = cluster.above - cluster.requests * split.tail;
        let square = residual * residual;
        requests += cluster.requests;
        squares += square;
        fourth_powers += square * square;
    }
    let blocks = occupied as f64;
    let variance_ratio = blocks / (blocks - 1.0) * squares / (requests * split.variance);
    // The variance of a mean of squares is (kurtosis - 1) / blocks; that of a chi-square over
    // its degrees of freedom is 2 / degrees.
    let kurtosis = blocks * fourth_powers / (squares * squares);
    let degrees_of_freedom = if kurtosis > 1.0 {
        (2.0 * blocks / (kurtosis - 1.0)).clamp(1.0, blocks - 1.0)
    } else {
        blocks - 1.0
    };
    Some(DesignEffect {
        variance_ratio,
        degrees_of_freedom,
        blocks: occupied as u64,
        block_ns,
    })
}

fn merged(clusters: &[Cluster]) -> Vec<Cluster> {
    clusters
        .chunks(2)
        .map(|pair| Cluster {
            requests: pair.iter().map(|c| c.requests).sum(),
            above: pair.iter().map(|c| c.above).sum(),
        })
        .collect()
}

/// The lower limit of the variance ratio with the given confidence. The estimate is
/// distributed as a chi-square variable divided by its degrees of freedom.
fn lower_bound(effect: &DesignEffect, confidence: f64) -> f64 {
    let degrees = effect.degrees_of_freedom;
    match ChiSquared::new(degrees) {
        Ok(chi_squared) => effect.variance_ratio * degrees / chi_squared.inverse_cdf(confidence),
        // Degrees of freedom are 1 at least; were they not, nothing would be claimed.
        Err(_) => 0.0,
    }
}

/// The two-sided 95% point of Student's t.
fn student_point(degrees_of_freedom: f64) -> f64 {
    match StudentsT::new(0.0, 1.0, degrees_of_freedom) {
        Ok(student) => student.inverse_cdf((1.0 + CONFIDENCE) / 2.0),
        Err(_) => f64::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgement::fixture::Random;

    /// A run of 100 blocks of 100 requests. Each request is slow with the probability of
    /// its block.
    fn run(seed: u64, slow_share: impl Fn(u64) -> f64) -> Timeline {
        let mut random = Random::new(seed);
        let mut timeline = Timeline::new(100);
        for at in 0..10_000u64 {
            let slow = random.uniform() < slow_share(at / 100);
            timeline.record(at, if slow { 1_000_000 } else { 1_000 });
        }
        timeline
    }

    #[test]
    fn student_points_are_those_of_the_tables() {
        for (degrees, point) in [(1.0, 12.706), (2.0, 4.303), (10.0, 2.228), (511.0, 1.965)] {
            let found = student_point(degrees);
            assert!(
                (found - point).abs() < 2e-3,
                "{degrees}: {found}, not {point}"
            );
        }
    }

    #[test]
    fn independent_requests_have_a_ratio_of_one() {
        let mut sum = 0.0;
        for seed in 0..40 {
            let effect = design_effect(&run(seed, |_| 0.1), Percentile::P90).unwrap();
            sum += effect.variance_ratio;
        }
        // Each has a standard error of 0.14; merging takes the greater now and then.
        assert!((0.95..1.25).contains(&(sum / 40.0)), "{}", sum / 40.0);
    }

    #[test]
    fn whole_blocks_slow_together_are_worth_one_request_each() {
        // Ten of a hundred blocks are slow altogether: x is 0 or 100, and the ratio of its
        // variance to the binomial one is the size of a block.
        let effect = design_effect(
            &run(1, |block| f64::from(u8::from(block % 10 == 7))),
            Percentile::P90,
        )
        .unwrap();
        assert!((effect.variance_ratio - 100.0).abs() < 2.0, "{effect:?}");
        assert_eq!((effect.blocks, effect.block_ns), (100, 100));
        assert!(effect.is_certain());
        // Ten events: far fewer degrees of freedom than blocks.
        assert!(effect.degrees_of_freedom < 30.0, "{effect:?}");
        assert!(effect.requests_each() > effect.variance_ratio);
    }

    #[test]
    fn dependence_longer_than_a_block_is_found() {
        // Ten slow blocks one after the other.
        let long = run(1, |block| f64::from(u8::from((40..50).contains(&block))));
        let effect = design_effect(&long, Percentile::P90).unwrap();
        assert!(effect.block_ns > 100, "{effect:?}");
        assert!(effect.variance_ratio > 250.0, "{effect:?}");
    }

    #[test]
    fn blocks_of_unequal_size_are_not_taken_for_dependence() {
        // Twice as many requests in every other block, slow at the same rate.
        let mut random = Random::new(5);
        let mut timeline = Timeline::new(100);
        for block in 0..400u64 {
            for _ in 0..50 * (1 + block % 2) {
                let slow = random.uniform() < 0.5;
                timeline.record(block * 100, if slow { 1_000_000 } else { 1_000 });
            }
        }
        let effect = design_effect(&timeline, Percentile::P50).unwrap();
        assert!(effect.variance_ratio < 1.5, "{effect:?}");
    }

    /// 100 blocks of 100 requests: of each block so many values, all alike, and the others failed.
    fn failing(failures: impl Fn(u64) -> u64) -> Timeline {
        let mut timeline = Timeline::new(100);
        for block in 0..100u64 {
            let failed = failures(block);
            timeline.record_failures(block * 100, failed);
            (failed..100).for_each(|_| timeline.record(block * 100, 1_000));
        }
        timeline
    }

    #[test]
    fn an_outage_is_one_event_and_scattered_failures_are_many() {
        let outage = failing(|block| if block == 40 { 100 } else { 0 });
        // All failures count as above p90 and p99: those of the outage are worth one request.
        for effect in [
            design_effect(&outage, Percentile::P90),
            design_effect(&outage, Percentile::P99),
            design_effect_of_failures(&outage),
        ] {
            let effect = effect.unwrap();
            assert!(effect.requests_each() > 100.0, "{effect:?}");
            assert!(effect.degrees_of_freedom < 2.5, "{effect:?}");
        }
        let scattered = failing(|_| 1);
        let each = |effect: Option<DesignEffect>| effect.unwrap().requests_each();
        assert!(each(design_effect(&scattered, Percentile::P90)) < 1.1);
        assert!(each(design_effect_of_failures(&scattered)) < 1.1);
    }

    #[test]
    fn most_requests_may_have_failed() {
        let most = failing(|block| 80 + block % 2);
        assert!(design_effect(&most, Percentile::P50).is_some());
        assert!(design_effect_of_failures(&most).is_some());
        assert_eq!(design_effect(&failing(|_| 100), Percentile::P50), None);
        assert_eq!(design_effect_of_failures(&failing(|_| 100)), None);
        assert_eq!(design_effect_of_failures(&failing(|_| 0)), None);
    }

    #[test]
    fn one_bucket_or_few_blocks_say_nothing() {
        assert_eq!(design_effect(&Timeline::new(1), Percentile::P50), None);
        assert_eq!(design_effect(&run(1, |_| 0.0), Percentile::P99), None);
        let mut short = Timeline::new(100);
        for at in 0..700u64 {
            short.record(at, at);
        }
        assert_eq!(design_effect(&short, Percentile::P50), None);
        short.record(750, 1);
        assert!(design_effect(&short, Percentile::P50).is_some());
    }
}
