"""Relays that are late themselves, or could not tell what a query is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pytest

from evidence.honest_services import FASTIFY, honest_services, on_loads, on_services, service_cell
from fairness.stories import Story
from runfair.fairness.checks.relay_delay import check
from simulated.requests import IntArray
from simulated.service_load import Load, Relayed

CELL = service_cell(FASTIFY)
MS = 1_000_000


def relayed(
    late_ns: int | IntArray, unparsed: Mapping[str, int] | None = None, queries: int = 1
) -> Callable[[Load], Load]:
    """Queries of each request, of which the relay was late with all, or with each as told."""

    def change(load: Load) -> Load:
        late = np.broadcast_to(np.asarray(late_ns), len(load.requests.kind))
        return replace(load, relayed=Relayed(late, unparsed=unparsed or {}, per_request=queries))

    return change


def late_for_a_few(late_ns: int) -> Callable[[Load], Load]:
    """One in fifty, where p99 is 4 ms: no median shows it."""

    def change(load: Load) -> Load:
        late = np.zeros(len(load.requests.kind), dtype=np.int64)
        late[::50] = late_ns
        return relayed(late)(load)

    return change


STORIES = (
    Story("late by half of the median", on_loads(relayed(1_000_000)), "warning", CELL),
    Story("late in one execution alone", on_loads(relayed(1_000_000), count=1), "warning", CELL),
    Story(
        "late for a few by all that they take", on_loads(late_for_a_few(5 * MS)), "warning", CELL
    ),
    Story("late for a few by a part of it", on_loads(late_for_a_few(1 * MS)), "limitation", CELL),
    Story("late for a few by next to nothing", on_loads(late_for_a_few(MS // 10)), None),
    Story("late by 6% of the median", on_loads(relayed(126_000)), "warning", CELL),
    Story("late by 4% of the median", on_loads(relayed(78_000)), None),
    Story("late by ten microseconds", on_loads(relayed(10_000)), None),
    Story(
        "late by 2% of the median with each of ten queries",
        on_loads(relayed(40_000, queries=10)),
        "warning",
        CELL,
    ),
    Story(
        "late by next to nothing with each of ten queries",
        on_loads(relayed(4_000, queries=10)),
        None,
    ),
    Story(
        "connections that are not what they were said to be",
        on_loads(relayed(0, unparsed={"no PostgreSQL": 2})),
        "limitation",
        CELL,
    ),
    Story("no relay at all", on_services(lambda run: run), None),
)


@pytest.mark.parametrize(("late_ns", "severity"), [(5 * MS, "warning"), (1 * MS, "limitation")])
def test_only_the_percentiles_that_it_lengthened_are_named(late_ns: int, severity: str) -> None:
    run = honest_services().with_loads(FASTIFY, late_for_a_few(late_ns))
    (finding,) = check(run.evidence())
    # One of 50 is within the slowest percent of the queries, and beyond their slowest tenth.
    assert set(finding.figures) == {"p99", "p99_9", "p99_99"}
    assert finding.severity == severity
    assert finding.values["p99_added"] == late_ns / _p99_ns()


def test_the_size_is_the_delay_of_all_queries_of_a_request() -> None:
    run = honest_services().with_loads(FASTIFY, relayed(40_000, queries=10))
    finding = next(one for one in check(run.evidence()) if one.severity == "warning")
    assert set(finding.figures) == {"p50", "p90"}
    assert finding.size == pytest.approx(0.2, rel=0.03)  # 0.4 ms of a median of 2 ms


def _p99_ns() -> int:
    """The least of the executions': what was added is the greatest share of that."""
    (cell,) = [one for one in honest_services().evidence().services if one.cell.id == CELL]
    return min(one.load.latency.value_at(0.99) or 0 for one in cell.completed if one.load)


def test_connections_that_could_not_be_read_are_counted() -> None:
    changed = honest_services().with_loads(FASTIFY, relayed(0, unparsed={"no PostgreSQL": 2}))
    (finding,) = check(changed.evidence())
    assert finding.text == (
        "the relay (the proxy before the database) could not recognise queries on 12 "
        "connections to the database, so it did not time them (no PostgreSQL)"
    )
