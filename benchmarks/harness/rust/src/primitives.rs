//! The contract's shared primitives.

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), from its seed on.
pub struct SplitMix64(pub u64);

impl SplitMix64 {
    #[allow(clippy::should_implement_trait)] // the contract's name; it never ends
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// A value below `n`, which is at least 1 and below 2³².
    pub fn bounded(&mut self, n: u64) -> u64 {
        (self.next() >> 32) % n
    }
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.bounded(i as u64 + 1) as usize);
        }
    }
}

/// FNV-1a, 64 bits (Fowler, Noll, Vo; draft-eastlake-fnv), of no bytes.
pub const FNV1A: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a of more bytes, behind those that `hash` is of.
pub fn fnv1a(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
