//! What connections count, each for itself.

use std::mem;
use std::ops::AddAssign;
use std::sync::{Mutex, PoisonError};

#[derive(Clone, Copy, Default)]
pub struct Statistics {
    pub commands: u64,
    pub hits: u64,
    pub misses: u64,
    pub evictions: u64,
    pub sets: u64,
    pub chain_steps: u64,
}

impl AddAssign for Statistics {
    fn add_assign(&mut self, other: Self) {
        self.commands += other.commands;
        self.hits += other.hits;
        self.misses += other.misses;
        self.evictions += other.evictions;
        self.sets += other.sets;
        self.chain_steps += other.chain_steps;
    }
}

/// What the connections have handed over.
#[derive(Default)]
pub struct Totals(Mutex<Statistics>);

impl Totals {
    /// Takes what a connection has counted, which begins again; gives the sum with the others.
    pub fn take(&self, counted: &mut Statistics) -> Statistics {
        let mut sum = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *sum += mem::take(counted);
        *sum
    }
}
