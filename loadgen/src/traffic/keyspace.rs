//! The keys a run uses, each as likely as any other.

use crate::schedule::{Draws, Stream};

/// One more than the largest key that twelve digits can write.
pub const MOST_KEYS: u64 = 1_000_000_000_000;

/// A number of keys, from 0 upwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeySpace {
    keys: u64,
}

/// A number of keys that cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the texts say it")]
pub enum KeySpaceError {
    #[error("a key space needs at least 1 key")]
    Empty,
    #[error("{0} keys are too many; give at most {MOST_KEYS}")]
    TooMany(u64),
}

impl KeySpace {
    /// A key space of so many keys.
    ///
    /// # Errors
    /// No key, or more than [`MOST_KEYS`].
    pub fn new(keys: u64) -> Result<Self, KeySpaceError> {
        match keys {
            0 => Err(KeySpaceError::Empty),
            1..=MOST_KEYS => Ok(Self { keys }),
            _ => Err(KeySpaceError::TooMany(keys)),
        }
    }

    /// How many keys there are.
    pub fn keys(self) -> u64 {
        self.keys
    }

    /// The draws that [`Self::key`] uses for Redis commands.
    pub(super) fn draws(seed: u64) -> Draws {
        Draws::new(seed, Stream::Keys)
    }

    /// The key drawn for request `index`.
    #[inline]
    pub(super) fn key(self, draws: &Draws, index: u64) -> u64 {
        draws.below(index, self.keys)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_about_as_likely() {
        let space = KeySpace::new(10).unwrap();
        let draws = KeySpace::draws(1);
        let mut counts = [0_u64; 10];
        for index in 0..100_000 {
            counts[space.key(&draws, index) as usize] += 1;
        }
        // Five standard deviations: sqrt(100000 · 0.1 · 0.9) = 95.
        assert!(
            counts.iter().all(|count| count.abs_diff(10_000) < 475),
            "{counts:?}"
        );
    }

    #[test]
    fn impossible_numbers_are_refused() {
        assert_eq!(KeySpace::new(0), Err(KeySpaceError::Empty));
        assert_eq!(KeySpace::new(MOST_KEYS).map(KeySpace::keys), Ok(MOST_KEYS));
        assert_eq!(
            KeySpace::new(MOST_KEYS + 1).unwrap_err().to_string(),
            "1000000000001 keys are too many; give at most 1000000000000"
        );
    }
}
