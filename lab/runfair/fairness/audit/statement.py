"""The conclusions that a result allows and forbids, from the judgements about it."""

from __future__ import annotations

from collections.abc import Sequence

from runfair.fairness.audit.percentiles import given, highest_supported
from runfair.formats.foreign.result import ForeignResult, Judgement, Status
from runfair.statistics.percentile import label


def statement(
    result: ForeignResult, judgements: Sequence[Judgement]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The allowed and the forbidden conclusions. A mistake is treated as possible if it was not
    excluded."""
    status = {each.mistake: each.status for each in judgements}
    if result.kind == "load":
        return _load(result, status)
    return _benchmark(result, status)


def _load(
    result: ForeignResult, status: dict[str, Status]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    can, cannot = [], []
    if result.rate_per_s is not None:
        where = f" at {result.at_once}" if result.connections else ""
        can.append(f"the throughput{where} on the machine that was measured")
    highest = highest_supported(result.latencies)
    trusted = all(
        status.get(name) == "excluded"
        for name in ("pauses_left_out", "not_of_requests", "resolution")
    )
    if trusted and highest is not None:
        rate = f" at {result.rate_per_s:,.0f}/s" if result.rate_per_s is not None else ""
        can.append(f"percentiles up to {label(highest)}{rate}, for this single execution")
        if status.get("too_few") != "excluded":
            cannot.append(f"any percentile above {label(highest)}")
    else:
        cannot.append("any percentile")
    if status.get("warm_up") != "excluded":
        cannot.append("anything about the steady state")
    if status.get("errors_counted") != "excluded":
        cannot.append("the latency of the successful requests alone")
    if status.get("peak") != "excluded":
        cannot.append("whether the server meets a latency objective at a lower request rate")
    cannot += _difference(status)
    return tuple(can), tuple(cannot)


def _benchmark(
    result: ForeignResult, status: dict[str, Status]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    can, cannot = [], []
    if result.latencies.mean_ns is not None:
        executions = result.executions
        many = "an unknown number of processes" if executions is None else _processes(executions)
        can.append(f"the mean time in {many} on the machine that was measured")
    if status.get("disturbed") == "established":
        cannot.append("the speed of an optimised build at a constant CPU frequency")
    if status.get("warm_up") != "excluded":
        cannot.append("anything about the steady state")
    if given(result.latencies) and status.get("not_of_requests") != "excluded":
        cannot.append("any percentile of single calls")
    if status.get("errors_counted") == "established":
        cannot.append("the time of the successful executions alone")
    cannot += _difference(status)
    cannot.append("anything about a service under load")
    return tuple(can), tuple(cannot)


def _processes(executions: int) -> str:
    return "one process" if executions == 1 else f"{executions} processes"


def _difference(status: dict[str, Status]) -> list[str]:
    if status.get("unit_of_repetition") != "excluded" or status.get("no_interval") != "excluded":
        return ["whether this result differs from another result by more than chance"]
    if status.get("unequal_builds") != "excluded":
        return [
            "the cause of a difference from another result (it is unknown how the programs "
            "were built)"
        ]
    return []
