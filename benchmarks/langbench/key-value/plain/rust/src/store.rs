//! The contract's table: rows of linked nodes, each row under a lock.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::Mutex;

use runfair_harness::{fnv1a, FNV1A};

use crate::server::locked;
use crate::session::Counts;

type Link = Option<Box<Node>>;

struct Node {
    key: Vec<u8>,
    value: Vec<u8>,
    next: Link,
}

#[derive(Default)]
struct Row {
    first: Link,
}

impl Row {
    /// The link to the node with that key, or the link at the end of the row.
    fn find(&mut self, key: &[u8], counts: &mut Counts) -> &mut Link {
        let mut link = &mut self.first;
        while link.as_ref().is_some_and(|node| differs(node, key, counts)) {
            let Some(node) = link else { unreachable!() };
            link = &mut node.next;
        }
        link
    }

    fn nodes(&self) -> impl Iterator<Item = &Node> {
        std::iter::successors(self.first.as_deref(), |node| node.next.as_deref())
    }

    /// Removes the nodes one by one; a node that is dropped with its successors recurses.
    fn clear(&mut self) -> usize {
        let mut bytes = 0;
        while let Some(value) = unlink(&mut self.first) {
            bytes += value.len();
        }
        bytes
    }
}

impl Drop for Row {
    fn drop(&mut self) {
        self.clear();
    }
}

fn differs(node: &Node, key: &[u8], counts: &mut Counts) -> bool {
    counts.chain_steps += 1; // tick
    node.key != key
}

fn unlink(link: &mut Link) -> Option<Vec<u8>> {
    let node = link.take()?;
    *link = node.next;
    Some(node.value)
}

pub struct Store {
    rows: Vec<Mutex<Row>>,
    pub capacity: u64, // 0: everything has room
    used: AtomicU64,
}

impl Store {
    pub fn new(rows: usize, capacity: u64) -> Self {
        let rows = (0..rows).map(|_| Mutex::default()).collect();
        Store { rows, capacity, used: AtomicU64::new(0) }
    }

    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    fn index(&self, key: &[u8]) -> usize {
        (fnv1a(FNV1A, key) % self.rows.len() as u64) as usize
    }

    pub fn get(&self, key: &[u8], counts: &mut Counts) -> Option<Vec<u8>> {
        let mut row = locked(&self.rows[self.index(key)]);
        row.find(key, counts).as_ref().map(|node| node.value.clone())
    }

    /// Returns false if the value is longer than the capacity.
    pub fn set(&self, key: Vec<u8>, value: Vec<u8>, counts: &mut Counts) -> bool {
        let index = self.index(&key);
        if self.capacity > 0 {
            if value.len() as u64 > self.capacity {
                return false;
            }
            self.used.fetch_add(value.len() as u64, SeqCst);
            while self.used.load(SeqCst) > self.capacity && self.evict(index, counts) {}
        }
        let mut row = locked(&self.rows[index]);
        let link = row.find(&key, counts);
        if let Some(node) = link {
            self.free(node.value.len());
            node.value = value;
        } else {
            *link = Some(Box::new(Node { key, value, next: None }));
        }
        true
    }

    /// Returns whether there was an entry to evict.
    fn evict(&self, start: usize, counts: &mut Counts) -> bool {
        for i in 0..self.rows.len() {
            let mut row = locked(&self.rows[(start + i) % self.rows.len()]);
            if let Some(value) = unlink(&mut row.first) {
                self.free(value.len());
                counts.evictions += 1;
                return true;
            }
        }
        false
    }

    /// Returns whether there was such an entry.
    pub fn remove(&self, key: &[u8], counts: &mut Counts) -> bool {
        let mut row = locked(&self.rows[self.index(key)]);
        let removed = unlink(row.find(key, counts));
        self.free(removed.as_ref().map_or(0, Vec::len));
        removed.is_some()
    }

    fn free(&self, bytes: usize) {
        if self.capacity > 0 {
            self.used.fetch_sub(bytes as u64, SeqCst);
        }
    }

    pub fn clear(&self) {
        for row in &self.rows {
            let bytes = locked(row).clear();
            self.free(bytes);
        }
    }

    pub fn entries(&self) -> usize {
        self.rows.iter().map(|row| locked(row).nodes().count()).sum()
    }

    pub fn digest(&self) -> u64 {
        let mut sum = 0_u64;
        for row in &self.rows {
            for node in locked(row).nodes() {
                let hash = fnv1a(fnv1a(FNV1A, &node.key), &[0]);
                sum = sum.wrapping_add(fnv1a(hash, &node.value));
            }
        }
        sum
    }
}
