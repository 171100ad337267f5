//! Random numbers that are computed from seed, stream and index, so that any draw can be
//! repeated.

/// The purpose of draws. The streams of one seed are independent of each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Gaps between Poisson arrivals.
    Gaps,
    /// Which request of several is sent.
    Selection,
    /// Which key of a key space is used.
    Keys,
    /// Which answers have their body checked.
    Checks,
    /// Which row of a feed is used.
    Feed,
    /// A field of a template, by its number within the request.
    Field(u32),
}

impl Stream {
    fn number(self) -> u64 {
        match self {
            Self::Gaps => 0,
            Self::Selection => 1,
            Self::Keys => 2,
            Self::Checks => 3,
            Self::Feed => 4,
            Self::Field(number) => (1 << 32) | u64::from(number),
        }
    }
}

/// The draws of one stream, each a function of its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draws {
    start: u64,
}

impl Draws {
    /// The stream of a seed.
    pub fn new(seed: u64, stream: Stream) -> Self {
        // Mixed twice, so that neighbouring seeds and streams start far apart.
        Self {
            start: mix(mix(seed).wrapping_add(GOLDEN_GAMMA.wrapping_mul(stream.number() + 1))),
        }
    }

    /// Sixty-four random bits.
    #[inline]
    pub fn bits(&self, index: u64) -> u64 {
        mix(self
            .start
            .wrapping_add(index.wrapping_add(1).wrapping_mul(GOLDEN_GAMMA)))
    }

    /// A number between 0 and 1, never either of them.
    #[inline]
    pub fn open_unit(&self, index: u64) -> f64 {
        // Fifty-two bits and a half: with fifty-three the largest would round to 1.
        ((self.bits(index) >> 12) as f64 + 0.5) * (1.0 / (1u64 << 52) as f64)
    }

    /// An integer from 0 to `bound` − 1, or 0 if `bound` is 0. The bias of the
    /// multiplication is below `bound` / 2⁶⁴ (Lemire, ACM TOMACS 29(1), 2019).
    #[inline]
    pub fn below(&self, index: u64, bound: u64) -> u64 {
        ((u128::from(self.bits(index)) * u128::from(bound)) >> 64) as u64
    }
}

/// The increment of SplitMix64: 2⁶⁴ divided by the golden ratio, made odd.
const GOLDEN_GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014, section 5).
#[inline]
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DRAWN: u64 = 100_000;

    #[test]
    fn the_mix_is_splitmix64() {
        // First outputs of SplitMix64 from state 1234567, as published with it.
        let state: u64 = 1_234_567;
        let first = |n: u64| mix(state.wrapping_add(n.wrapping_mul(GOLDEN_GAMMA)));
        assert_eq!(first(1), 6_457_827_717_110_365_317);
        assert_eq!(first(2), 3_203_168_211_198_807_973);
        assert_eq!(first(3), 9_817_491_932_198_370_423);
    }

    #[test]
    fn unit_draws_have_the_moments_of_the_uniform() {
        let draws = Draws::new(7, Stream::Gaps);
        let n = DRAWN as f64;
        let mean = (0..DRAWN).map(|k| draws.open_unit(k)).sum::<f64>() / n;
        let variance = (0..DRAWN)
            .map(|k| (draws.open_unit(k) - mean).powi(2))
            .sum::<f64>()
            / n;
        // Five standard errors of each.
        assert!((mean - 0.5).abs() < 5.0 * (1.0 / 12.0 / n).sqrt(), "{mean}");
        assert!(
            (variance - 1.0 / 12.0).abs() < 5.0 * (1.0 / 180.0 / n).sqrt(),
            "{variance}"
        );
    }

    #[test]
    fn streams_and_seeds_are_uncorrelated() {
        let pairs = [
            (Draws::new(1, Stream::Gaps), Draws::new(2, Stream::Gaps)),
            (
                Draws::new(1, Stream::Gaps),
                Draws::new(1, Stream::Selection),
            ),
            (
                Draws::new(1, Stream::Field(0)),
                Draws::new(1, Stream::Field(1)),
            ),
        ];
        for (a, b) in pairs {
            let covariance = (0..DRAWN)
                .map(|k| (a.open_unit(k) - 0.5) * (b.open_unit(k) - 0.5))
                .sum::<f64>()
                / DRAWN as f64;
            let bound = 5.0 / 12.0 / (DRAWN as f64).sqrt();
            assert!(covariance.abs() < bound, "{covariance}");
        }
    }

    proptest! {
        #[test]
        fn unit_draws_stay_open(seed: u64, index: u64) {
            let unit = Draws::new(seed, Stream::Gaps).open_unit(index);
            prop_assert!(unit > 0.0 && unit < 1.0);
        }

        #[test]
        fn bounded_draws_stay_below(seed: u64, index: u64, bound in 1u64..) {
            prop_assert!(Draws::new(seed, Stream::Keys).below(index, bound) < bound);
        }

        #[test]
        fn a_draw_can_be_made_again(seed: u64, index: u64, field: u32) {
            let once = Draws::new(seed, Stream::Field(field)).bits(index);
            let again = Draws::new(seed, Stream::Field(field)).bits(index);
            prop_assert_eq!(once, again);
        }
    }
}
