"""The measurement that would tell more: one command, and about how long it takes."""

from __future__ import annotations

from statistics import fmean

from runfair.decision.contenders import Contenders
from runfair.evidence.run import RunEvidence


def next_measurement(run: RunEvidence, found: Contenders) -> str:
    """`./runfair run order --profile full (about 40 min)`; empty beyond the greatest profile. The
    time is that of the services compared: what an execution took here beside its load, and the
    loads of the profile."""
    plan = run.plan
    services = (found.baseline, *found.candidates)
    took_ns = [each.record.launch.wall_ns for one in services for each in one.completed]
    if plan.greater is None or not took_ns:
        return ""
    effort = plan.greater.effort
    further = len(found.service.point.curve_per_s)
    beside_s = max(0.0, fmean(took_ns) / 1e9 - plan.effort.load_seconds)
    an_execution_s = beside_s + effort.load_seconds + further * effort.probe_seconds
    minutes = len(services) * effort.service_executions * an_execution_s / 60
    command = f"./runfair run {plan.experiment} --profile {plan.greater.name}"
    return f"{command} (about {max(1, round(minutes))} min)"
