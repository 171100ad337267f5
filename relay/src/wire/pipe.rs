//! The bytes in flight in one direction, each with the instant at which it is due.

use std::collections::VecDeque;
use std::io;

/// The memory that an empty pipe keeps. It is enough for one read, so that idle connections
/// use little memory.
const KEPT_BYTES: usize = 64 * 1024;

/// The end of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The sender has finished, and may still receive (FIN).
    Finished,
    /// The connection is broken (RST).
    Reset,
}

/// The bytes that were sent at the far end of a pipe in one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The number of bytes of the stream that have been sent so far.
    pub left_bytes: u64,
    /// The instant at which the last of these bytes was handed to the kernel.
    pub left_ns: u64,
}

/// The delays of segments after the instants at which they were due.
pub trait Punctuality {
    /// Records that the relay itself sent a segment this long after it was due.
    fn late(&mut self, lateness_ns: u64);
    /// Records that a segment waited for a receiver that did not read.
    fn held_back(&mut self);
}

/// Bytes that arrived together and leave together.
#[derive(Clone, Copy, Debug)]
struct Segment {
    due_ns: u64,
    /// The offset of the segment's end in the stream.
    end: u64,
}

/// One direction of one connection.
#[derive(Debug, Default)]
pub struct Pipe {
    bytes: VecDeque<u8>,
    segments: VecDeque<Segment>,
    ending: Option<(Ending, u64)>,
    entered_bytes: u64,
    left_bytes: u64,
    latest_due_ns: u64,
    /// The receiver's socket is full.
    blocked: bool,
    /// Segments that were due before this instant had to wait for the receiver.
    held_until_ns: u64,
    /// The receiver is gone, so bytes that enter are dropped.
    cut: bool,
}

impl Pipe {
    /// The number of bytes that have entered. It is the stream's offset of the next byte.
    pub fn entered_bytes(&self) -> u64 {
        self.entered_bytes
    }

    /// The number of bytes that have been sent.
    pub fn left_bytes(&self) -> u64 {
        self.left_bytes
    }

    /// The number of bytes that may enter now.
    pub fn room(&self, capacity_bytes: usize) -> usize {
        capacity_bytes.saturating_sub(self.bytes.len())
    }

    /// Takes bytes that must be sent at an instant, but not before the bytes in front of
    /// them.
    pub fn enter(&mut self, bytes: &[u8], due_ns: u64) {
        if self.cut || bytes.is_empty() {
            return;
        }
        self.bytes.extend(bytes);
        self.entered_bytes += bytes.len() as u64;
        self.latest_due_ns = self.latest_due_ns.max(due_ns);
        self.segments.push_back(Segment {
            due_ns: self.latest_due_ns,
            end: self.entered_bytes,
        });
    }

    /// Takes the end of the stream. A reset replaces a finish that has not been sent yet.
    pub fn end(&mut self, ending: Ending, due_ns: u64) {
        if self.cut && ending == Ending::Finished {
            return;
        }
        self.latest_due_ns = self.latest_due_ns.max(due_ns);
        self.ending = Some((ending, self.latest_due_ns));
    }

    /// Drops the bytes in flight, and all bytes that enter later, because the receiver is gone.
    pub fn cut(&mut self) {
        self.bytes = VecDeque::new();
        self.segments.clear();
        self.ending = None;
        self.cut = true;
    }

    /// The instant of the next action; `None` if the pipe must wait for the receiver.
    pub fn next_due_ns(&self) -> Option<u64> {
        if self.blocked {
            // A reset does not wait for a receiver to read.
            return match self.ending {
                Some((Ending::Reset, due_ns)) => Some(due_ns),
                _ => None,
            };
        }
        match self.segments.front() {
            Some(segment) => Some(segment.due_ns),
            None => self.ending.map(|(_, due_ns)| due_ns),
        }
    }

    /// Records that the receiver's socket has room again.
    pub fn unblock(&mut self, now_ns: u64) {
        if self.blocked {
            self.blocked = false;
            self.held_until_ns = now_ns;
        }
    }

    /// Sends the bytes that are due, as far as the receiver takes them. Returns what was
    /// sent, or `None` if nothing was sent. `clock` is read before each call of `send`.
    ///
    /// # Errors
    /// An error of `send` other than `WouldBlock`, which blocks the pipe.
    pub fn flush(
        &mut self,
        now_ns: u64,
        mut send: impl FnMut(&[u8]) -> io::Result<usize>,
        clock: impl Fn() -> u64,
        punctuality: &mut impl Punctuality,
    ) -> io::Result<Option<Progress>> {
        let mut progress = None;
        while !self.blocked {
            let due = self
                .segments
                .partition_point(|segment| segment.due_ns <= now_ns);
            let Some(last) = due
                .checked_sub(1)
                .and_then(|place| self.segments.get(place))
            else {
                break;
            };
            let (front, _) = self.bytes.as_slices();
            // The clock is read before sending: the receiver may answer within the call.
            let left_ns = clock();
            let count = front.len().min((last.end - self.left_bytes) as usize);
            match send(&front[..count]) {
                Ok(sent) => {
                    self.bytes.drain(..sent);
                    self.left_bytes += sent as u64;
                    self.account(left_ns, punctuality);
                    progress = Some(Progress {
                        left_bytes: self.left_bytes,
                        left_ns,
                    });
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.blocked = true,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        if self.bytes.is_empty() && self.bytes.capacity() > KEPT_BYTES {
            self.bytes = VecDeque::new();
        }
        Ok(progress)
    }

    /// The end of the stream. It is returned once, when it is due and all bytes before it
    /// have been sent.
    pub fn take_ending(&mut self, now_ns: u64) -> Option<Ending> {
        let (ending, due_ns) = self.ending?;
        let last = self.segments.is_empty() || self.blocked && ending == Ending::Reset;
        if !last || due_ns > now_ns {
            return None;
        }
        self.ending = None;
        Some(ending)
    }

    fn account(&mut self, left_ns: u64, punctuality: &mut impl Punctuality) {
        while let Some(segment) = self.segments.front() {
            if segment.end > self.left_bytes {
                break;
            }
            if segment.due_ns <= self.held_until_ns {
                punctuality.held_back();
            } else {
                punctuality.late(left_ns.saturating_sub(segment.due_ns));
            }
            self.segments.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cell::Cell;

    #[derive(Default)]
    struct Seen {
        late: Vec<u64>,
        held_back: usize,
    }

    impl Punctuality for Seen {
        fn late(&mut self, lateness_ns: u64) {
            self.late.push(lateness_ns);
        }
        fn held_back(&mut self) {
            self.held_back += 1;
        }
    }

    #[test]
    fn nothing_leaves_before_it_is_due_and_everything_then() {
        let (mut pipe, mut seen, mut out) = (Pipe::default(), Seen::default(), Vec::new());
        pipe.enter(b"ab", 100);
        pipe.enter(b"c", 90); // due no earlier than the bytes before it
        pipe.enter(b"d", 200);
        pipe.end(Ending::Finished, 150);
        let mut flush = |now, pipe: &mut Pipe, out: &mut Vec<u8>| {
            let send = |bytes: &[u8]| {
                out.extend(bytes);
                Ok(bytes.len())
            };
            pipe.flush(now, send, || now + 3, &mut seen).unwrap()
        };
        assert_eq!(flush(99, &mut pipe, &mut out), None);
        assert_eq!(pipe.next_due_ns(), Some(100));
        let left = flush(100, &mut pipe, &mut out).unwrap();
        assert_eq!((left.left_bytes, left.left_ns), (3, 103));
        assert_eq!(pipe.take_ending(199), None);
        flush(200, &mut pipe, &mut out);
        assert_eq!(out, b"abcd");
        assert_eq!(pipe.take_ending(199), None, "the end comes after the bytes");
        assert_eq!(pipe.take_ending(200), Some(Ending::Finished));
        assert_eq!(pipe.take_ending(200), None);
        assert_eq!((seen.late, seen.held_back), (vec![3, 3, 3], 0));
    }

    #[test]
    fn what_waits_for_the_receiver_is_not_the_relays_lateness() {
        let (mut pipe, mut seen) = (Pipe::default(), Seen::default());
        pipe.enter(b"ab", 10);
        pipe.enter(b"c", 20);
        let full = |_: &[u8]| Err(io::ErrorKind::WouldBlock.into());
        assert_eq!(pipe.flush(10, full, || 10, &mut seen).unwrap(), None);
        pipe.end(Ending::Finished, 20);
        assert_eq!((pipe.next_due_ns(), pipe.take_ending(30)), (None, None));
        pipe.unblock(1_000);
        pipe.enter(b"d", 2_000);
        let all = |bytes: &[u8]| Ok(bytes.len());
        pipe.flush(2_000, all, || 2_005, &mut seen).unwrap();
        assert_eq!((seen.late, seen.held_back), (vec![5], 2));
    }

    #[test]
    fn a_reset_does_not_wait_for_a_receiver_that_does_not_read() {
        let mut pipe = Pipe::default();
        pipe.enter(b"ab", 10);
        let full = |_: &[u8]| Err(io::ErrorKind::WouldBlock.into());
        pipe.flush(10, full, || 10, &mut Seen::default()).unwrap();
        pipe.end(Ending::Reset, 20);
        assert_eq!((pipe.next_due_ns(), pipe.take_ending(19)), (Some(20), None));
        assert_eq!(pipe.take_ending(20), Some(Ending::Reset));
    }

    #[test]
    fn a_pipe_that_is_cut_takes_nothing_but_a_reset() {
        let mut pipe = Pipe::default();
        pipe.enter(b"ab", 10);
        pipe.cut();
        pipe.enter(b"c", 11);
        pipe.end(Ending::Finished, 12);
        assert_eq!((pipe.next_due_ns(), pipe.entered_bytes()), (None, 2));
        pipe.end(Ending::Reset, 12);
        assert_eq!(pipe.take_ending(12), Some(Ending::Reset));
    }

    proptest! {
        #[test]
        fn the_stream_that_leaves_is_the_one_that_entered(
            pieces in prop::collection::vec((prop::collection::vec(any::<u8>(), 1..40), 0_u64..50), 1..40),
            takes in prop::collection::vec(0_usize..30, 1..100),
        ) {
            let (mut pipe, mut seen) = (Pipe::default(), Seen::default());
            let (mut entered, mut left, mut due) = (Vec::<u8>::new(), Vec::<u8>::new(), Vec::new());
            let (now, mut turn) = (Cell::new(0), 0);
            let mut pieces = pieces.into_iter();
            loop {
                let piece = pieces.next();
                if let Some((bytes, delay_ns)) = &piece {
                    pipe.enter(bytes, now.get() + delay_ns);
                    entered.extend(bytes);
                    due.extend(bytes.iter().map(|_| now.get() + delay_ns));
                }
                now.set(now.get() + 7);
                pipe.unblock(now.get());
                let before = left.len();
                let send = |bytes: &[u8]| {
                    turn += 1;
                    match takes[turn % takes.len()] {
                        0 if turn % 2 == 0 => Err(io::ErrorKind::WouldBlock.into()),
                        most => {
                            let taken = bytes.len().min(most.max(1));
                            left.extend_from_slice(&bytes[..taken]);
                            Ok(taken)
                        }
                    }
                };
                pipe.flush(now.get(), send, || now.get(), &mut seen).unwrap();
                prop_assert!(due[before..left.len()].iter().all(|due_ns| *due_ns <= now.get()));
                prop_assert_eq!(pipe.left_bytes(), left.len() as u64);
                if piece.is_none() && left.len() == entered.len() {
                    break;
                }
            }
            prop_assert_eq!(left, entered);
        }
    }
}
