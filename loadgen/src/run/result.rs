//! The result of a run, put together from what was recorded and how it is judged.

use std::collections::BTreeMap;

use super::evidence::{self, Scope};
use crate::cli::Plan;
use crate::engine::crew::Run;
use crate::engine::load::{Load, Protocol};
use crate::http2::ERROR_NAMES;
use crate::judgement::counts::{Counts, Failures};
use crate::judgement::judge::{judge, Judgement};
use crate::protocol::grpc::STATUS_NAMES;
use crate::recording::figures::Quantities;
use crate::recording::stream_counts::StreamCounts;
use crate::report::generator::Generator;
use crate::report::opening::{Opening, OpeningTimes};
use crate::report::requests::Requests;
use crate::report::result::{
    Bytes, Ended, Files, Network, Phase, PhaseName, Protocol as Spoken, Rate, RunResult, Started,
    Streams, FORMAT, VERSION,
};
use crate::report::target_share::TargetShare;

/// The whole result of a finished run.
pub fn result(plan: &Plan, run: &Run) -> RunResult {
    let load = &plan.load;
    let measured_evidence = evidence::evidence(load, run, Scope::Measured);
    let measured = judge(&measured_evidence);
    let whole = match &run.totals.warmup {
        Some(_) => judge(&evidence::evidence(load, run, Scope::Whole)),
        None => measured.clone(),
    };
    let counts = &run.totals.whole_counts();
    let elapsed_ns = evidence::elapsed_ns(run);
    let interrupted = evidence::interrupted_ns(run).is_some();
    RunResult {
        format: FORMAT.to_owned(),
        version: VERSION,
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        started: Started {
            realtime_ns: run.start.realtime_ns,
            monotonic_ns: run.start.monotonic_ns,
        },
        host: read("/proc/sys/kernel/hostname"),
        kernel: read("/proc/sys/kernel/osrelease"),
        target: plan.target_names().join(" "),
        targets: targets(plan, run, &whole),
        protocol: match load.protocol {
            Protocol::Http => Spoken::Http,
            Protocol::Http2 if load.traffic.has_calls() => Spoken::Grpc,
            Protocol::Http2 => Spoken::Http2,
            Protocol::Resp => Spoken::Resp,
        },
        tls: load.over_tls,
        loop_kind: evidence::loop_kind(load),
        arrivals: plan.arrivals.clone(),
        mode: load.is_open().then_some(load.mode),
        resolution_ns: load.is_open().then(|| load.mode.resolution_ns()),
        connections: load.connections as u64,
        max_connections: load.max_connections as u64,
        new_connection_every: load.new_connection_every,
        threads: load.threads as u64,
        pipeline: load.pipeline as u64,
        warmup_ns: load.warmup_ns,
        horizon_ns: load.horizon_ns(),
        interval_ns: load.interval_ns,
        timeout_ns: load.timeout_ns,
        check_share: load.check_share,
        traffic: plan.traffic_summary.clone(),
        ended: match (interrupted, evidence::given_up(run)) {
            (true, _) => Ended::Interrupted,
            (false, true) => Ended::Unanswered,
            (false, false) => Ended::Schedule,
        },
        elapsed_ns,
        requests: requests(run),
        streams: (load.protocol == Protocol::Http2).then(|| streams(load, run)),
        rate: rate(load, run),
        bytes: Bytes {
            sent: counts.bytes_sent,
            received: counts.bytes_received,
        },
        requirements: plan
            .outputs
            .require
            .iter()
            .map(|one| one.of(&measured, &measured_evidence))
            .collect(),
        network: Network {
            retransmitted: counts.losses.retransmitted,
            out_of_order: counts.losses.out_of_order,
            overtaken: counts.overtaken,
        },
        connections_opened: counts.connections_opened,
        reconnects: counts
            .opened_otherwise()
            .saturating_sub(load.connections as u64),
        connections_added: counts.grown,
        connections_replaced: counts.replaced,
        opening: openings(load, run),
        latency_ns: whole.latency.figures.clone(),
        queue_wait_ns: whole.queue_wait.figures.clone(),
        send_lag_ns: whole.send_lag.figures.clone(),
        service_time_ns: whole.service_time.figures.clone(),
        phases: phases(load, run, &measured),
        generator: generator(load, run),
        tests: measured.tests.clone(),
        verdict: measured.verdict.clone(),
        files: Files {
            hlog: plan.outputs.hlog.clone(),
            hgrm: plan.outputs.hgrm.clone(),
            records: plan.outputs.records.clone(),
        },
    }
}

fn openings(load: &Load, run: &Run) -> Opening {
    let openings = &run.totals.openings;
    Opening {
        connect_ns: OpeningTimes::of(&openings.connect),
        tls_handshake_ns: load.over_tls.then(|| OpeningTimes::of(&openings.handshake)),
    }
}

fn requests(run: &Run) -> Requests {
    let counts = &run.totals.whole_counts();
    let mut statuses = BTreeMap::new();
    for worker in &run.workers {
        for (status, count) in worker.statuses.iter().enumerate() {
            if *count > 0 {
                *statuses.entry(status.to_string()).or_insert(0) += count;
            }
        }
    }
    Requests {
        scheduled: counts.scheduled,
        sent: counts.sent,
        completed: counts.completed(),
        good: counts.good,
        failed: counts.failed(),
        misses: counts.misses,
        checkable: counts.checkable,
        checked: counts.checked,
        wrong_of_checked: counts.wrong_of_checked,
        unasked: counts.unasked,
        failures: Failures::from(counts),
        statuses,
        complaint: run
            .workers
            .iter()
            .find_map(|worker| worker.complaint.clone()),
    }
}

/// What the servers said of streams and calls.
fn streams(load: &Load, run: &Run) -> Streams {
    let mut counts = StreamCounts::default();
    for worker in &run.workers {
        counts.add(&worker.streams);
    }
    let by_name = |names: &[&str], counts: &[u64]| {
        let counted = names.iter().zip(counts).filter(|(_, count)| **count > 0);
        counted
            .map(|(name, count)| ((*name).to_owned(), *count))
            .collect::<BTreeMap<_, _>>()
    };
    Streams {
        allowed: counts.allowed.min(load.pipeline as u64),
        resets: by_name(&ERROR_NAMES, &counts.resets),
        go_aways: by_name(&ERROR_NAMES, &counts.go_aways),
        grpc_statuses: by_name(&STATUS_NAMES, &counts.calls),
    }
}

/// What each of several servers made of its requests.
fn targets(plan: &Plan, run: &Run, whole: &Judgement) -> Vec<TargetShare> {
    let load = &plan.load;
    let figures = evidence::target_figures(run);
    let several = figures.len();
    figures
        .iter()
        .zip(&plan.targets)
        .enumerate()
        .map(|(number, (figures, target))| TargetShare {
            url: target.text.clone(),
            connections: evidence::connections_to(load, run, number, several),
            sent: figures.counts.sent,
            completed: figures.counts.completed(),
            good: figures.counts.good,
            failed: figures.counts.failed(),
            failures: Failures::from(&figures.counts),
            latency_ns: whole.latency.figures_of(
                &figures.latency,
                Some(&evidence::failed(load, &figures.counts, &figures.given_up)),
            ),
        })
        .collect()
}

/// The rate achieved is over the schedule's length, or over the time until the last request
/// was sent if that was later. The wait for the last answers does not lower it.
fn rate(load: &Load, run: &Run) -> Rate {
    let counts = &run.totals.whole_counts();
    let offered_per_s = evidence::offered_per_s(load, run);
    let last_sent_ns = run.workers.iter().map(|worker| worker.last_sent_ns).max();
    let length_ns = evidence::schedule_ns(load, run).max(last_sent_ns.unwrap_or(0));
    let achieved_per_s = counts.completed() as f64 * 1e9 / (length_ns as f64).max(1.0);
    Rate {
        offered_per_s,
        achieved_per_s,
        ratio: offered_per_s.map(|offered| achieved_per_s / offered),
        late_by_generator: counts.late_by_generator,
    }
}

fn phases(load: &Load, run: &Run, measured: &Judgement) -> Vec<Phase> {
    let totals = &run.totals;
    let end_ns = evidence::schedule_ns(load, run);
    let warm_ns = load.warmup_ns.min(end_ns);
    let phase = |name, (from_ns, to_ns), counts: &Counts, quantities: &Quantities| Phase {
        name,
        from_ns,
        to_ns,
        good: counts.good,
        failed: counts.failed(),
        latency_ns: measured.latency.figures_of(
            &quantities.latency,
            Some(&evidence::failed(load, counts, &quantities.given_up)),
        ),
        queue_wait_ns: measured.queue_wait.figures_of(&quantities.queue_wait, None),
        send_lag_ns: measured.send_lag.figures_of(&quantities.send_lag, None),
        service_time_ns: measured.service_time.figures_of(
            &quantities.service_time,
            Some(&evidence::failed(
                load,
                counts,
                &quantities.given_up_since_sent,
            )),
        ),
    };
    let mut phases = Vec::new();
    if let Some(warmup) = &totals.warmup {
        phases.push(phase(
            PhaseName::Warmup,
            (0, warm_ns),
            &totals.warmup_counts,
            warmup,
        ));
    }
    phases.push(phase(
        PhaseName::Measured,
        (warm_ns, end_ns),
        &totals.counts,
        &totals.measured,
    ));
    phases
}

fn generator(load: &Load, run: &Run) -> Generator {
    let usage = &run.usage;
    let completed = run.totals.whole_counts().completed();
    let cpu_ns = usage.user_ns + usage.system_ns;
    Generator {
        cpu_us_per_request: (completed > 0).then(|| cpu_ns as f64 / 1e3 / completed as f64),
        cpu_user_ns: usage.user_ns,
        cpu_system_ns: usage.system_ns,
        peak_rss_bytes: usage.peak_rss_bytes,
        voluntary_switches: usage.voluntary_switches,
        involuntary_switches: usage.involuntary_switches,
        threads: evidence::threads(load, run),
        clock_steps: run.totals.counts.clock_steps,
        unstamped: run.totals.counts.unstamped,
        reads_at_once: run.workers.iter().any(|worker| worker.reads_at_once),
    }
}

/// A line that the kernel tells; empty where it does not.
fn read(path: &str) -> String {
    std::fs::read_to_string(path)
        .map(|text| text.trim_end().to_owned())
        .unwrap_or_default()
}
