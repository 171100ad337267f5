"""A service's costs at the operating point, execution by execution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from runfair.decision.contenders import service_name
from runfair.decision.database_time import least_percentile_ns
from runfair.evidence.reading import TracesOf
from runfair.evidence.run import CellEvidence, ExecutionEvidence
from runfair.fairness.bounds import mean_limits
from runfair.fairness.figures import execution_value
from runfair.fairness.objective import capacity_of, why_unserved
from runfair.formats.finding import CellVerdicts, Verdict, VerdictFile
from runfair.formats.service import SHARES, Objective
from runfair.statistics.capacity import CapacityInterval

FloatArray = npt.NDArray[np.float64]

State = Literal["fair", "flagged", "void"]
"""The state of a verdict of the fairness checks."""


@dataclass(frozen=True)
class ExecutionCost:
    """One execution's figures at the operating point; times are of its mean request.

    `half_block` is its place in the experiment: executions of two services in the same half-block
    are a pair. `percentile_ns` is the objective's percentile of latency, infinite if too many
    requests failed to reach it. `own_cpu_ns` is the process tree's user and system time over its
    requests. `run_queue_ns` is the time its threads were ready to run and did not run (None if the
    kernel does not report it). `database_ns` is the relay's time between a query and its answer.
    `other_waits_ns` are further waits if they were measured (locks, other services), None if they
    are the remainder. `database_percentile_ns` is a lower limit of the objective's percentile of
    the requests' database time, None if unknown. `mean_limits_ns` bound the mean latency if doubts
    about it have a direction, None on an open side.
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
    mean_limits_ns: tuple[float | None, float | None] | None = None

    @property
    def least_mean_ns(self) -> float:
        """The lower bound of the mean latency; 0 if it has none."""
        low = self.mean_latency_ns if self.mean_limits_ns is None else self.mean_limits_ns[0]
        return 0.0 if low is None else low

    @property
    def most_mean_ns(self) -> float:
        """The upper bound of the mean latency; infinite if it has none."""
        high = self.mean_latency_ns if self.mean_limits_ns is None else self.mean_limits_ns[1]
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
            raise ValueError("the CPU time per request must be positive: the clock was too coarse")


@dataclass(frozen=True)
class ServiceCost:
    """A service's costs. `executions` are the successful ones: at least one, and at most one of
    each half-block.

    `state` is the verdict of the objective's percentile; `findings` are the sentences behind it and
    behind the verdict of the CPU time; `cpu_void` says whether the CPU time is void. `capacity` is
    the capacity of all `instances` together under the same objective, None if it was not measured.
    `unserved` is the reason why a service with void latencies certainly misses the objective: it
    did not serve the rate. It is empty otherwise. `bounds_ns` bound the percentile if doubts about
    it have a direction; None if none has.
    """

    name: str
    executions: tuple[ExecutionCost, ...]
    state: State = "fair"
    cpu_void: bool = False
    findings: tuple[str, ...] = ()
    capacity: CapacityInterval | None = None
    instances: int = 1
    unserved: str = ""
    bounds_ns: tuple[float | None, float | None] | None = None

    def __post_init__(self) -> None:
        places = [one.half_block for one in self.executions]
        if not places or len(set(places)) != len(places):
            raise ValueError(
                "a service needs at least one execution, and at most one "
                "execution in each half-block"
            )

    def percentiles_ns(self) -> FloatArray:
        return self._each(lambda one: one.percentile_ns)

    def database_percentiles_ns(self) -> FloatArray | None:
        """The executions' percentiles of database time; None unless all have one."""
        known = [one.database_percentile_ns for one in self.executions]
        if any(value is None for value in known):
            return None
        return np.array(known, dtype=np.float64)

    @property
    def peak_memory_bytes(self) -> int:
        """The greatest peak of the executions, because memory must always suffice."""
        return max(one.peak_memory_bytes for one in self.executions)

    def _each(self, value: Callable[[ExecutionCost], float]) -> FloatArray:
        return np.array([value(one) for one in self.executions], dtype=np.float64)


def paired(
    service: ServiceCost, baseline: ServiceCost, value: Callable[[ExecutionCost], float]
) -> tuple[FloatArray, FloatArray]:
    """A figure of both services, (pairs,) each, in the half-blocks in which both succeeded."""
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
    """The costs of a service; None if no execution has them. `traces_of` gives single requests and
    queries, for a service with a database."""
    database = one.cell.service.database if one.cell.service is not None else None
    verdicts = next(cell for cell in judged.cells if cell.cell == one.cell.id)
    verdict = verdicts.figures[objective.percentile]
    looked_at: TracesOf = traces_of if database is not None else lambda _: None
    executions = tuple(
        cost
        for (block, half), each in one.half_blocks.items()
        if each.completed
        and (cost := _execution(each, 2 * block + half, objective, verdict, looked_at)) is not None
    )
    if not executions:
        return None
    return ServiceCost(
        name=service_name(one.cell),
        executions=executions,
        state=verdict.state,
        cpu_void=verdicts.figures["cpu"].state == "void",
        findings=_findings(verdicts, objective),
        capacity=capacity_of(one.completed),
        instances=one.cell.service.instances if one.cell.service is not None else 1,
        unserved=why_unserved(one, verdict),
        bounds_ns=verdict.bounds,
    )


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
        mean_limits_ns=mean_limits(load, verdict.findings),
    )


def _findings(verdicts: CellVerdicts, objective: Objective) -> tuple[str, ...]:
    """The findings against the figures that a decision rests on."""
    used = [verdicts.figures[name] for name in (objective.percentile, "cpu")]
    findings = (each for one in used for each in one.findings if each.severity != "limitation")
    return tuple(dict.fromkeys(finding.text for finding in findings))
