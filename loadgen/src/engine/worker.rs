//! One thread of the generator. It follows the schedule whatever the server does, and has
//! its own connections and figures. Threads share only the schedule
//! ([`super::shared_schedule`]).

use std::io;
use std::sync::mpsc::{Receiver, Sender};

use super::load::{Discipline, Endpoint, Load};
use super::pacing;
use super::pool::Pool;
use super::shared_schedule::{Share, SharedSchedule};
use crate::judgement::counts::Counts;
use crate::judgement::evidence::Mode;
use crate::recording::collector::HandOver;
use crate::recording::figures::Figures;
use crate::recording::stream_counts::StreamCounts;
use crate::recording::target::TargetFigures;
use crate::schedule::seed::{Draws, Stream as DrawStream};
use crate::traffic::Message;
use runfair_measuring::kernel::{clock, signal, thread};
use runfair_measuring::lead::Lead;
use runfair_measuring::stamps::StampClock;

/// Longest time between two looks at time-outs, intervals and Ctrl-C, ns.
const HOUSEKEEPING_NS: u64 = 100_000_000;

/// Slice asked of the scheduler, ns: a tenth of a millisecond cut the p99 lateness
/// on a shared processor from 6.9 to 0.2 ms.
const SLICE_NS: u64 = 100_000;

/// How long before a request, ns, a thread that sleeps looks which connections the server has
/// closed meanwhile: the request would go to one.
pub(super) const LAST_LOOK_NS: u64 = 1_000_000;

/// Answers longer than this are read at once from then on, so that no full socket
/// buffer of ours ever holds up the server, bytes.
const LAZY_ANSWER_BYTES: usize = 32 * 1024;

/// Bytes read by one call.
const BUFFER_BYTES: usize = 64 * 1024;

/// How much later than the schedule's end, besides the mode's own resolution, a
/// request may still be sent without counting as the generator's shortfall, ns.
const GRACE_NS: u64 = 1_000_000;

/// A template's bit. The templates after the first 63 share one: traffic may have a million
/// templates, and a thread that waited for the first answer to each would never read lazily.
pub(super) fn template_bit(template: u32) -> u64 {
    1 << template.min(63)
}

/// The results of a worker when it ends.
pub struct WorkerEnd {
    /// CPU time of the thread during the run, ns.
    pub cpu_ns: u64,
    /// Time runnable but not running during the run, ns; `None` where not known.
    pub run_queue_ns: Option<u64>,
    /// Of `cpu_ns`, spent waiting on purpose for an instant.
    pub spin_ns: u64,
    /// How long it ran, ns.
    pub wall_ns: u64,
    /// Answers by HTTP status.
    pub statuses: Vec<u64>,
    /// What was said of streams and calls.
    pub streams: StreamCounts,
    /// What became of the requests to each server; empty where there is one alone.
    pub targets: Vec<TargetFigures>,
    /// Whether answers were read as soon as they came at the end of the run.
    pub reads_at_once: bool,
    /// When it was asked to end early, ns since the start; `None`: it was not.
    pub interrupted_ns: Option<u64>,
    /// Requests under way or overdue that it gave up because it was asked to end.
    pub cut_off: u64,
    /// Whether it ended because nothing was answered for too long.
    pub given_up: bool,
    /// When the last request was sent, ns since the start.
    pub last_sent_ns: u64,
    /// A complaint about what a server sent, the first one.
    pub complaint: Option<String>,
}

/// Where requests come from: the schedule, or a closed loop that asks for the next.
pub(super) enum Source<'a> {
    Schedule(Box<Share<'a>>),
    ClosedLoop {
        next_index: u64,
        step: u64,
        end_index: u64,
        end_ns: u64,
    },
}

/// The data that all workers share.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    /// What is to be done.
    pub load: &'a Load,
    /// Where the connections go.
    pub endpoints: &'a [Endpoint],
    /// The schedule's next request.
    pub shared: &'a SharedSchedule,
}

/// One thread's state.
pub struct Worker<'a> {
    pub(super) load: &'a Load,
    pub(super) shared: &'a SharedSchedule,
    pub(super) number: u16,
    pub(super) pool: Pool<'a>,
    pub(super) source: Source<'a>,
    pub(super) figures: Box<Figures>,
    hand_over: Sender<HandOver>,
    emptied: Receiver<Box<Figures>>,
    /// CLOCK_MONOTONIC at the run's start.
    pub(super) start_ns: u64,
    pub(super) stamps: StampClock,
    interval_from_ns: u64,
    interval_to_ns: u64,
    pub(super) housekeeping_ns: u64,
    /// Since when requests are due and no connection is known to be free.
    pub(super) backlog_since_ns: Option<u64>,
    /// Whether the kernel stamps answers.
    pub(super) stamped: bool,
    /// Without stamps: when it looked for answers last, and how much longer than it
    /// meant to it was away before it looked now.
    pub(super) looked_ns: u64,
    pub(super) away_ns: u64,
    /// With stamps: when every socket whose answer is still to be read was seen without data.
    pub(super) empty_ns: u64,
    /// Connections that have more than they could be read in one turn, with their generations.
    pub(super) unread: Vec<(u32, u32)>,
    /// The place whose lost segments are looked at next.
    pub(super) losses_from: usize,
    /// Answers are read as soon as they come.
    pub(super) at_once: bool,
    /// The templates that were sent, and those of which a whole answer came ([`template_bit`]).
    pub(super) asked: u64,
    pub(super) met: u64,
    pub(super) in_flight: usize,
    pub(super) horizon_ns: u64,
    /// Beyond it a request is sent late by whoever let it wait.
    pub(super) grace_until_ns: u64,
    /// When Ctrl-C was noticed, ns since the start.
    pub(super) stopped_ns: Option<u64>,
    pub(super) lead: Lead,
    pub(super) spin_ns: u64,
    /// In an open loop after Ctrl-C: until when the answers in flight are waited for.
    pub(super) patience_until_ns: u64,
    /// Requests given up because of Ctrl-C.
    pub(super) cut_off: u64,
    /// When the last whole answer came.
    pub(super) answered_ns: u64,
    /// It ended because nothing was answered for too long.
    pub(super) given_up: bool,
    /// The last connection was not to be had for want of something on this machine.
    pub(super) no_socket: bool,
    pub(super) request: Vec<u8>,
    pub(super) message: Message,
    pub(super) stream_counts: StreamCounts,
    pub(super) buffer: Vec<u8>,
    pub(super) plain: Vec<u8>,
    pub(super) statuses: Vec<u64>,
    pub(super) targets: Vec<TargetFigures>,
    pub(super) checks: Draws,
    pub(super) last_sent_ns: u64,
    pub(super) complaint: Option<String>,
    /// While connecting: why it is hopeless.
    pub(super) connect_error: Option<String>,
    pub(super) connecting: bool,
    /// The schedule has begun: requests may be due.
    pub(super) begun: bool,
}

impl<'a> Worker<'a> {
    /// A worker with its share of the connections, none open yet.
    ///
    /// # Errors
    /// No descriptor left.
    pub fn new(
        setting: Setting<'a>,
        number: usize,
        hand_over: Sender<HandOver>,
        emptied: Receiver<Box<Figures>>,
    ) -> io::Result<Self> {
        let Setting {
            load,
            endpoints,
            shared,
        } = setting;
        let threads = load.threads;
        let (each, left) = (load.connections / threads, load.connections % threads);
        let places = each + usize::from(number < left);
        let before = each * number + number.min(left);
        let source = match &load.discipline {
            Discipline::Open(schedule) => {
                Source::Schedule(Box::new(Share::new(shared, schedule, number, threads)))
            }
            Discipline::Closed {
                requests,
                duration_ns,
            } => Source::ClosedLoop {
                next_index: number as u64,
                step: threads as u64,
                end_index: requests.unwrap_or(u64::MAX),
                end_ns: duration_ns.unwrap_or(u64::MAX),
            },
        };
        let horizon_ns = load.horizon_ns().unwrap_or(u64::MAX);
        let resolution_ns = if load.mode == Mode::Economy {
            pacing::TICK_NS
        } else {
            0
        };
        Ok(Self {
            load,
            shared,
            number: number as u16,
            pool: Pool::new(load, endpoints, before, places)?,
            source,
            figures: Box::new(Figures::new(load.warmup_ns > 0)),
            hand_over,
            emptied,
            start_ns: 0,
            stamps: StampClock::now(),
            interval_from_ns: 0,
            interval_to_ns: load.interval_ns,
            housekeeping_ns: 0,
            backlog_since_ns: None,
            stamped: load.is_stamped(),
            looked_ns: 0,
            away_ns: 0,
            empty_ns: 0,
            unread: Vec::new(),
            losses_from: 0,
            at_once: load.reads_at_once(),
            asked: 0,
            met: 0,
            in_flight: 0,
            horizon_ns,
            grace_until_ns: horizon_ns.saturating_add(resolution_ns + GRACE_NS),
            stopped_ns: None,
            lead: pacing::lead(load.mode),
            spin_ns: 0,
            patience_until_ns: u64::MAX,
            cut_off: 0,
            answered_ns: 0,
            given_up: false,
            no_socket: false,
            request: Vec::with_capacity(1024),
            message: Message::default(),
            stream_counts: StreamCounts::default(),
            // Of ones, so that the first answers meet no page faults.
            buffer: vec![1; BUFFER_BYTES],
            plain: vec![0; if load.over_tls { BUFFER_BYTES } else { 0 }],
            statuses: vec![0; 1000],
            targets: TargetFigures::of_several(endpoints.len()),
            checks: Draws::new(load.seed, DrawStream::Checks),
            last_sent_ns: 0,
            complaint: None,
            connect_error: None,
            connecting: true,
            begun: false,
        })
    }

    /// Prepares the thread that will run it: timers, slice, processor.
    ///
    /// # Errors
    /// A processor that cannot be used.
    pub fn settle(&self) -> io::Result<()> {
        thread::sharpen_timers();
        if self.load.mode != Mode::Economy {
            // A kernel that refuses gives its ordinary slice, which the send lag shows.
            let _ = thread::shorten_slice(SLICE_NS);
        }
        let processors = &self.load.processors;
        if let Some(processor) = processors.get(usize::from(self.number) % processors.len().max(1))
        {
            thread::pin(&[*processor])?;
        }
        Ok(())
    }

    /// The figures of the server that a place goes to; `None` where there is one alone.
    #[inline]
    pub(super) fn target_of(&mut self, id: u32) -> Option<&mut TargetFigures> {
        let target = self.pool.connections[id as usize].target;
        self.targets.get_mut(target)
    }

    /// Nanoseconds since the run's start.
    #[inline]
    pub(super) fn now(&self) -> u64 {
        clock::monotonic_ns().saturating_sub(self.start_ns)
    }

    /// Runs from the start instant (CLOCK_MONOTONIC, ns) until the schedule is over
    /// and its answers are there or given up.
    ///
    /// # Errors
    /// What epoll refuses: a kernel without epoll_pwait2.
    pub fn run(mut self, start_ns: u64) -> io::Result<WorkerEnd> {
        self.keep_open(start_ns.saturating_sub(LAST_LOOK_NS))?;
        self.begin(start_ns);
        clock::sleep_until(start_ns);
        let cpu_ns = thread::cpu_ns();
        let run_queue_ns = thread::run_queue_ns();
        while !self.is_over() {
            self.send_due();
            // Only now: a request of every tenth of a second is due at this very instant.
            let now_ns = self.now();
            if now_ns >= self.housekeeping_ns {
                self.housekeep(now_ns)?;
            }
            self.wait()?;
        }
        let wall_ns = self.now();
        for id in 0..self.pool.connections.len() {
            self.look_for_losses(id as u32);
        }
        let end = WorkerEnd {
            cpu_ns: thread::cpu_ns() - cpu_ns,
            run_queue_ns: thread::run_queue_ns()
                .zip(run_queue_ns)
                .map(|(end, start)| end - start),
            spin_ns: self.spin_ns,
            wall_ns,
            statuses: std::mem::take(&mut self.statuses),
            streams: std::mem::take(&mut self.stream_counts),
            targets: std::mem::take(&mut self.targets),
            reads_at_once: self.at_once,
            interrupted_ns: self.stopped_ns,
            cut_off: self.cut_off,
            given_up: self.given_up,
            last_sent_ns: self.last_sent_ns,
            complaint: self.complaint.take(),
        };
        self.finish_figures(wall_ns);
        Ok(end)
    }

    /// Counts time from the start instant on. What happened to connections before is no part of
    /// the run, except for the bytes.
    pub(super) fn begin(&mut self, start_ns: u64) {
        self.complaint = None;
        self.figures.counts = Counts {
            bytes_sent: self.figures.counts.bytes_sent,
            bytes_received: self.figures.counts.bytes_received,
            ..Counts::default()
        };
        self.stream_counts = StreamCounts {
            allowed: self.stream_counts.allowed,
            ..StreamCounts::default()
        };
        self.start_ns = start_ns;
        self.stamps = StampClock::now();
        self.looked_ns = 0;
        self.empty_ns = 0;
        self.pool.begin();
        self.begun = true;
    }

    fn is_over(&mut self) -> bool {
        self.in_flight == 0 && !self.has_more()
    }

    /// Whether a request is still to be sent, now or later.
    pub(super) fn has_more(&mut self) -> bool {
        match &mut self.source {
            Source::Schedule(share) => share.first().is_some(),
            Source::ClosedLoop {
                next_index,
                end_index,
                ..
            } => next_index < end_index,
        }
    }

    /// The tasks that are done ten times a second.
    fn housekeep(&mut self, now_ns: u64) -> io::Result<()> {
        self.gather(0)?; // an answer that is here has not timed out
        if signal::asked() && self.stopped_ns.is_none() {
            self.stop(now_ns);
        }
        self.give_up_overdue(now_ns);
        self.give_up_unsent(now_ns);
        self.give_up_unanswered(now_ns);
        self.look_for_clock_step();
        self.look_for_some_losses();
        if now_ns >= self.interval_to_ns {
            // After a stall one interval spans it: its end is the last that has passed.
            self.interval_to_ns = now_ns / self.load.interval_ns * self.load.interval_ns;
            self.hand_over(false);
        }
        let next_ns = (now_ns / HOUSEKEEPING_NS + 1) * HOUSEKEEPING_NS;
        self.housekeeping_ns = next_ns.min(self.interval_to_ns);
        Ok(())
    }

    /// Detects that the wall clock was set, from which arrivals are stamped.
    pub(super) fn look_for_clock_step(&mut self) {
        self.figures.counts.clock_steps += u64::from(self.stamps.refresh());
    }

    /// Hands the interval's figures to the collector and goes on with emptied ones;
    /// when the collector has none to give yet, the interval grows.
    fn hand_over(&mut self, last: bool) {
        let next = match self.emptied.try_recv() {
            Ok(next) => next,
            Err(_) if last => Box::new(Figures::new(self.load.warmup_ns > 0)),
            Err(_) => {
                self.interval_to_ns += self.load.interval_ns;
                return;
            }
        };
        self.figures.counts.connections_opened = std::mem::take(&mut self.pool.attempts);
        let figures = std::mem::replace(&mut self.figures, next);
        let message = HandOver {
            thread: usize::from(self.number),
            from_ns: self.interval_from_ns,
            to_ns: self.interval_to_ns,
            last,
            figures,
        };
        // The collector outlives every worker; were it gone, there is nobody to tell.
        let _ = self.hand_over.send(message);
        self.interval_from_ns = self.interval_to_ns;
        self.interval_to_ns += self.load.interval_ns;
    }

    fn finish_figures(&mut self, now_ns: u64) {
        while self.interval_to_ns < now_ns {
            self.interval_to_ns += self.load.interval_ns;
        }
        self.hand_over(true);
    }

    /// Whether answers of this size must be read at once from now on.
    #[inline]
    pub(super) fn note_size(&mut self, bytes: usize) {
        if bytes > LAZY_ANSWER_BYTES {
            self.at_once = true;
        }
    }
}
