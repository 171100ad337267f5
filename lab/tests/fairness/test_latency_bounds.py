"""The lower limit of a latency if other processes used the processors of a service."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence.honest_services import FASTIFY, honest_services, service_cell
from runfair.evidence.cell import ExecutionEvidence
from runfair.evidence.load import LoadEvidence
from runfair.fairness.bounds import EXECUTION_BOUNDS
from runfair.fairness.figures import execution_value
from simulated.doubts import examined, queued
from simulated.requests import GOOD, MILLISECOND, Requests, arrivals
from simulated.service_load import Load


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), lost_ms=st.floats(0, 20))
def test_a_latency_lost_at_most_what_others_used(seed: int, lost_ms: float) -> None:
    """Requests wait for a server that other processes interrupt, so many of them wait for the same
    interruption."""
    random = np.random.default_rng(seed)
    intended_ns = arrivals(20, 60)
    work_ns = (40 * MILLISECOND * random.lognormal(0, 0.1, intended_ns.size)).astype(np.int64)
    taken = random.dirichlet(np.ones(8)) * lost_ms * MILLISECOND
    others_ns = np.zeros_like(work_ns)
    np.add.at(others_ns, random.integers(0, work_ns.size, 8), taken.astype(np.int64))
    done_ns = queued(intended_ns, work_ns + others_ns)
    kind = np.full(work_ns.size, GOOD, dtype=np.int64)
    load = examined(Load(Requests(intended_ns, intended_ns, done_ns, kind), 20.0))
    true_ns = (queued(intended_ns, work_ns) - intended_ns)[intended_ns >= load.steady_from_ns]
    execution = losing(int(others_ns.sum()) + 8, load)
    for share, figure in ((0.5, "p50"), (0.9, "p90")):
        low, high = EXECUTION_BOUNDS["foreign_time"](execution, figure)
        measured = execution_value(execution, figure)
        assert high is None and low is not None and measured is not None
        # A histogram shows the upper end of a cell.
        assert low <= np.quantile(true_ns, share, method="inverted_cdf") * 1.001
        assert low == measured - execution.record.launch.foreign_ns  # type: ignore[operator]


def losing(lost_ns: int, load: LoadEvidence | None = None) -> ExecutionEvidence:
    """An execution of a service whose processors others used for this time."""
    execution = next(
        one for one in honest_services().evidence().cells if one.cell.id == service_cell(FASTIFY)
    ).completed[0]
    changes = {"foreign_ns": lost_ns, "foreign_source": "cpuacct", "steal_ns": 0}
    launch = execution.record.launch.model_copy(update=changes)
    record = execution.record.model_copy(update={"launch": launch})
    return replace(execution, record=record, load=load or execution.load)


def test_a_latency_that_others_may_have_made_alone_has_no_lower_limit() -> None:
    """Nor has the latency of several hosts, each of which has a lost time of its own."""
    value = execution_value(losing(0), "p50")
    assert value is not None
    limit = EXECUTION_BOUNDS["foreign_time"]
    assert limit(losing(int(value) - 1), "p50") == (value - int(value) + 1, None)
    assert limit(losing(int(value)), "p50") == (None, None)
    one = losing(1)
    spread = one.cell.model_copy(
        update={"factors": one.cell.factors.model_copy(update={"hosts": 2})}
    )
    assert limit(replace(one, cell=spread), "p50") == (None, None)
