use std::sync::atomic::{AtomicUsize, Ordering};

/// The connections of the whole program, divided among its workers.
pub struct Shares {
    connections: usize,
    workers: usize,
    taken: AtomicUsize,
}

impl Shares {
    pub fn new(connections: usize, workers: usize) -> Self {
        Self { connections, workers, taken: AtomicUsize::new(0) }
    }

    /// The next worker's number of connections: the first workers take one of the remainder each.
    /// Without a connection a worker could not answer, so it has at least one.
    pub fn next(&self) -> usize {
        let worker = self.taken.fetch_add(1, Ordering::Relaxed) % self.workers;
        let extra = usize::from(worker < self.connections % self.workers);
        (self.connections / self.workers + extra).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(connections: usize, workers: usize, count: usize) -> Vec<usize> {
        let shares = Shares::new(connections, workers);
        (0..count).map(|_| shares.next()).collect()
    }

    #[test]
    fn no_connection_is_left_over() {
        assert_eq!(taken(8, 2, 2), [4, 4]);
        assert_eq!(taken(11, 4, 4), [3, 3, 3, 2]);
    }

    #[test]
    fn each_worker_has_a_connection() {
        assert_eq!(taken(2, 3, 3), [1, 1, 1]);
    }

    #[test]
    fn workers_that_are_started_again_begin_anew() {
        assert_eq!(taken(3, 2, 4), [2, 1, 2, 1]);
    }
}
