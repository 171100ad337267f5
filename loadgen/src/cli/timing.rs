//! When requests go: from rate, end and process to a schedule, or to a closed loop.

use anyhow::{anyhow, bail, Context};

use crate::engine::load::Discipline;
use crate::judgement::evidence::{Mode, Process};
use crate::report::result::ArrivalPlan;
use crate::schedule::{self, End, Schedule, ScheduleSpec, Shard, Source, Trace};
use crate::traffic::Order;
use runfair_measuring::command_line::duration::format_duration_ns;
use runfair_measuring::kernel::clock;

use super::arguments::Arguments;
use super::contents::trace_option;
use super::refusal::refuse;

/// How long a run is where nothing says it.
const DEFAULT_DURATION_NS: u64 = 10_000_000_000;

/// What is said where nothing states the rate.
const NO_RATE: &str = "the command has neither --rate nor --closed; give a rate such as \
                       --rate 1000, or give --closed to saturate the server";

/// The longest wait for a common start. An instant that is farther ahead is of another clock.
const WAIT_MAX_NS: u64 = 3_600_000_000_000;

/// When requests go.
pub(super) struct Timing {
    /// What decides it.
    pub discipline: Discipline,
    /// The share of this process in the schedule.
    pub shard: Shard,
    /// How exactly it is kept.
    pub mode: Mode,
    /// What the result says of it; nothing of a closed loop.
    pub arrivals: Option<ArrivalPlan>,
    /// How much of it is warm-up.
    pub warmup_ns: u64,
}

/// Refuses what does not go together, before a traffic file is read for it.
pub(super) fn check(arguments: &Arguments) -> anyhow::Result<()> {
    let load = &arguments.load;
    let pacing = &arguments.pacing;
    if load.duration.is_some() && load.requests.is_some() {
        bail!(
            "--duration and --requests exclude each other, because a run ends by one of the two; \
             leave one of the two out"
        );
    }
    if load.requests == Some(0) {
        bail!("with --requests 0 nothing could be sent; give 1 or more");
    }
    check_start(pacing.start_at)?;
    let trace = trace_option(arguments);
    if load.closed {
        let options = [
            (load.rate.is_some(), "--rate"),
            (trace.is_some(), trace.unwrap_or_default()),
            (pacing.arrivals.is_some(), "--arrivals"),
            (pacing.speed.is_some(), "--speed"),
            (pacing.mode.is_some(), "--mode"),
            (pacing.shard.is_some(), "--shard"),
            (load.max_connections.is_some(), "--max-connections"),
        ];
        return refuse(options, |option| {
            anyhow!(
                "--closed cannot be used with {option}, because a closed loop has no schedule: a \
                 connection sends when its last answer is complete; leave one of the two out"
            )
        });
    }
    let Some(trace) = trace else {
        if pacing.speed.is_some() {
            bail!(
                "--speed needs --arrivals trace, because only a recorded trace can be played \
                 faster; leave --speed out"
            );
        }
        return load.rate.as_ref().map(drop).context(NO_RATE);
    };
    let contradiction = |other, hint| {
        anyhow!(
            "{trace} cannot be used with {other}, because a trace has time stamps and an order of \
             its own; leave {other} out{hint}"
        )
    };
    if load.rate.is_some() {
        return Err(contradiction(
            "--rate",
            ", and use --speed to replay the trace faster",
        ));
    }
    let arrivals = pacing.arrivals.unwrap_or(Process::Trace);
    let order = arguments.traffic.order.unwrap_or(Order::Trace);
    let options = [
        (arrivals != Process::Trace, "--arrivals"),
        (order != Order::Trace, "--order"),
    ];
    refuse(options, |option| contradiction(option, ""))
}

/// Refuses a start that has passed, or that is so far ahead that it must be a mistake.
fn check_start(start_at_ns: Option<u64>) -> anyhow::Result<()> {
    let Some(given) = start_at_ns else {
        return Ok(());
    };
    match given.checked_sub(clock::monotonic_ns()) {
        None => bail!(
            "--start-at {given} is an instant that has passed; give a later instant of this host's \
             CLOCK_MONOTONIC"
        ),
        Some(ahead_ns) if ahead_ns > WAIT_MAX_NS => bail!(
            "--start-at {given} is {ahead} from now; give an instant of this host's \
             CLOCK_MONOTONIC within the next {most}",
            ahead = format_duration_ns(ahead_ns),
            most = format_duration_ns(WAIT_MAX_NS)
        ),
        Some(_) => Ok(()),
    }
}

/// The timing of a run that [`check`] has passed; `trace` is the traffic's own.
pub(super) fn timing(arguments: &Arguments, trace: Option<Trace>) -> anyhow::Result<Timing> {
    let load = &arguments.load;
    let pacing = &arguments.pacing;
    let mode = pacing.mode.unwrap_or(Mode::Default);
    let default_end_ns = load
        .rate
        .as_ref()
        .and_then(|profile| profile.duration_ns())
        .unwrap_or(DEFAULT_DURATION_NS);
    if load.closed {
        let duration_ns = match (load.requests, load.duration) {
            (Some(_), _) => None,
            (None, asked) => Some(asked.unwrap_or(default_end_ns)),
        };
        if duration_ns == Some(0) {
            bail!("with --duration 0 nothing could be sent; give a longer duration");
        }
        return Ok(Timing {
            discipline: Discipline::Closed {
                requests: load.requests,
                duration_ns,
            },
            shard: Shard::WHOLE,
            mode,
            arrivals: None,
            warmup_ns: warmup(load.warmup, duration_ns)?,
        });
    }
    let asked_end = match (load.requests, load.duration) {
        (Some(requests), _) => Some(End::Requests(requests)),
        (None, Some(0)) => bail!("with --duration 0 nothing could be sent; give a longer duration"),
        (None, duration) => duration.map(End::Duration),
    };
    let rate = load.rate.as_ref().map(ToString::to_string);
    let (process, source, default_end) = match (trace, &load.rate) {
        (Some(trace), _) => (Process::Trace, Source::Trace(trace), End::Trace),
        (None, Some(profile)) => {
            let process = pacing.arrivals.unwrap_or(Process::Constant);
            let source = Source::Profile {
                process: match process {
                    Process::Poisson => schedule::Process::Poisson,
                    Process::Constant | Process::Trace => schedule::Process::Constant,
                },
                profile: profile.clone(),
            };
            (process, source, End::Duration(default_end_ns))
        }
        (None, None) => bail!(NO_RATE),
    };
    let schedule = Schedule::new(ScheduleSpec {
        source,
        seed: pacing.seed,
        end: asked_end.unwrap_or(default_end),
    })?;
    let horizon_ns = schedule.horizon_ns();
    let arrivals = ArrivalPlan {
        process,
        rate,
        rate_per_s: (horizon_ns > 0)
            .then(|| schedule.expected_requests() * 1e9 / horizon_ns as f64),
        seed: pacing.seed,
        speed: pacing.speed.unwrap_or(1.0),
        shard: pacing.shard,
    };
    let shard = pacing.shard.unwrap_or_default();
    if shard != Shard::WHOLE && shard.arrivals(&schedule, 0, 1).next().is_none() {
        bail!(
            "--shard {number}/{of} would send nothing, because the schedule has fewer than \
             {number} requests; use fewer shards, or run longer",
            number = shard.number(),
            of = shard.of()
        );
    }
    Ok(Timing {
        discipline: Discipline::Open(schedule),
        shard,
        mode,
        arrivals: Some(arrivals),
        warmup_ns: warmup(load.warmup, Some(horizon_ns))?,
    })
}

/// A warm-up shorter than the run, whose length may be unknown.
fn warmup(asked_ns: Option<u64>, run_ns: Option<u64>) -> anyhow::Result<u64> {
    let warmup_ns = asked_ns.unwrap_or(0);
    match run_ns {
        Some(run_ns) if warmup_ns > 0 && warmup_ns >= run_ns => bail!(
            "--warmup {warmup} is not shorter than the run of {run}, so nothing would be measured; \
             shorten the warm-up or lengthen the run",
            warmup = format_duration_ns(warmup_ns), run = format_duration_ns(run_ns)
        ),
        _ => Ok(warmup_ns),
    }
}
