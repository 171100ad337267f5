//! One schedule for all threads: whichever has a free connection sends the next due request.
//!
//! Were request `i` always of thread `i` mod `T`, a thread whose connections are all busy would
//! let it wait while another's are free, and the server would be blamed. So the next request is
//! taken from one index without a lock. A thread wakes for every `T`th request only, and sends
//! whatever else is due then. While a thread has no free connection, the others wake for every
//! request.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::schedule::{Arrival, Arrivals, Schedule, Shard};

/// What all threads share.
#[derive(Debug)]
pub struct SharedSchedule {
    /// The requests that this process sends.
    shard: Shard,
    /// The request that is taken next.
    next_index: AtomicU64,
    /// Threads that have no free connection although requests are due.
    starved: AtomicUsize,
    /// The first request for which nobody has opened a further connection.
    next_unserved: AtomicU64,
    /// Connections beyond those of the start.
    pub grown: AtomicUsize,
}

impl SharedSchedule {
    /// Nothing is taken yet of the shard's requests.
    pub fn new(shard: Shard) -> Self {
        Self {
            shard,
            next_index: AtomicU64::new(shard.first_index()),
            starved: AtomicUsize::new(0),
            next_unserved: AtomicU64::new(0),
            grown: AtomicUsize::new(0),
        }
    }
}

/// One thread's view of it.
pub struct Share<'a> {
    shared: &'a SharedSchedule,
    all: Arrivals,
    /// The next request of all threads together, as far as this one has looked.
    first: Option<Arrival>,
    own: Arrivals,
    /// The next request that this thread wakes for; of a lone thread `first` is.
    own_first: Option<Arrival>,
    threads: usize,
    starves: bool,
    /// The requests that may want a further connection, as far as this thread has looked.
    waiting: Arrivals,
    first_waiting: Option<Arrival>,
}

impl<'a> Share<'a> {
    /// The view of thread `number` of `threads`.
    pub fn new(
        shared: &'a SharedSchedule,
        schedule: &Schedule,
        number: usize,
        threads: usize,
    ) -> Self {
        let shard = shared.shard;
        let mut all = shard.arrivals(schedule, 0, 1);
        let mut own = shard.arrivals(schedule, number as u64, threads as u64);
        Self {
            shared,
            first: all.next(),
            all,
            own_first: own.next(),
            own,
            threads,
            starves: false,
            first_waiting: None,
            waiting: shard.arrivals(schedule, 0, 1),
        }
    }

    /// The next request that no thread has taken.
    #[inline]
    pub fn first(&mut self) -> Option<Arrival> {
        let next_index = self.shared.next_index.load(Ordering::Acquire);
        while self.first.is_some_and(|first| first.index < next_index) {
            self.first = self.all.next();
        }
        self.first
    }

    /// Takes the next request if it is due. No other thread gets it then.
    #[inline]
    pub fn take_due(&mut self, now_ns: u64) -> Option<Arrival> {
        loop {
            let due = self.first().filter(|first| first.intended_ns <= now_ns)?;
            let (index, next) = (due.index, due.index + self.shared.shard.of());
            let taken = self.shared.next_index.compare_exchange(
                index,
                next,
                Ordering::AcqRel,
                Ordering::Relaxed,
            );
            if taken.is_ok() {
                self.first = self.all.next();
                return Some(due);
            }
        }
    }

    /// When this thread is to look for a request next.
    #[inline]
    pub fn wake_ns(&mut self) -> Option<u64> {
        let first = self.first()?;
        if self.threads == 1 || self.shared.starved.load(Ordering::Relaxed) > 0 {
            return Some(first.intended_ns);
        }
        while self.own_first.is_some_and(|own| own.index < first.index) {
            self.own_first = self.own.next();
        }
        self.own_first.map(|own| own.intended_ns)
    }

    /// Tells the others whether this thread has no free connection for a due request.
    #[inline]
    pub fn starve(&mut self, starves: bool) {
        if self.threads == 1 || self.starves == starves {
            return;
        }
        self.starves = starves;
        if starves {
            self.shared.starved.fetch_add(1, Ordering::Relaxed);
        } else {
            self.shared.starved.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// The next request that waits for a connection and for which none is being opened.
    #[inline]
    pub fn unserved(&mut self) -> Option<Arrival> {
        let first = self.first()?;
        if self
            .first_waiting
            .is_none_or(|waiting| waiting.index < first.index)
        {
            self.first_waiting = Some(first);
            self.waiting.catch_up(&self.all);
        }
        let next_unserved = self.shared.next_unserved.load(Ordering::Acquire);
        while self
            .first_waiting
            .is_some_and(|waiting| waiting.index < next_unserved)
        {
            self.first_waiting = self.waiting.next();
        }
        self.first_waiting
    }

    /// Takes on to open a connection for the next such request, if it is due and no thread has a
    /// free one for it. No other thread opens one for it then.
    #[inline]
    pub fn take_unserved(&mut self, now_ns: u64) -> Option<Arrival> {
        let starved = self.shared.starved.load(Ordering::Relaxed);
        if self.threads > 1 && starved < self.threads {
            return None;
        }
        let due = self
            .unserved()
            .filter(|first| first.intended_ns <= now_ns)?;
        let before = self
            .shared
            .next_unserved
            .fetch_max(due.index + 1, Ordering::AcqRel);
        (before <= due.index).then_some(due)
    }

    /// Takes no more requests.
    pub fn end(&mut self) {
        self.starve(false);
        self.first = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::{End, Process, ScheduleSpec, Source};

    fn schedule(requests: u64) -> Schedule {
        Schedule::new(ScheduleSpec {
            source: Source::Profile {
                process: Process::Constant,
                profile: "1000".parse().unwrap(),
            },
            end: End::Requests(requests),
            seed: 1,
        })
        .unwrap()
    }

    const MS: u64 = 1_000_000;

    #[test]
    fn what_one_thread_takes_no_other_gets() {
        let (shared, schedule) = (SharedSchedule::new(Shard::WHOLE), schedule(4));
        let mut one = Share::new(&shared, &schedule, 0, 2);
        let mut other = Share::new(&shared, &schedule, 1, 2);
        let index = |due: Option<Arrival>| due.map(|due| due.index);
        assert_eq!(index(one.take_due(0)), Some(0));
        assert_eq!(index(other.take_due(0)), None, "not due yet");
        assert_eq!(index(other.take_due(2 * MS)), Some(1));
        assert_eq!(index(other.take_due(2 * MS)), Some(2));
        assert_eq!(index(one.take_due(3 * MS)), Some(3));
        assert_eq!((one.first(), other.first()), (None, None));
    }

    #[test]
    fn a_waiting_request_gets_one_connection_and_only_if_no_thread_has_one_free() {
        let (shared, schedule) = (SharedSchedule::new(Shard::WHOLE), schedule(4));
        let mut one = Share::new(&shared, &schedule, 0, 2);
        let mut other = Share::new(&shared, &schedule, 1, 2);
        let index = |arrival: Option<Arrival>| arrival.map(|arrival| arrival.index);
        one.starve(true);
        assert_eq!(
            index(one.take_unserved(10 * MS)),
            None,
            "the other may send it"
        );
        other.starve(true);
        assert_eq!(index(one.take_unserved(0)), Some(0));
        assert_eq!(
            index(other.take_unserved(0)),
            None,
            "the next is not due yet"
        );
        assert_eq!(index(other.unserved()), Some(1));
        assert_eq!(index(other.take_unserved(MS)), Some(1));
        // Requests that others have sent meanwhile need none.
        for _ in 0..3 {
            assert!(one.take_due(10 * MS).is_some());
        }
        assert_eq!(index(one.take_unserved(10 * MS)), Some(3));
        assert_eq!(index(other.take_unserved(10 * MS)), None);
    }

    #[test]
    fn a_thread_wakes_for_its_own_until_another_starves() {
        let (shared, schedule) = (SharedSchedule::new(Shard::WHOLE), schedule(100));
        let mut one = Share::new(&shared, &schedule, 0, 2);
        let mut other = Share::new(&shared, &schedule, 1, 2);
        assert_eq!((one.wake_ns(), other.wake_ns()), (Some(0), Some(MS)));
        one.starve(true);
        assert_eq!(other.wake_ns(), Some(0));
        one.starve(false);
        assert_eq!(other.wake_ns(), Some(MS));
        one.starve(true);
        one.end();
        assert_eq!((one.wake_ns(), other.wake_ns()), (None, Some(MS)));
    }

    #[test]
    fn a_shard_takes_its_own_requests_only() {
        let (shared, schedule) = (SharedSchedule::new(Shard::new(2, 3).unwrap()), schedule(10));
        let mut one = Share::new(&shared, &schedule, 0, 2);
        let mut other = Share::new(&shared, &schedule, 1, 2);
        let index = |arrival: Option<Arrival>| arrival.map(|arrival| arrival.index);
        assert_eq!((one.wake_ns(), other.wake_ns()), (Some(MS), Some(4 * MS)));
        assert_eq!(index(one.take_due(0)), None, "not due yet");
        assert_eq!(index(one.take_due(10 * MS)), Some(1));
        assert_eq!(index(other.unserved()), Some(4));
        assert_eq!(index(other.take_due(10 * MS)), Some(4));
        assert_eq!(index(one.take_due(10 * MS)), Some(7));
        assert_eq!(index(one.take_due(10 * MS)), None);
        assert_eq!((one.first(), other.first()), (None, None));
    }

    #[test]
    fn many_threads_take_every_request_once() {
        const REQUESTS: u64 = 100_000;
        let (shared, schedule) = (SharedSchedule::new(Shard::WHOLE), schedule(REQUESTS));
        let taken: Vec<Vec<u64>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|number| {
                    let mut share = Share::new(&shared, &schedule, number, 4);
                    scope.spawn(move || {
                        std::iter::from_fn(|| share.take_due(u64::MAX))
                            .map(|due| due.index)
                            .collect()
                    })
                })
                .collect();
            threads.into_iter().map(|one| one.join().unwrap()).collect()
        });
        assert!(taken.iter().all(|one: &Vec<u64>| one.is_sorted()));
        let mut all = taken.concat();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..REQUESTS));
    }
}
