//! Workers, which work in parallel.

use std::panic::resume_unwind;
use std::thread;

use runfair_harness::{Counter, Failure};

/// Has every worker work, in a thread of its own if there are several, and returns what each made.
/// A worker counts for itself; `counter` is given the sum.
pub fn in_parallel<T: Send, const COUNT: bool>(
    counter: &mut Counter<COUNT>,
    works: impl ExactSizeIterator<Item = impl FnOnce(&mut Counter<COUNT>) -> Result<T, Failure> + Send>,
) -> Result<Vec<T>, Failure> {
    if works.len() == 1 {
        return works.map(|work| work(counter)).collect();
    }
    thread::scope(|scope| {
        let workers: Vec<_> = works
            .map(|work| {
                scope.spawn(|| {
                    let mut counter = Counter::default();
                    (work(&mut counter), counter)
                })
            })
            .collect();
        (workers.into_iter())
            .map(|worker| {
                let (made, counted) = worker.join().unwrap_or_else(|panic| resume_unwind(panic));
                counter.add_all(&counted);
                made
            })
            .collect()
    })
}
