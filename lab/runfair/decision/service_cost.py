"""A service's costs at the operating point, for each execution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from runfair.decision.contenders import contender_name
from runfair.decision.database_floor import least_mean_ns, least_percentile_ns
from runfair.evidence.cell import CellEvidence, ExecutionEvidence
from runfair.evidence.reading import TracesOf
from runfair.fairness.bounds import CLOSED, Sides, execution_limits, open_sides
from runfair.fairness.figures import execution_value
from runfair.fairness.mean_bounds import mean_limits
from runfair.fairness.objective import capacity_of, slowed, why_unserved
from runfair.formats.finding import CellVerdicts, Verdict, VerdictFile
from runfair.formats.result import Bounds
from runfair.formats.service import SHARES, Objective
from runfair.statistics.array import FloatArray
from runfair.statistics.capacity import CapacityInterval

State = Literal["fair", "flagged", "void"]
"""A verdict of the fairness checks: fair, flagged or void."""


@dataclass(frozen=True)
class ExecutionCost:
    """The figures of one execution at the operating point. Times are those of its mean request.

    `half_block` is the execution's place in the experiment. The executions of two services in the
    same half-block are a pair. `percentile_ns` is the latency at the objective's percentile; it is
    infinite if so many requests failed that the percentile has no value. `own_cpu_ns` is the
    process tree's user and system time per request. `run_queue_ns` is the time for which its
    threads were ready but did not run (None if the kernel does not report it). `database_ns` is the
    time between a query and its answer, as the relay measured it. `other_waits_ns` are further
    waits (locks, other services); None if they were not measured and are therefore the remainder.
    `database_percentile_ns` is a lower limit of the requests' database time at the objective's
    percentile, and `least_database_ns` of their mean database time; None if unknown. If doubts
    about the mean latency have a direction, `mean_limits_ns` bound it, and `cpu_limits_ns` bound
    the CPU time likewise; a limit is None if that side is open.
    """

    half_block: int
    percentile_ns: float
    mean_latency_ns: float
    own_cpu_ns: float
    run_queue_ns: float | None
    database_ns: float
    peak_memory_bytes: int
    other_waits_ns: float | None = None
    database_percentile_ns: float | None = None
    least_database_ns: float | None = None
    mean_limits_ns: Bounds | None = None
    cpu_limits_ns: Bounds | None = None

    @property
    def least_mean_ns(self) -> float:
        """The lower bound of the mean latency; 0 if there is no lower bound."""
        low = self.mean_latency_ns if self.mean_limits_ns is None else self.mean_limits_ns[0]
        return 0.0 if low is None else low

    @property
    def most_mean_ns(self) -> float:
        """The upper bound of the mean latency; infinite if there is no upper bound."""
        high = self.mean_latency_ns if self.mean_limits_ns is None else self.mean_limits_ns[1]
        return np.inf if high is None else high

    @property
    def least_cpu_ns(self) -> float:
        """The lower bound of the CPU time; 0 if there is no lower bound."""
        low = self.own_cpu_ns if self.cpu_limits_ns is None else self.cpu_limits_ns[0]
        return 0.0 if low is None else low

    @property
    def most_cpu_ns(self) -> float:
        """The upper bound of the CPU time; infinite if there is no upper bound."""
        high = self.own_cpu_ns if self.cpu_limits_ns is None else self.cpu_limits_ns[1]
        return np.inf if high is None else high

    def __post_init__(self) -> None:
        waits = (self.run_queue_ns or 0.0, self.database_ns, self.other_waits_ns or 0.0)
        times = (self.own_cpu_ns, *waits)
        if not (0 < self.mean_latency_ns < np.inf and all(0 <= one < np.inf for one in times)):
            raise ValueError(
                "a mean latency must be positive, its parts must not be "
                "negative, and all must be finite"
            )
        if not self.percentile_ns > 0:
            raise ValueError("a percentile of the latency must be positive")
        if self.own_cpu_ns == 0:
            raise ValueError(
                "the CPU time per request is 0, because the clock was too coarse to measure it"
            )


@dataclass(frozen=True)
class ServiceCost:
    """A service's costs. `executions` has the successful executions: at least one, and at most one
    of each half-block.

    `state` is the verdict of the objective's percentile; `findings` are the sentences that led to
    this verdict and to the verdict of the CPU time. `cpu_void` says whether the CPU time is void.
    `capacity` is the capacity of all `instances` together under the same objective, None if it was
    not measured; `capacity_slowed` says whether the network may have limited it. If the latencies
    are void because the service did not serve the rate, it certainly misses the objective;
    `unserved` then gives the reason. `unserved` is empty if the service served the rate.
    `bounds_ns` bound the percentile if doubts about it have a direction; otherwise they are None.
    `open_sides` says whether a doubt may have moved the lower limit of the percentile, and the
    upper limit, by an unknown amount. `advice` says how to remove the doubts about the percentile.
    """

    name: str
    executions: tuple[ExecutionCost, ...]
    state: State = "fair"
    cpu_void: bool = False
    findings: tuple[str, ...] = ()
    capacity: CapacityInterval | None = None
    capacity_slowed: bool = False
    instances: int = 1
    unserved: str = ""
    bounds_ns: Bounds | None = None
    open_sides: Sides = CLOSED
    advice: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        places = [one.half_block for one in self.executions]
        if not places or len(set(places)) != len(places):
            raise ValueError(
                "a service needs at least one execution, and may have only one execution in each "
                "half of a block (a group of executions)"
            )

    def percentiles_ns(self) -> FloatArray:
        return self._each(lambda one: one.percentile_ns)

    def database_percentiles_ns(self) -> FloatArray | None:
        """The executions' percentiles of database time; None if an execution has no such
        percentile."""
        known = [one.database_percentile_ns for one in self.executions]
        if any(value is None for value in known):
            return None
        return np.array(known, dtype=np.float64)

    @property
    def least_database_ns(self) -> float | None:
        """The mean of the executions' lower limits of the database time; None if one is unknown."""
        known = [one.least_database_ns for one in self.executions]
        return None if None in known else float(np.mean(np.array(known, dtype=np.float64)))

    @property
    def peak_memory_bytes(self) -> int:
        """The greatest peak memory of the executions. The greatest peak is used, because the memory
        must always suffice."""
        return max(one.peak_memory_bytes for one in self.executions)

    def _each(self, value: Callable[[ExecutionCost], float]) -> FloatArray:
        return np.array([value(one) for one in self.executions], dtype=np.float64)


def paired(
    service: ServiceCost, baseline: ServiceCost, value: Callable[[ExecutionCost], float]
) -> tuple[FloatArray, FloatArray]:
    """The values of a figure of both services, in the half-blocks in which both succeeded. Each
    array has shape (pairs,)."""
    ours, theirs = (
        {one.half_block: value(one) for one in side.executions} for side in (service, baseline)
    )
    shared = sorted(ours.keys() & theirs.keys())
    return np.array([ours[at] for at in shared]), np.array([theirs[at] for at in shared])


def cost_of(
    one: CellEvidence,
    judged: VerdictFile,
    objective: Objective,
    traces_of: TracesOf = lambda _: None,
) -> ServiceCost | None:
    """The costs of a service; None if no execution has costs. The function `traces_of` returns
    single requests and queries; it is used for a service with a database."""
    database = one.cell.service.database if one.cell.service is not None else None
    verdicts = next(cell for cell in judged.cells if cell.cell == one.cell.id)
    verdict = verdicts.figures[objective.percentile]
    looked_at: TracesOf = traces_of if database is not None else lambda _: None
    cpu_limits = execution_limits(one, "cpu", verdicts.figures["cpu"].findings) or {}
    executions = tuple(
        replace(cost, cpu_limits_ns=cpu_limits.get(each.record.id))
        for (block, half), each in one.half_blocks.items()
        if each.completed
        and (cost := _execution(each, 2 * block + half, objective, verdict, looked_at)) is not None
    )
    if not executions:
        return None
    capacity = capacity_of(one.completed)
    return ServiceCost(
        name=contender_name(one.cell),
        executions=executions,
        state=verdict.state,
        cpu_void=verdicts.figures["cpu"].state == "void",
        findings=_findings(verdicts, objective),
        capacity=capacity,
        capacity_slowed=capacity is not None and slowed(capacity, one.completed),
        instances=one.cell.service.instances if one.cell.service is not None else 1,
        unserved=why_unserved(one, verdict),
        bounds_ns=verdict.bounds,
        open_sides=open_sides(one, objective.percentile, verdict.findings),
        advice=_advice(verdict),
    )


def _advice(verdict: Verdict) -> tuple[str, ...]:
    """The advice of the doubts that may have changed a figure."""
    doubts = (one for one in verdict.findings if one.effect and one.severity != "limitation")
    return tuple(dict.fromkeys(one.advice for one in doubts if one.advice))


def _execution(
    each: ExecutionEvidence,
    half_block: int,
    objective: Objective,
    verdict: Verdict,
    traces_of: TracesOf,
) -> ExecutionCost | None:
    load = each.load
    percentile_ns = execution_value(each, objective.percentile)
    memory_bytes = execution_value(each, "memory")
    if load is None or percentile_ns is None or load.mean_ns is None:
        return None
    if not load.own.cpu_ns:
        return None
    traces = traces_of(each.record)
    database_ns = None
    if traces is not None:
        database_ns = least_percentile_ns(load, traces, SHARES[objective.percentile])
    return ExecutionCost(
        half_block=half_block,
        percentile_ns=percentile_ns,
        mean_latency_ns=load.mean_ns,
        own_cpu_ns=load.own.cpu_ns,
        run_queue_ns=load.own.run_queue_ns,
        database_ns=load.database_ns_per_request or 0.0,
        peak_memory_bytes=round(memory_bytes or 0),
        database_percentile_ns=database_ns,
        least_database_ns=None if traces is None else least_mean_ns(load, traces),
        mean_limits_ns=mean_limits(load, verdict.findings),
    )


def _findings(verdicts: CellVerdicts, objective: Objective) -> tuple[str, ...]:
    """The findings about the figures on which a decision depends."""
    used = [verdicts.figures[name] for name in (objective.percentile, "cpu")]
    findings = (each for one in used for each in one.findings if each.severity != "limitation")
    return tuple(dict.fromkeys(finding.text for finding in findings))
