"""The result of a service at its operating point, as `run … --json` prints it."""

from __future__ import annotations

from typing import Literal

from runfair.formats.finding import VerdictState
from runfair.formats.record import Record
from runfair.formats.service import Objective, Protocol, Requirement

Meets = Literal["yes", "no", "unclear"]


class RequestSystemCalls(Record):
    """System calls per request, by kind, counted under a separate load. Each value is the median
    over the executions. The verdict is the verdict of the CPU time per request."""

    verdict: VerdictState
    read: float
    write: float
    wait: float
    lock: float
    other: float


class CurvePoint(Record):
    """The latency at one rate. Each value is the median over the executions; it is None if no
    execution has a value."""

    rate_per_s: float
    p50_ns: float | None
    p99_ns: float | None
    objective_ns: float | None
    meets: Meets | None
    executions: int
    verdict: VerdictState


class Knee(Record):
    """The knee: the measured rate beyond which latency grows faster than throughput; None if the
    `rates` do not enclose it, with the `reason`. The service did not keep up with the rate
    `saturated_from_per_s` and higher rates; None if it kept up with all."""

    rate_per_s: float | None
    saturated_from_per_s: float | None
    rates: int
    reason: str
    verdict: VerdictState


class CapacityResult(Record):
    """The capacity, that is, the highest rate that meets the objective. The capacity lies between
    these two rates; a rate is None if the capacity lies beyond the searched rates. Each execution
    searched independently. All executions agree that the lower rate meets the objective and that
    the upper rate misses it. `confidence` is the smallest confidence of the executions; it holds
    under the assumptions in `assumes`."""

    verdict: VerdictState

    highest_met_per_s: float | None
    lowest_missed_per_s: float | None
    confidence: float
    assumes: str = ""
    observations: int
    executions: int


class WarmUpLevel(Record):
    """A part of a load in which the latency stayed on one level, as found by the steady-state
    detector. The record has the start, counted from the load's start, and the median of the
    windows' medians."""

    from_ns: int
    p50_ns: float


class WarmUp(Record):
    """The warm-up of an execution: the time from the process's start to the first good answer, and
    to the steady state. A time is None if the execution did not reach that point, or if the figure
    is void. `levels` are in order of time. The process's start is read from the lab's clock and the
    load's start from the generator's clock; the clocks may differ by `clock_uncertainty_ns`."""

    execution: str
    classification: str
    first_answer_ns: int | None
    steady_ns: int | None
    levels: list[WarmUpLevel] = []
    clock_uncertainty_ns: int = 0
    verdict: VerdictState


class RuntimeEvents(Record):
    """The runtime's events in the steady parts of all executions that recorded events. `tail_share`
    is the share of the requests above p99 that overlapped a pause; `chance_share` is the share of
    all requests that did. These two are void if p99 is void. All fields except the shares of
    requests are void if the CPU time is void. A void figure is None. `collecting_share` is the
    share of time during which a collection ran, whether concurrent or not. The allocation has a
    rounding error of up to the share `allocation_rounding`. If the allocation is unknown, it is
    None, and `allocation_untold` says why. The clocks of the runtime and of the load generator may
    differ by `clock_uncertainty_ns`. If the clocks may differ, `tail_share` lies in
    `tail_share_range`."""

    executions: int
    collections: int
    pauses_per_s: float | None
    paused_share: float | None
    longest_pause_ns: int | None
    tail_share: float | None
    tail_share_range: tuple[float, float] | None = None
    chance_share: float | None
    late_compilations: int
    collections_per_s: float | None
    collecting_share: float | None
    allocated_bytes_per_s: float | None
    allocated_bytes_per_request: float | None
    allocation_rounding: float | None
    allocation_untold: str
    clock_uncertainty_ns: int = 0
    verdict: VerdictState


class RequestCost(Record):
    """The mean cost of a request in the steady part of a load; each value is the median over the
    executions. A value is None if it is unknown. Cycles and instructions are None if the processor
    does not count them; they exclude those of the kernel if `user_only` is set. `database_ns` is
    the time in queries, including the round trip. The verdict is the verdict of the CPU time per
    request.
    """

    verdict: VerdictState
    system_share: float | None
    run_queue_ns: float | None
    switches: float | None
    database_ns: float | None
    database_cpu_ns: float | None
    sent_bytes: float | None
    received_bytes: float | None
    cycles: float | None = None
    instructions: float | None = None
    user_only: bool = False


class RelayResult(Record):
    """The relay between a service and its database: the declared round trip (None if it is that of
    the network), the queries per request, the delay that the relay adds to a query beyond the round
    trip, and the relay's CPU time. Each value is the median over the executions. A value is None if
    there were too few queries, or no queries with a known delay. The verdict is the verdict of the
    median latency."""

    verdict: VerdictState
    round_trip_ns: int | None
    queries_per_request: float
    added_p50_ns: float | None
    added_p99_ns: float | None
    cpu_per_query_ns: float | None


class RequirementOutcome(Record):
    """A requirement, and whether the run shows that a service meets it. `interval` is the 95%
    interval of the required figure: a percentile in nanoseconds, or a share of requests. It is None
    if nothing is known of the figure. `reason` says why, or what else stands against the service.
    """

    requirement: Requirement
    meets: Meets
    interval: tuple[float | None, float | None] | None = None
    reason: str = ""

    @property
    def is_missed(self) -> bool:
        """Whether the service misses the requirement, or its interval reaches above the limit."""
        return self.meets == "no" or (self.meets == "unclear" and self.interval is not None)


class ServiceHostResult(Record):
    """A host of a service that runs on several: the share of the service's CPU time that its
    instances used there, and the peak of their memory, over their whole life. Each value is the
    median over the executions on this host. The verdict is the worse one of CPU time and memory."""

    host: str
    executions: int
    verdict: VerdictState
    cpu_share: float | None
    memory_bytes: float


class ServiceResult(Record):
    """The result of a service at its operating point, and whether it met its objective and what the
    experiment requires. Services of the same `group` are compared with each other: the group is the
    id of its first cell; empty in old results. `distinction` has the texts that distinguish the
    group from the run's other groups with the same rate, protocol and objective. `requests` and
    `failed` are counted over all executions together. `doubt` is the text of the doubt that makes
    `meets` unclear; it is empty if there is none, and in old results. `hosts` has each host of a
    service that runs on several; a void service has none."""

    service: str
    group: str = ""
    distinction: list[str] = []
    instances: int = 1
    rate_per_s: float
    protocol: Protocol = "http"
    objective: Objective | None
    meets: Meets | None
    doubt: str = ""
    requirements: list[RequirementOutcome] = []
    requests: int
    failed: int
    curve: list[CurvePoint] = []
    knee: Knee | None = None
    capacity: CapacityResult | None = None
    warm_up: list[WarmUp] = []
    events: RuntimeEvents | None = None
    cost: RequestCost | None = None
    relay: RelayResult | None = None
    hosts: list[ServiceHostResult] = []
    system_calls: RequestSystemCalls | None = None
