//! What the progress line shows of an interval.

use super::evidence;
use crate::engine::load::{Discipline, Load};
use crate::recording::collector::Interval;
use crate::report::progress::Progress;

/// The run's state at the end of an interval.
pub fn progress(load: &Load, interval: &Interval<'_>) -> Progress {
    let counts = interval.counts;
    let due = match &load.discipline {
        Discipline::Open(schedule) => schedule
            .unit_time(interval.to_ns.min(schedule.horizon_ns()))
            .map_or(counts.scheduled, |due| {
                load.shard.count_below(due as u64).max(counts.scheduled)
            }),
        Discipline::Closed { .. } => counts.scheduled,
    };
    let figures = interval.figures;
    let latency = match &figures.warmup {
        Some(warmup) if figures.measured.latency.is_empty() => &warmup.latency,
        _ => &figures.measured.latency,
    };
    let of = |quantile: f64| (!latency.is_empty()).then(|| latency.value_at_quantile(quantile));
    Progress {
        loop_kind: evidence::loop_kind(load),
        elapsed_ns: interval.to_ns,
        horizon_ns: load.horizon_ns(),
        scheduled: due,
        sent: counts.sent,
        completed: counts.completed(),
        failed: counts.failed(),
        overdue: due.saturating_sub(counts.sent),
        p50_ns: of(0.50),
        p99_ns: of(0.99),
        max_ns: (!latency.is_empty()).then(|| latency.max()),
        achieved_per_s: interval.completed as f64 * 1e9 / (interval.length_ns as f64).max(1.0),
    }
}
