"""The counts of a load that several hosts sent: the sums of what each host counted. The figures of
the load are computed from the records of its requests instead (`union_figures`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from runfair.formats.load_requests import Failures, Requests
from runfair.formats.load_result import (
    Generator,
    LoadResult,
    Opening,
    OpeningTimes,
    Rate,
    Streams,
)
from runfair.formats.record import Record

_COUNTED = (
    *("scheduled", "sent", "completed", "good", "failed", "misses"),
    *("checkable", "checked", "wrong_of_checked", "unasked"),
)
_USED = (
    *("cpu_user_ns", "cpu_system_ns", "peak_rss_bytes", "voluntary_switches"),
    *("involuntary_switches", "clock_steps", "unstamped"),
)


def sums(parts: Sequence[Record], names: Iterable[str]) -> dict[str, Any]:
    """The sum of each of these fields over the records."""
    return {name: sum(getattr(one, name) for one in parts) for name in names}


def requests_of(hosts: Sequence[str], parts: Sequence[Requests]) -> Requests:
    """The requests of all hosts. The complaint is the complaint of the first host that has one."""
    complaints = (
        f"{host}: {one.complaint}"
        for host, one in zip(hosts, parts, strict=True)
        if one.complaint is not None
    )
    return Requests(
        **sums(parts, _COUNTED),
        failures=failures_of(one.failures for one in parts),
        complaint=next(complaints, None),
        statuses=_added_up([one.statuses for one in parts]),
    )


def failures_of(parts: Iterable[Failures]) -> Failures:
    """The failed requests of all hosts, by kind."""
    return Failures(**sums([*parts], Failures.model_fields))


def failures_each_of(results: Sequence[LoadResult]) -> float:
    """The design effect of the share of failed requests. All hosts load the same service, so an
    outage fails requests of all of them at the same time."""
    return 1.0 + sum(one.tests.failures_each - 1.0 for one in results)


def rate_of(results: Sequence[LoadResult]) -> Rate:
    """The offered and the achieved rate of all hosts together."""
    offered = sum(one.rate.offered_per_s or 0.0 for one in results)
    achieved = sum(one.rate.achieved_per_s for one in results)
    return Rate(
        offered_per_s=offered,
        achieved_per_s=achieved,
        ratio=achieved / offered if offered else None,
        late_by_generator=sum(one.rate.late_by_generator for one in results),
    )


def streams_of(results: Sequence[LoadResult]) -> Streams | None:
    """The events of the streams of all hosts; None if no host used streams."""
    parts = [one.streams for one in results if one.streams is not None]
    if not parts:
        return None
    return Streams(
        allowed=min(one.allowed for one in parts),
        resets=_added_up([one.resets for one in parts]),
        go_aways=_added_up([one.go_aways for one in parts]),
        grpc_statuses=_added_up([one.grpc_statuses for one in parts]),
    )


def opening_of(parts: Sequence[Opening]) -> Opening:
    """The time that the connections of all hosts took to open."""
    tls = [one.tls_handshake_ns for one in parts if one.tls_handshake_ns is not None]
    return Opening(
        connect_ns=_times([one.connect_ns for one in parts]),
        tls_handshake_ns=_times(tls) if tls else None,
    )


def generator_of(results: Sequence[LoadResult], completed: int) -> Generator:
    """The resources that the generators of all hosts used for these completed requests."""
    parts = [one.generator for one in results]
    used = sums(parts, _USED)
    cpu_ns = used["cpu_user_ns"] + used["cpu_system_ns"]
    return Generator(
        cpu_us_per_request=cpu_ns / 1e3 / completed if completed else None,
        threads=[thread for one in parts for thread in one.threads],
        reads_at_once=any(one.reads_at_once for one in parts),
        **used,
    )


def _times(parts: Sequence[OpeningTimes]) -> OpeningTimes:
    """The times of all hosts. Each percentile is the greatest of the hosts' percentiles."""
    opened = [one for one in parts if one.count]
    if not opened:
        return OpeningTimes()
    count = sum(one.count for one in opened)
    return OpeningTimes(
        count=count,
        min=min(one.min for one in opened),
        mean=sum(one.mean * one.count for one in opened) / count,
        p50=max(one.p50 for one in opened),
        p99=max(one.p99 for one in opened),
        max=max(one.max for one in opened),
    )


def _added_up(parts: Sequence[dict[str, int]]) -> dict[str, int]:
    names = sorted({name for one in parts for name in one})
    return {name: sum(one.get(name, 0) for one in parts) for name in names}
