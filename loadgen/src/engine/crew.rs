//! Starts the threads, waits until all are connected, and sets the start of the run.

use std::sync::mpsc::{channel, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use anyhow::{bail, Context};

use super::load::{Endpoint, Load};
use super::shared_schedule::SharedSchedule;
use super::worker::{Setting, Worker, WorkerEnd};
use crate::recording::collector::{Collector, HandOver, Interval, Outputs, Totals};
use crate::recording::figures::Figures;
use runfair_measuring::command_line::duration::format_duration_ns;
use runfair_measuring::kernel::awake_processors::AwakeProcessors;
use runfair_measuring::kernel::usage::Usage;
use runfair_measuring::kernel::{clock, signal, socket, thread as kernel_thread};

/// The time from the moment when all threads are connected to the first instant of the
/// schedule, in ns. It is long enough for every thread to be asleep before that instant.
const LEAD_IN_NS: u64 = 20_000_000;

/// The number of empty sets of figures that each worker has, in addition to the set that it
/// fills.
const SPARES: usize = 2;

/// How often a wait for the start looks whether the run was ended, and which connections the
/// server has closed, in ns.
pub(super) const LOOK_NS: u64 = 100_000_000;

/// What is said if a worker cannot wait for its connections.
const EPOLL: &str = "epoll failed (Linux 5.11 or later is needed)";

/// The start of a run on both clocks, ns.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// CLOCK_MONOTONIC.
    pub monotonic_ns: u64,
    /// CLOCK_REALTIME.
    pub realtime_ns: u64,
}

/// A finished run.
pub struct Run {
    /// The start of the run.
    pub start: Start,
    /// The records of all workers together.
    pub totals: Totals,
    /// The resources that each worker used.
    pub workers: Vec<WorkerEnd>,
    /// The processors that were kept awake until the end.
    pub kept_awake: Vec<usize>,
    /// The resources that the process used from the start to the end of the last worker.
    pub usage: Usage,
}

type Readiness = anyhow::Result<()>;

/// Carries out a load. `outputs` is called when the start is known, and `observer` is
/// called for every interval.
///
/// # Errors
/// Nothing was measured.
pub fn run(
    load: &Load,
    endpoints: &[Endpoint],
    outputs: impl FnOnce(Start) -> Outputs,
    observer: impl FnMut(&Interval<'_>),
) -> anyhow::Result<(Run, Outputs)> {
    let _stamping = if load.is_stamped() {
        let stamping = socket::keep_stamping()
            .context("the kernel cannot record the arrival times of answers")?;
        Some(stamping)
    } else {
        None
    };
    // Before any thread: it makes a process.
    let awake_processors = AwakeProcessors::of(load.kept_awake());
    let setting = Setting {
        load,
        endpoints,
        shared: &SharedSchedule::new(load.shard),
    };
    let (hand_over, handed_over) = channel::<HandOver>();
    thread::scope(|scope| {
        let mut back = Vec::new();
        let mut go = Vec::new();
        let mut threads = Vec::new();
        let (ready, readiness) = channel::<Readiness>();
        for number in 0..load.threads {
            let (give_back, emptied) = channel();
            for _ in 0..SPARES {
                // The receiver is in this very scope.
                let _ = give_back.send(Box::new(Figures::new(load.warmup_ns > 0)));
            }
            let (start, started) = channel();
            back.push(give_back);
            go.push(start);
            let hand_over = hand_over.clone();
            let ready = ready.clone();
            threads.push(
                scope.spawn(move || work(setting, number, hand_over, emptied, &ready, &started)),
            );
        }
        drop(ready);
        drop(hand_over);
        for outcome in readiness.iter().take(load.threads) {
            outcome?; // leaving drops `go`, which sends the others home
        }
        let monotonic_ns = match load.start_at_ns {
            Some(start_ns) => wait_for(start_ns)?,
            None => clock::monotonic_ns() + LEAD_IN_NS,
        };
        let start = Start {
            monotonic_ns,
            realtime_ns: (monotonic_ns as i64 + clock::realtime_offset_ns()) as u64,
        };
        let mut outputs = outputs(start);
        kernel_thread::lower_priority();
        let collector = Collector::new(&mut outputs, back, load.interval_ns, load.warmup_ns > 0);
        let before = Usage::now();
        for sender in &go {
            // A worker that is gone shows when it is joined.
            let _ = sender.send(monotonic_ns);
        }
        let totals = collector.run(&handed_over, observer)?;
        let mut workers = Vec::new();
        for thread in threads {
            match thread.join() {
                Ok(end) => workers.extend(end?),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        let usage = Usage::now().since(before);
        let kept_awake = load.kept_awake().iter().copied();
        Ok((
            Run {
                start,
                totals,
                workers,
                kept_awake: kept_awake
                    .filter(|processor| awake_processors.holds(*processor))
                    .collect(),
                usage,
            },
            outputs,
        ))
    })
}

/// Waits until shortly before a start that was given, and returns this start.
fn wait_for(start_ns: u64) -> anyhow::Result<u64> {
    let ready_ns = start_ns.saturating_sub(LEAD_IN_NS);
    let late_ns = clock::monotonic_ns().saturating_sub(ready_ns);
    if late_ns > 0 {
        bail!(
            "--start-at passed before all connections were open; give an instant that is at least {} \
             later",
            format_duration_ns(late_ns)
        );
    }
    loop {
        let now_ns = clock::monotonic_ns();
        if signal::asked() {
            bail!("the run was interrupted before it started");
        }
        if now_ns >= ready_ns {
            return Ok(start_ns);
        }
        clock::sleep_until(ready_ns.min(now_ns + LOOK_NS));
    }
}

/// The work of one thread. Returns `None` if the run was cancelled before it began.
fn work(
    setting: Setting,
    number: usize,
    hand_over: Sender<HandOver>,
    emptied: Receiver<Box<Figures>>,
    ready: &Sender<Readiness>,
    started: &Receiver<u64>,
) -> anyhow::Result<Option<WorkerEnd>> {
    let prepared = Worker::new(setting, number, hand_over, emptied)
        .context("an epoll instance cannot be created")
        .and_then(|worker| {
            worker
                .settle()
                .context("a thread cannot be pinned to its processor")?;
            Ok(worker)
        })
        .and_then(|mut worker| {
            worker.connect().map_err(anyhow::Error::msg)?;
            Ok(worker)
        });
    let mut worker = match prepared {
        Ok(worker) => worker,
        Err(error) => {
            // Whoever called the run off has heard of another error first.
            let _ = ready.send(Err(error));
            return Ok(None);
        }
    };
    let _ = ready.send(Ok(()));
    loop {
        match started.recv_timeout(Duration::from_nanos(worker.look_ns())) {
            Ok(start_ns) => return worker.run(start_ns).map(Some).context(EPOLL),
            Err(RecvTimeoutError::Timeout) => worker.keep_open(0).context(EPOLL)?,
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
        }
    }
}
