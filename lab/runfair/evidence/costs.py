"""The cost of a request: the CPU time of the process trees, the system calls, and the relay's delay
of the request's queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
import numpy.typing as npt

from runfair.formats.finding import VerdictState
from runfair.formats.histogram import Interval
from runfair.formats.load_result import LoadResult
from runfair.formats.relay_report import RelayReport
from runfair.formats.service import SHARES, Percentile, SystemCallCounts, Usage
from runfair.formats.service_result import RequestSystemCalls
from runfair.statistics.percentile import least_count, rank


@dataclass(frozen=True)
class TreeCost:
    """The resources that a process tree uses per request, between the first and the last sample in
    the steady part. A value is None if it is unknown. `system_share` is the kernel's share of the
    CPU time, to the precision of kernel ticks. `user_only` says that cycles and instructions
    exclude those of the kernel. All values except `system_share` may have a relative error of
    `clock_error`, because the clocks of samples and requests may differ."""

    cpu_ns: float | None = None
    system_share: float | None = None
    run_queue_ns: float | None = None
    switches: float | None = None
    cycles: float | None = None
    instructions: float | None = None
    user_only: bool = False
    clock_error: float = 0.0

    @classmethod
    def of(
        cls,
        usage: Sequence[Usage],
        name: str,
        result: LoadResult,
        intervals: Sequence[Interval],
        from_ns: int,
        uncertainty_ns: int = 0,
        until_ns: int | None = None,
    ) -> TreeCost:
        """The cost from samples on the lab's clock and intervals on the generator's clock, which
        may differ by `uncertainty_ns`. The samples lie between `from_ns` and `until_ns` after the
        load's start; by default, until its end."""
        began_ns = result.started.monotonic_ns
        looks = [
            one
            for one in usage
            if one.of == name
            and from_ns
            <= one.monotonic_ns - began_ns
            <= (result.elapsed_ns if until_ns is None else until_ns)
        ]
        if len(looks) < 2:
            return cls()
        first, last = looks[0], looks[-1]
        requests = sum(
            one.histogram.total
            for one in intervals
            if first.monotonic_ns <= began_ns + one.start_ns < last.monotonic_ns
        )
        if not requests:
            return cls()
        cpu_ns = last.cpu_ns - first.cpu_ns
        looked_ns = last.monotonic_ns - first.monotonic_ns
        switches = (
            last.voluntary_switches
            + last.involuntary_switches
            - first.voluntary_switches
            - first.involuntary_switches
        )
        queued = None
        if first.run_queue_ns is not None and last.run_queue_ns is not None:
            queued = (last.run_queue_ns - first.run_queue_ns) / requests
        ticks_ns = last.user_ns + last.system_ns - first.user_ns - first.system_ns
        system = (last.system_ns - first.system_ns) / ticks_ns if ticks_ns else None
        counted = None
        if first.processor is not None and last.processor is not None:
            counted = last.processor.since(first.processor)
        return cls(
            cpu_ns / requests,
            system,
            queued,
            switches / requests,
            cycles=_each(counted.cycles.estimate, requests) if counted else None,
            instructions=_each(counted.instructions.estimate, requests) if counted else None,
            user_only=counted is not None and counted.user_only,
            clock_error=2 * uncertainty_ns / looked_ns,
        )


def _each(whole: float | None, requests: int) -> float | None:
    return None if whole is None else whole / requests


@dataclass(frozen=True, eq=False)
class RelayEvidence:
    """The relay's figures for the steady part: the number of `queries` per request, and the delay
    in ns that the relay added to a query. A percentile is None if there are too few queries.
    `cpu_per_query_ns` covers the relay's whole life. `unparsed` counts connections whose protocol
    could not be read, by reason."""

    queries: float
    added_ns: Mapping[Percentile, int | None]
    cpu_per_query_ns: float | None
    unparsed: Mapping[str, int]

    @classmethod
    def of(
        cls, added_ns: npt.NDArray[np.float64], queries: float, report: RelayReport
    ) -> RelayEvidence:
        """The evidence computed from `added_ns`, which has an entry for each query (NaN if the
        delay is unknown)."""
        known = np.sort(added_ns[~np.isnan(added_ns)])
        cost, answered = report.cost, report.queries.answered
        return cls(
            queries=queries,
            added_ns={
                name: int(known[rank(share, len(known)) - 1])
                if len(known) >= least_count(share)
                else None
                for name, share in SHARES.items()
            },
            cpu_per_query_ns=(cost.cpu_user_ns + cost.cpu_system_ns) / answered
            if answered
            else None,
            unparsed=report.unparsed_streams,
        )


def added_ns(rows: npt.NDArray[np.void], declared_ns: int) -> npt.NDArray[np.float64]:
    """The delay that the relay added to each answered query (`formats/relay_report.py`) beyond the
    declared round trip; an array of shape (queries,). The delay is NaN for the first query of a
    connection, which also waits for the connection to open."""
    there, back = (
        rows[end].astype(np.int64) - rows[start].astype(np.int64)
        for start, end in (("arrived_ns", "forwarded_ns"), ("answered_ns", "delivered_ns"))
    )
    added: npt.NDArray[np.float64] = np.maximum(there + back - declared_ns, 0).astype(np.float64)
    _, first = np.unique(rows["connection"], return_index=True)
    added[first] = np.nan
    return added


def request_system_calls(
    counted: Sequence[SystemCallCounts | None], state: VerdictState
) -> RequestSystemCalls | None:
    """The median over the executions in which calls were counted. None if there are none, or if
    `state`, the verdict of the CPU time, is void: a service that answers wrongly does other
    work."""
    known = [one for one in counted if one is not None]
    if not known or state == "void":
        return None
    return RequestSystemCalls(
        verdict=state,
        read=median(one.read / one.requests for one in known),
        write=median(one.write / one.requests for one in known),
        wait=median(one.wait / one.requests for one in known),
        lock=median(one.lock / one.requests for one in known),
        other=median(one.other / one.requests for one in known),
    )
