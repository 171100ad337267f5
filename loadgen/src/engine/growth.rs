//! Opens more connections while all connections are busy, as independent users would.
//!
//! If a request is due and no thread has a free connection, a connection is opened for the
//! request, up to `--max-connections`. The request is sent on the connection that is free
//! first. An opened connection is kept.

use std::sync::atomic::Ordering;

use super::worker::{Source, Worker};

impl Worker<'_> {
    /// Opens a connection for each waiting request that has none. Returns `true` if one of
    /// them is open at once, for example over loopback.
    #[inline]
    pub(super) fn grow(&mut self, now_ns: u64) -> bool {
        if !self.load.may_grow() {
            return false;
        }
        while self.room() > 0 {
            let Source::Schedule(share) = &mut self.source else {
                return false;
            };
            let Some(arrival) = share.take_unserved(now_ns) else {
                return false;
            };
            let Some(number) = self.take_number() else {
                return false;
            };
            let id = self.pool.add_place(number);
            self.figures.counts.grown += 1;
            // A punctual generator would have begun when the request was due.
            self.pool.connections[id as usize].availability.behind_ns =
                now_ns - arrival.intended_ns;
            self.open(id, now_ns);
            if self.pool.has_free() {
                return true;
            }
        }
        false
    }

    /// The number of connections that may still be added.
    #[inline]
    fn room(&self) -> usize {
        let most = self.load.max_connections - self.load.connections;
        most - self.shared.grown.load(Ordering::Relaxed).min(most)
    }

    /// The number of a further connection among the connections of all threads; `None` if
    /// no more may be opened.
    fn take_number(&self) -> Option<usize> {
        let most = self.load.max_connections - self.load.connections;
        let grown = &self.shared.grown;
        grown
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |grown| {
                (grown < most).then_some(grown + 1)
            })
            .ok()
            .map(|grown| self.load.connections + grown)
    }

    /// The instant at which the next request is due for which a connection may have to be
    /// opened.
    #[inline]
    pub(super) fn grow_ns(&mut self, now_ns: u64) -> Option<u64> {
        if self.room() == 0 {
            return None;
        }
        match &mut self.source {
            Source::Schedule(share) => share
                .unserved()
                .map(|next| next.intended_ns)
                .filter(|next_ns| *next_ns > now_ns),
            Source::ClosedLoop { .. } => None,
        }
    }
}
