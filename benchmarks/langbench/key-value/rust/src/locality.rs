//! How far apart the nodes of a row lie.

use std::cmp::Reverse;

/// A distance, and how many pairs of neighbours have it.
#[derive(Clone, Copy, Default)]
pub struct Distance {
    pub bytes: usize,
    pub pairs: usize,
}

#[derive(Default)]
pub struct Locality {
    pub pairs: usize,
    pub median_bytes: usize,
    pub different: usize,
    pub frequent: Distance,
    pub next_frequent: Distance,
}

impl Locality {
    pub fn of(mut distances: Vec<usize>) -> Self {
        if distances.is_empty() {
            return Self::default();
        }
        distances.sort_unstable();
        let mut each: Vec<Distance> = distances
            .chunk_by(|a, b| a == b)
            .map(|same| Distance { bytes: same[0], pairs: same.len() })
            .collect();
        each.sort_by_key(|distance| Reverse(distance.pairs));
        Self {
            pairs: distances.len(),
            median_bytes: distances[(distances.len() - 1) / 2],
            different: each.len(),
            frequent: each[0],
            next_frequent: each.get(1).copied().unwrap_or_default(),
        }
    }
}
