//! Counts lost segments, and corrects the arrival of an answer whose stamp belongs to a
//! segment that overtook another.
//!
//! The kernel stamps each segment as it comes, and gives a read the stamp of the last one in it.
//! If an earlier segment was lost, the last one came long before the answer could be read.

use super::worker::Worker;
use runfair_measuring::kernel::tcp_losses::Losses;

/// If a socket had no data this long after the stamp, in ns, it was waiting for an earlier
/// segment. The kernel itself needs less time from the stamp until the data can be read.
const OVERTAKEN_NS: u64 = 1_000_000;

/// The number of connections that are checked together. Checking ten thousand at once would
/// delay due requests.
const TOGETHER: usize = 64;

impl Worker<'_> {
    /// Counts the lost segments of some connections, in turn.
    pub(super) fn look_for_some_losses(&mut self) {
        let places = self.pool.connections.len();
        for _ in 0..places.min(TOGETHER) {
            self.look_for_losses(self.losses_from as u32);
            self.losses_from = (self.losses_from + 1) % places;
        }
    }

    /// Counts the segments that a connection lost since the last check. Returns whether
    /// segments came out of order. From then on answers are read at once, because with lazy
    /// reading they would be timed too late.
    pub(super) fn look_for_losses(&mut self, id: u32) -> bool {
        let connection = &mut self.pool.connections[id as usize];
        let Some(stream) = connection.stream.as_ref().filter(|_| !self.load.over_unix) else {
            return false;
        };
        let losses = Losses::of(stream.descriptor());
        let new = losses.since(connection.losses);
        connection.losses = losses;
        self.figures.counts.losses.add(new);
        self.at_once |= new.out_of_order > 0;
        new.out_of_order > 0
    }

    /// The instant at which an answer could be read whose last segment came at `came_ns`.
    /// It is not before the socket was last seen without data. If an earlier segment came
    /// much later, it is the present.
    #[inline]
    pub(super) fn readable_ns(&mut self, id: u32, came_ns: u64) -> u64 {
        let was_missing = came_ns + OVERTAKEN_NS < self.empty_ns;
        // Read at once, it should not have waited: the kernel knows whether it overtook another.
        let is_late = || self.at_once && came_ns + OVERTAKEN_NS < self.now();
        if was_missing || (is_late() && self.look_for_losses(id)) {
            self.figures.counts.overtaken += 1;
            self.at_once = true;
            return self.now();
        }
        came_ns.max(self.empty_ns)
    }
}
