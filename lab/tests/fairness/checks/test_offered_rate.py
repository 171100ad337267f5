"""Services beyond their capacity, and closed loops by name or in all but name."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
import pytest

from evidence.honest_services import FASTIFY, honest_services, on_loads, on_services, service_cell
from fairness.stories import Story
from runfair.fairness.checks import generator_delay
from runfair.fairness.checks.offered_rate import check
from runfair.formats.finding import LoadFinding
from simulated.requests import GOOD, MILLISECOND, SECOND, Requests
from simulated.service_load import Load

CELL = service_cell(FASTIFY)
WORK_NS = 600_000


def saturated(load: Load) -> Load:
    """One server that needs 0.6 ms for each of the requests that come every 0.5 ms."""
    intended = load.requests.intended_ns
    done = (np.arange(len(intended)) + 1) * WORK_NS
    return load.with_requests(done_ns=np.maximum(done, intended + WORK_NS))


def nearly_saturated(load: Load) -> Load:
    """Four connections at 2,000/s, each busy for 2 ms with a request."""
    return replace(load, connections=4)


def closed(load: Load) -> Load:
    """One connection that asks again as soon as it was answered, 48,000 times. It waits out every
    pause before it asks, and so meets none."""
    assert load.pauses_ns is not None
    work = np.full(48_000, 500_000, dtype=np.int64)
    sent = np.concatenate(([0], np.cumsum(work)[:-1]))
    for start_ns, end_ns in load.pauses_ns:
        first = int(np.searchsorted(sent + work, start_ns, side="right"))
        sent[first:] += end_ns - sent[first]
    kind = np.full(len(sent), GOOD, dtype=np.int64)
    return replace(
        load, rate_per_s=None, connections=1, requests=Requests(sent, sent, sent + work, kind)
    )


def multiplexed(load: Load, streams: int) -> Load:
    """One connection that carries so many requests at once."""
    allowed = {"allowed": streams, "resets": {}, "go_aways": {}, "grpc_statuses": {}}
    return replace(load, connections=1).telling(protocol="http2", streams=allowed)


# Latencies that grow with the length of the run are nowhere steady; the last half is too short.
GROWING = frozenset({"warm_up", "few_requests"})

STORIES = (
    Story("beyond its capacity", on_loads(saturated), "fault", CELL, GROWING),
    Story("in one execution alone", on_loads(saturated, FASTIFY, 1), "fault", CELL, GROWING),
    # Its pauses cannot be looked for where nothing was meant to go.
    Story("a closed loop", on_loads(closed), "fault", CELL, frozenset({"omitted_pauses"})),
    Story("every connection in use", on_loads(nearly_saturated), "warning", CELL),
    Story(
        "every connection in use in one execution alone",
        on_loads(nearly_saturated, FASTIFY, 1),
        "warning",
        CELL,
    ),
    Story("half of them", on_loads(lambda one: replace(one, connections=8)), None),
    Story("every stream in use", on_loads(lambda one: multiplexed(one, 4)), "warning", CELL),
    Story("half of the streams", on_loads(lambda one: multiplexed(one, 8)), None),
    Story(
        "the pool grew",
        on_loads(lambda one: one.telling(max_connections=300, connections_added=12)),
        "limitation",
        CELL,
    ),
    Story(
        "the pool grew in one execution alone",
        on_loads(lambda one: one.telling(max_connections=300, connections_added=12), FASTIFY, 1),
        "limitation",
        CELL,
    ),
    Story(
        "a pool that could grow and had no need",
        on_loads(lambda one: one.telling(max_connections=300)),
        None,
    ),
    Story(
        "connections were replaced",
        on_loads(lambda one: one.telling(new_connection_every=20)),
        "limitation",
        CELL,
    ),
    Story(
        "no objective was stated",
        on_services(lambda run: run.with_point(objective=None)),
        "limitation",
        CELL,
    ),
    Story("as it should be", on_services(lambda run: run), None),
)


def ending_late(load: Load, achieved: float) -> Load:
    """The last answer comes so late that the run is longer by that much."""
    done = load.requests.done_ns.copy()
    done[-1] = round(24 * SECOND / achieved)
    return load.with_requests(done_ns=done)


@pytest.mark.parametrize(("achieved", "found"), [(0.989, ["fault"]), (0.991, [])])
def test_ninety_nine_in_a_hundred_is_the_limit(achieved: float, found: list[str]) -> None:
    run = honest_services().with_loads(FASTIFY, lambda one: ending_late(one, achieved), 1)
    assert [one.severity for one in check(run.evidence())] == found


@pytest.mark.parametrize(("severity", "found"), [("fault", []), ("warning", ["fault"])])
def test_a_late_generator_does_not_show_the_capacity_of_the_service(
    severity: Literal["fault", "warning"], found: list[str]
) -> None:
    """The generator's own lateness is a fault of its check `rate`, and the server's a warning."""
    said = LoadFinding(check="rate", severity=severity, figures=[], message="seen", advice="")

    def late(load: Load) -> Load:
        return replace(ending_late(load, 0.95), findings=(said,))

    run = honest_services().with_loads(FASTIFY, late, 1).evidence()
    assert [one.severity for one in check(run)] == found
    judged = [one.severity for one in generator_delay.check(run)]
    assert ("fault" in judged) == (severity == "fault")


def test_little_tells_how_many_connections_are_in_use() -> None:
    run = honest_services().with_loads(FASTIFY, nearly_saturated)
    (finding,) = check(run.evidence())
    mean_ns = max(
        float(one.requests.latency_ns.mean())
        for name, one in run.loads.items()
        if name in run.ids(FASTIFY)
    )
    assert mean_ns == pytest.approx(2.1 * MILLISECOND, rel=0.05)
    assert finding.values["connections_used"] == pytest.approx(2000 * mean_ns / 1e9 / 4, rel=0.01)


def test_the_least_that_was_achieved_is_told() -> None:
    found = list(check(honest_services().with_loads(FASTIFY, saturated, 1).evidence()))
    ratios = [one.values["ratio"] for one in found]
    assert ratios == [pytest.approx(500 / WORK_NS * 1000, rel=0.001)]
