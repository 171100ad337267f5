"""Services whose costs are known by construction."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from runfair.decision.rules import Criteria
from runfair.decision.service_cost import ExecutionCost, ServiceCost, State
from runfair.decision.sizing import Demand, Price
from runfair.statistics.capacity import CapacityInterval
from runfair.statistics.objective import Objective

MS = 1e6
EXECUTIONS = 10
OBJECTIVE = Objective(0.99, 25_000_000)
CRITERIA = Criteria(OBJECTIVE, noise_floor=0.01)


def service(
    name: str,
    *,
    p99_ms: float,
    own_cpu_ms: float,
    database_ms: float,
    run_queue_ms: float = 0.0,
    other_ms: float = 0.1,
    database_p99_ms: float | None = None,
    spread: float = 0.01,
    executions: int = EXECUTIONS,
    capacity: tuple[float, float] | None = None,
    memory_mib: int = 100,
    state: State = "fair",
    seed: int = 0,
) -> ServiceCost:
    """A service with these means, whose executions scatter by `spread`, each by its own factor."""
    rng = np.random.default_rng([seed, *name.encode()])
    scatter: Callable[[], float] = lambda: float(np.exp(spread * rng.standard_normal()))  # noqa: E731

    def execution(place: int) -> ExecutionCost:
        own, queue, database, other = (
            value * MS * scatter() for value in (own_cpu_ms, run_queue_ms, database_ms, other_ms)
        )
        return ExecutionCost(
            half_block=place,
            percentile_ns=p99_ms * MS * scatter(),
            mean_latency_ns=own + queue + database + other,
            own_cpu_ns=own,
            run_queue_ns=queue,
            database_ns=database,
            peak_memory_bytes=memory_mib * 2**20,
            database_percentile_ns=None
            if database_p99_ms is None
            else database_p99_ms * MS * scatter(),
        )

    return ServiceCost(
        name=name,
        executions=tuple(execution(place) for place in range(executions)),
        state=state,
        capacity=None if capacity is None else CapacityInterval(*capacity, 0.97, 12),
    )


def with_database_of(
    one: ServiceCost, least_ms: float, mean_ms: float | None = None
) -> ServiceCost:
    """Its queries overlap, so that requests wait for at least so long."""
    executions = tuple(
        replace(
            each,
            least_database_ns=least_ms * MS,
            mean_latency_ns=each.mean_latency_ns if mean_ms is None else mean_ms * MS,
        )
        for each in one.executions
    )
    return replace(one, executions=executions)


def demand(
    *, load: float = 10_000, instance: float = 100, effort: float = 6_000, payback: float = 12
) -> Demand:
    return Demand(load, Price(instance), effort, payback)
