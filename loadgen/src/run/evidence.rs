//! From what was recorded to what the judgement looks at.

use hdrhistogram::Histogram;

use crate::engine::crew::Run;
use crate::engine::load::Load;
use crate::engine::worker::WorkerEnd;
use crate::judgement::block::Timeline;
use crate::judgement::censored::Failed;
use crate::judgement::counts::Counts;
use crate::judgement::evidence::{Evidence, Loop, Quantities, Quantity, SenderThread, Server};
use crate::recording::figures::Quantities as Recorded;
use crate::recording::target::TargetFigures;

/// The judgement's name of who decides when requests go.
pub fn loop_kind(load: &Load) -> Loop {
    if load.is_open() {
        Loop::Open
    } else {
        Loop::Closed
    }
}

/// From the start to the last answer or the interruption, ns.
pub fn elapsed_ns(run: &Run) -> u64 {
    run.workers
        .iter()
        .map(|worker| worker.wall_ns)
        .max()
        .unwrap_or(0)
}

/// When the run was ended before its schedule, ns since the start; `None`: it was not.
pub fn interrupted_ns(run: &Run) -> Option<u64> {
    run.workers
        .iter()
        .filter_map(|worker| worker.interrupted_ns)
        .max()
}

/// Whether it was given up because nothing was answered.
pub fn given_up(run: &Run) -> bool {
    run.workers.iter().any(|worker| worker.given_up)
}

/// The length of the schedule, up to the interruption if there was one, ns. A closed loop that
/// a number of requests ends has no schedule: its length is known when its last answer is here.
pub fn schedule_ns(load: &Load, run: &Run) -> u64 {
    let end_ns = load.horizon_ns().unwrap_or_else(|| elapsed_ns(run));
    interrupted_ns(run).map_or(end_ns, |interrupted_ns| interrupted_ns.min(end_ns))
}

/// Requests a second that the schedule held, up to the interruption if there was
/// one; `None` in a closed loop.
pub fn offered_per_s(load: &Load, run: &Run) -> Option<f64> {
    let length_ns = schedule_ns(load, run);
    (load.is_open() && length_ns > 0)
        .then(|| run.totals.whole_counts().scheduled as f64 * 1e9 / length_ns as f64)
}

/// What each of several servers got, of all threads together.
pub fn target_figures(run: &Run) -> Vec<TargetFigures> {
    let several = run.workers.first().map_or(0, |worker| worker.targets.len());
    let mut figures = TargetFigures::of_several(several);
    for worker in &run.workers {
        for (ours, theirs) in figures.iter_mut().zip(&worker.targets) {
            ours.add(theirs);
        }
    }
    figures
}

/// How many of the connections go to one of several servers.
pub fn connections_to(load: &Load, run: &Run, number: usize, several: usize) -> u64 {
    let connections = load.connections as u64 + run.totals.whole_counts().grown;
    let (number, several) = (number as u64, several as u64);
    connections / several + u64::from(number < connections % several)
}

fn servers(load: &Load, run: &Run) -> Vec<Server> {
    let figures = target_figures(run);
    let several = figures.len();
    let of = |(number, each): (usize, &TargetFigures)| Server {
        connections: connections_to(load, run, number, several),
        sent: each.counts.sent,
    };
    figures.iter().enumerate().map(of).collect()
}

/// Which part of a run is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All of it.
    Whole,
    /// What was intended after the warm-up; all of it where none was asked for.
    Measured,
}

fn counts(run: &Run, scope: Scope) -> Counts {
    match scope {
        Scope::Whole => run.totals.whole_counts(),
        Scope::Measured => run.totals.counts,
    }
}

/// All that the judgement needs.
pub fn evidence(load: &Load, run: &Run, scope: Scope) -> Evidence {
    let totals = &run.totals;
    Evidence {
        loop_kind: loop_kind(load),
        mode: load.mode,
        offered_per_s: offered_per_s(load, run).unwrap_or(0.0),
        elapsed_ns: elapsed_ns(run),
        counts: counts(run, scope),
        answers: totals.whole_counts().completed(),
        quantities: quantities(load, run, scope),
        punctual: histogram(run, scope, |recorded| &recorded.punctual),
        lag1: totals.lag1,
        threads: threads(load, run),
        reads_at_once: !load.is_stamped(),
        connections: load.connections as u64,
        servers: servers(load, run),
        interrupted: interrupted_ns(run).is_some(),
        cut_off: run.workers.iter().map(|worker| worker.cut_off).sum(),
        given_up: given_up(run),
    }
}

/// What each thread did.
pub fn threads(load: &Load, run: &Run) -> Vec<SenderThread> {
    let processors = &load.processors;
    let of = |(number, worker): (usize, &WorkerEnd)| {
        let wall = (worker.wall_ns as f64).max(1.0);
        let processor = processors.get(number % processors.len().max(1));
        SenderThread {
            cpu_share: worker.cpu_ns as f64 / wall,
            spin_share: worker.spin_ns as f64 / wall,
            run_queue_share: worker.run_queue_ns.map(|queued| queued as f64 / wall),
            processor: processor.map(|processor| *processor as u32),
            kept_awake: processor.is_some_and(|one| run.kept_awake.contains(one)),
        }
    };
    run.workers.iter().enumerate().map(of).collect()
}

/// A histogram of the whole run, or of its measured phase.
pub fn histogram(
    run: &Run,
    scope: Scope,
    choose: impl Fn(&Recorded) -> &Histogram<u64>,
) -> Histogram<u64> {
    let mut histogram = choose(&run.totals.measured).clone();
    if let (Scope::Whole, Some(warmup)) = (scope, &run.totals.warmup) {
        // Equal bounds: the library cannot refuse.
        let added = histogram.add(choose(warmup));
        debug_assert!(added.is_ok());
    }
    histogram
}

/// The failures of one part of a run; `given_up` holds those that waited until the time-out.
pub fn failed(load: &Load, counts: &Counts, given_up: &Histogram<u64>) -> Failed {
    Failed {
        given_up: given_up.clone(),
        others: counts.failed().saturating_sub(given_up.len()),
        timeout_ns: load.timeout_ns,
    }
}

fn quantities(load: &Load, run: &Run, scope: Scope) -> Quantities {
    let timelines = match (scope, &run.totals.whole_timelines) {
        (Scope::Whole, Some(whole)) => whole.as_ref(),
        _ => &run.totals.timelines,
    };
    let [latency, queue_wait, send_lag, service_time] = timelines;
    let quantity = |timeline: &Timeline, choose: fn(&Recorded) -> &Histogram<u64>| Quantity {
        histogram: histogram(run, scope, choose),
        timeline: timeline.clone(),
        failed: None,
    };
    let counts = counts(run, scope);
    let of_failed = |choose: fn(&Recorded) -> &Histogram<u64>| {
        Some(failed(load, &counts, &histogram(run, scope, choose)))
    };
    Quantities {
        latency: Quantity {
            failed: of_failed(|recorded| &recorded.given_up),
            ..quantity(latency, |recorded| &recorded.latency)
        },
        queue_wait: quantity(queue_wait, |recorded| &recorded.queue_wait),
        send_lag: quantity(send_lag, |recorded| &recorded.send_lag),
        service_time: Quantity {
            failed: of_failed(|recorded| &recorded.given_up_since_sent),
            ..quantity(service_time, |recorded| &recorded.service_time)
        },
    }
}
