//! What a key holds: a printable pattern that follows from the key alone.
//!
//! An answer can thus be checked without remembering what was written, and
//! piece by piece as it arrives. The pattern is part of what a data set *is*:
//! a server filled by one run is read by another, so it depends on no seed and
//! must not change with the generator's source of chance.

/// Bytes made by one mix: sixteen letters for the sixteen nibbles of a `u64`.
const BLOCK_BYTES: usize = 16;

/// The value stored under a key: `bytes` letters from `a` to `p`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// The key's number, below the size of the key space.
    pub key: u64,
    /// Length in bytes.
    pub bytes: u64,
}

impl Value {
    /// Appends the whole value.
    pub fn append_to(&self, out: &mut Vec<u8>) {
        let mut left = self.bytes;
        let mut number = 0;
        while left >= BLOCK_BYTES as u64 {
            out.extend_from_slice(&block(self.key, number));
            left -= BLOCK_BYTES as u64;
            number += 1;
        }
        if left > 0 {
            out.extend_from_slice(&block(self.key, number)[..left as usize]);
        }
    }

    /// Whether `piece` is what the value has from byte `position` on. A piece
    /// that reaches beyond the value's end does not match.
    pub fn matches_at(&self, position: u64, piece: &[u8]) -> bool {
        let within = position
            .checked_add(piece.len() as u64)
            .is_some_and(|end| end <= self.bytes);
        if !within {
            return false;
        }
        let mut number = position / BLOCK_BYTES as u64;
        let skipped = (position % BLOCK_BYTES as u64) as usize;
        let (first, rest) = piece.split_at(piece.len().min((BLOCK_BYTES - skipped) % BLOCK_BYTES));
        if !first.is_empty() {
            if first != &block(self.key, number)[skipped..skipped + first.len()] {
                return false;
            }
            number += 1;
        }
        for chunk in rest.chunks(BLOCK_BYTES) {
            if chunk != &block(self.key, number)[..chunk.len()] {
                return false;
            }
            number += 1;
        }
        true
    }
}

/// The sixteen letters of one block: the finaliser of SplitMix64 (Steele, Lea
/// and Flood, OOPSLA 2014, section 5) over key and block number.
#[inline]
fn block(key: u64, number: u64) -> [u8; BLOCK_BYTES] {
    let mut z = key
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(number.wrapping_mul(0xd134_2543_de82_ef95))
        .wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^= z >> 31;
    let mut letters = [0; BLOCK_BYTES];
    letters[..8].copy_from_slice(&letters_of(z as u32).to_le_bytes());
    letters[8..].copy_from_slice(&letters_of((z >> 32) as u32).to_le_bytes());
    letters
}

/// Spreads eight nibbles over eight bytes and lifts each to a letter.
#[inline]
fn letters_of(bits: u32) -> u64 {
    let mut spread = u64::from(bits);
    spread = (spread | (spread << 16)) & 0x0000_ffff_0000_ffff;
    spread = (spread | (spread << 8)) & 0x00ff_00ff_00ff_00ff;
    spread = (spread | (spread << 4)) & 0x0f0f_0f0f_0f0f_0f0f;
    spread + u64::from_le_bytes([b'a'; 8])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(key: u64, bytes: u64) -> Vec<u8> {
        let mut out = Vec::new();
        Value { key, bytes }.append_to(&mut out);
        out
    }

    #[test]
    fn the_pattern_is_fixed() {
        // Written down because stored data sets outlive a version.
        assert_eq!(text(123, 20), b"mbegfiaacblcblaeolbf");
    }

    #[test]
    fn keys_and_blocks_differ() {
        let long = text(5, 64);
        let blocks: std::collections::HashSet<&[u8]> = long.chunks(16).collect();
        assert_eq!(blocks.len(), 4);
        assert_ne!(text(5, 16), text(6, 16));
    }

    proptest! {
        #[test]
        fn the_length_is_as_asked_and_every_byte_a_letter(key: u64, bytes in 0u64..300) {
            let value = text(key, bytes);
            prop_assert_eq!(value.len() as u64, bytes);
            prop_assert!(value.iter().all(|byte| (b'a'..=b'p').contains(byte)));
        }

        #[test]
        fn any_piece_matches_where_it_stands(key: u64, bytes in 1u64..200, a: u64, b: u64) {
            let value = text(key, bytes);
            let (from, to) = ((a % (bytes + 1)).min(b % (bytes + 1)), (a % (bytes + 1)).max(b % (bytes + 1)));
            let piece = &value[from as usize..to as usize];
            let matches = Value { key, bytes }.matches_at(from, piece);
            prop_assert!(matches);
        }

        #[test]
        fn one_changed_byte_is_seen(key: u64, bytes in 1u64..200, at: u64, from: u64) {
            let mut value = text(key, bytes);
            let at = (at % bytes) as usize;
            let from = (from % (at as u64 + 1)) as usize;
            value[at] ^= 1;
            let matches = Value { key, bytes }.matches_at(from as u64, &value[from..]);
            prop_assert!(!matches);
        }

        #[test]
        fn nothing_beyond_the_end_matches(key: u64, bytes in 0u64..200, more in 1u64..40) {
            let longer = text(key, bytes + more);
            let matches = Value { key, bytes }.matches_at(0, &longer);
            prop_assert!(!matches);
            let overflowing = Value { key, bytes }.matches_at(u64::MAX, &longer);
            prop_assert!(!overflowing);
        }
    }
}
