//! What connections count, each for itself.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use runfair_harness::Counts;

/// The counts of one connection, written by its thread alone.
#[derive(Default)]
pub struct Statistics {
    pub commands: Count,
    pub hits: Count,
    pub misses: Count,
    pub evictions: Count,
    pub sets: Count,
    pub chain_steps: Count,
}

#[derive(Default)]
pub struct Count(AtomicU64);

impl Count {
    pub fn tick(&self) {
        self.add(1);
    }

    pub fn value(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// With one writer there is no need for an increment that others cannot come between.
    fn add(&self, more: u64) {
        self.0.store(self.value() + more, Ordering::Relaxed);
    }
}

impl Statistics {
    /// The counters of the contract, in a store of so many entries.
    pub fn counts(&self, entries: usize) -> Counts {
        vec![
            ("sets", self.sets.value()),
            ("gets", self.hits.value() + self.misses.value()),
            ("hits", self.hits.value()),
            ("misses", self.misses.value()),
            ("chain_steps", self.chain_steps.value()),
            ("entries", entries as u64),
            ("evictions", self.evictions.value()),
        ]
    }

    fn add(&self, other: &Self) {
        self.commands.add(other.commands.value());
        self.hits.add(other.hits.value());
        self.misses.add(other.misses.value());
        self.evictions.add(other.evictions.value());
        self.sets.add(other.sets.value());
        self.chain_steps.add(other.chain_steps.value());
    }
}

/// The statistics of all connections.
#[derive(Default)]
pub struct Totals(Mutex<Connections>);

#[derive(Default)]
struct Connections {
    open: Vec<Arc<Statistics>>,
    ended: Statistics,
}

impl Totals {
    pub fn begin(&self) -> Arc<Statistics> {
        let statistics = Arc::new(Statistics::default());
        self.connections().open.push(Arc::clone(&statistics));
        statistics
    }

    pub fn end(&self, statistics: &Arc<Statistics>) {
        let mut connections = self.connections();
        connections.open.retain(|open| !Arc::ptr_eq(open, statistics));
        connections.ended.add(statistics);
    }

    pub fn sum(&self) -> Statistics {
        let connections = self.connections();
        let sum = Statistics::default();
        sum.add(&connections.ended);
        connections.open.iter().for_each(|open| sum.add(open));
        sum
    }

    fn connections(&self) -> MutexGuard<'_, Connections> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
