//! Lost segments: how many, and when an answer came whose stamp is of a segment that overtook
//! another.
//!
//! The kernel stamps each segment as it comes, and gives a read the stamp of the last one in it.
//! If an earlier segment was lost, the last one came long before the answer could be read.

use super::worker::Worker;
use crate::kernel::tcp_losses::Losses;

/// A socket without data so long after the stamp, ns, was waiting for a segment before it. The
/// kernel itself takes less from the stamp until the data can be read.
const OVERTAKEN_NS: u64 = 1_000_000;

/// Connections looked at together: ten thousand at once would hold up the requests due.
const TOGETHER: usize = 64;

impl Worker<'_> {
    /// Counts what was lost on some of the connections, in turn.
    pub(super) fn look_for_some_losses(&mut self) {
        let places = self.pool.connections.len();
        for _ in 0..places.min(TOGETHER) {
            self.look_for_losses(self.losses_from as u32);
            self.losses_from = (self.losses_from + 1) % places;
        }
    }

    /// Counts what was lost on a connection since the last look; whether segments came out of
    /// order. From then on answers are read at once: lazily read, they would be timed too late.
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

    /// When an answer could be read whose last segment came at `came_ns`: no sooner than its
    /// socket was seen without data. If a segment before it came much later, it is now.
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
