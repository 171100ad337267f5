//! Which of several templates a request uses.

use clap::ValueEnum;

use super::alias::AliasTable;
use crate::schedule::{Draws, Stream};

/// The order in which the requests of a file are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Order {
    /// In the order of the file, and from the beginning again after the last request
    File,
    /// At random, by weight
    Random,
    /// Each request once, at its time stamp; the same as --arrivals trace
    Trace,
}

/// The order, made ready for a number of templates.
#[derive(Clone, Debug)]
pub(super) enum Selection {
    InTurn { count: u64 },
    ByWeight { table: AliasTable, draws: Draws },
}

impl Selection {
    /// Takes one weight for each template, of which there is at least one; the
    /// weights are positive and finite.
    pub fn new(order: Order, weights: &[f64], seed: u64) -> Self {
        match order {
            // A trace has no more requests than lines, so its turn never comes
            // round again.
            Order::File | Order::Trace => Self::InTurn {
                count: weights.len() as u64,
            },
            Order::Random => Self::ByWeight {
                table: AliasTable::new(weights),
                draws: Draws::new(seed, Stream::Selection),
            },
        }
    }

    /// The template of request `index`.
    #[inline]
    pub fn template(&self, index: u64) -> u32 {
        match self {
            Self::InTurn { count: 1 } => 0,
            Self::InTurn { count } => (index % count) as u32,
            Self::ByWeight { table, draws } => table.choose(draws.bits(index)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(order: Order, weights: &[f64], n: u64) -> Vec<u32> {
        let selection = Selection::new(order, weights, 5);
        (0..n).map(|index| selection.template(index)).collect()
    }

    #[test]
    fn in_turn_comes_round_again() {
        assert_eq!(first(Order::File, &[1.0; 3], 7), [0, 1, 2, 0, 1, 2, 0]);
        assert_eq!(first(Order::Trace, &[1.0; 3], 3), [0, 1, 2]);
        assert_eq!(first(Order::File, &[1.0], 2), [0, 0]);
    }

    #[test]
    fn by_weight_takes_the_heavy_more_often() {
        let drawn = first(Order::Random, &[1.0, 9.0], 10_000);
        let heavy = drawn.iter().filter(|&&template| template == 1).count();
        // Five standard deviations of a binomial: sqrt(10000 · 0.9 · 0.1) = 30.
        assert!(heavy.abs_diff(9_000) < 150, "{heavy}");
        assert_eq!(first(Order::Random, &[1.0, 9.0], 10_000), drawn);
    }
}
