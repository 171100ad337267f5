//! Rows of linked nodes, each row under a lock of its own.

use std::mem;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use runfair_harness::{fnv1a, FNV1A};

use crate::statistics::Statistics;

type Link = Option<Box<Node>>;

/// An entry, and the one that came into the row after it.
struct Node {
    key: Vec<u8>,
    value: Vec<u8>,
    next: Link,
}

/// A linked list of nodes, the oldest first.
#[derive(Default)]
struct Row {
    first: Link,
    length: usize,
}

impl Row {
    /// What leads to the node with that key, or to where it is to be appended.
    fn walk<const COUNT: bool>(&mut self, key: &[u8], statistics: &Statistics) -> &mut Link {
        let mut link = &mut self.first;
        while link.as_ref().is_some_and(|node| {
            if COUNT {
                statistics.chain_steps.tick();
            }
            node.key != key
        }) {
            // Taken apart only here: a link borrowed by the condition could not be given back.
            let Some(node) = link else { unreachable!() };
            link = &mut node.next;
        }
        link
    }

    fn nodes(&self) -> impl Iterator<Item = &Node> {
        std::iter::successors(self.first.as_deref(), |node| node.next.as_deref())
    }

    fn clear(&mut self) {
        // One after the other: a node that took the next with it would recurse over the whole list.
        while unlink(&mut self.first).is_some() {}
        self.length = 0;
    }
}

impl Drop for Row {
    fn drop(&mut self) {
        self.clear();
    }
}

fn unlink(link: &mut Link) -> Option<Vec<u8>> {
    let node = link.take()?;
    *link = node.next;
    Some(node.value)
}

/// The table. Statistics are those of the connection that asks.
pub struct Store {
    rows: Vec<Mutex<Row>>,
    capacity_bytes: u64,
    used_bytes: AtomicU64,
    counting: bool,
    tells_addresses: bool,
}

impl Store {
    /// No capacity, 0, is room for everything.
    pub fn new(rows: usize, capacity_bytes: u64, counting: bool, tells_addresses: bool) -> Self {
        let rows = (0..rows).map(|_| Mutex::default()).collect();
        let used_bytes = AtomicU64::new(0);
        Self { rows, capacity_bytes, used_bytes, counting, tells_addresses }
    }

    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    pub fn capacity_bytes(&self) -> u64 {
        self.capacity_bytes
    }

    pub fn counting(&self) -> bool {
        self.counting
    }

    pub fn tells_addresses(&self) -> bool {
        self.tells_addresses
    }

    /// Has `look` see the value, if there is one, while its row is locked; whether there was one.
    pub fn get(&self, key: &[u8], statistics: &Statistics, look: impl FnOnce(&[u8])) -> bool {
        let mut row = self.locked(self.index(key));
        match self.find(&mut row, key, statistics) {
            Some(node) => {
                look(&node.value);
                true
            }
            None => false,
        }
    }

    /// False where the value is longer than all of the room.
    pub fn set(&self, key: Vec<u8>, value: Vec<u8>, statistics: &Statistics) -> bool {
        let start = self.index(&key);
        if self.capacity_bytes > 0 {
            if value.len() as u64 > self.capacity_bytes {
                return false;
            }
            self.used_bytes.fetch_add(value.len() as u64, Ordering::Relaxed);
            while self.used_bytes.load(Ordering::Relaxed) > self.capacity_bytes
                && self.evict(start, statistics)
            {}
        }
        // The old value is freed after the lock.
        if let Some(old) = self.replace(start, key, value, statistics) {
            self.give_back(&old);
        }
        true
    }

    fn replace(
        &self,
        index: usize,
        key: Vec<u8>,
        value: Vec<u8>,
        statistics: &Statistics,
    ) -> Option<Vec<u8>> {
        let mut row = self.locked(index);
        let link = self.find(&mut row, &key, statistics);
        if let Some(node) = link {
            return Some(mem::replace(&mut node.value, value));
        }
        *link = Some(Box::new(Node { key, value, next: None }));
        row.length += 1;
        None
    }

    /// Lets the oldest entry of the first row go that has one; whether there was one.
    fn evict(&self, start: usize, statistics: &Statistics) -> bool {
        for i in 0..self.rows.len() {
            let mut row = self.locked((start + i) % self.rows.len());
            if let Some(value) = unlink(&mut row.first) {
                row.length -= 1;
                statistics.evictions.tick();
                self.give_back(&value);
                return true;
            }
        }
        false
    }

    /// Whether there was such an entry.
    pub fn remove(&self, key: &[u8], statistics: &Statistics) -> bool {
        let mut row = self.locked(self.index(key));
        let Some(value) = unlink(self.find(&mut row, key, statistics)) else { return false };
        row.length -= 1;
        self.give_back(&value);
        true
    }

    pub fn clear(&self) {
        for index in 0..self.rows.len() {
            let mut row = self.locked(index);
            row.nodes().for_each(|node| self.give_back(&node.value));
            row.clear();
        }
    }

    pub fn entries(&self) -> usize {
        (0..self.rows.len()).map(|index| self.locked(index).length).sum()
    }

    pub fn digest(&self) -> u64 {
        let mut total = 0_u64;
        for index in 0..self.rows.len() {
            for node in self.locked(index).nodes() {
                let hash = fnv1a(fnv1a(FNV1A, &node.key), &[0]);
                total = total.wrapping_add(fnv1a(hash, &node.value));
            }
        }
        total
    }

    /// Between the addresses of neighbours.
    pub fn distances(&self) -> Vec<usize> {
        let address = |node: &Node| ptr::from_ref(node) as usize;
        let mut all = Vec::new();
        for index in 0..self.rows.len() {
            let row = self.locked(index);
            let next = row.nodes().skip(1);
            let pairs = row.nodes().zip(next);
            all.extend(pairs.map(|(node, next)| address(node).abs_diff(address(next))));
        }
        all
    }

    fn index(&self, key: &[u8]) -> usize {
        (fnv1a(FNV1A, key) % self.rows.len() as u64) as usize
    }

    fn locked(&self, index: usize) -> MutexGuard<'_, Row> {
        self.rows[index].lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find<'a>(&self, row: &'a mut Row, key: &[u8], statistics: &Statistics) -> &'a mut Link {
        if self.counting {
            row.walk::<true>(key, statistics)
        } else {
            row.walk::<false>(key, statistics)
        }
    }

    fn give_back(&self, value: &[u8]) {
        if self.capacity_bytes > 0 {
            self.used_bytes.fetch_sub(value.len() as u64, Ordering::Relaxed);
        }
    }
}
