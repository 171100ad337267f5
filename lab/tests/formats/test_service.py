"""What crosses the boundary of a service's records comes back as it was, and nothing else does."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from evidence.honest_services import FASTIFY, honest_services, service_cell
from evidence.two_hosts import SECOND_CLOCK, launched, on_two_hosts
from experiment.plans import cell, execution, plan
from runfair.experiment.order import planned_executions
from runfair.fairness.figures import NAMED
from runfair.formats.distribution import SHARES as SHARES_OF_SAMPLES
from runfair.formats.execution import Execution
from runfair.formats.load_result import LoadResult
from runfair.formats.place import Clock
from runfair.formats.plan import Plan
from runfair.formats.result import CellResult
from runfair.formats.service import (
    SHARES,
    CapacityFound,
    ColdStart,
    DatabaseTable,
    DatabaseUse,
    Objective,
    OperatingPoint,
    Served,
    ServedLoad,
    ServicePoint,
    Usage,
)

POINT: dict[str, Any] = {"rate_per_s": 500, "traffic": "pay.jsonl", "traffic_sha256": "0" * 64}
SERVED = Served(
    start=ColdStart(process_ns=1, ready_ns=2, first_answer_ns=3),
    loads=[
        ServedLoad(
            name="operating-point",
            purpose="operating_point",
            rate_per_s=500,
            started_monotonic_ns=4,
            elapsed_ns=5,
            scheduled=6,
            good=5,
            failed=1,
            verdict="flagged",
        )
    ],
    capacity=CapacityFound(
        highest_met_per_s=None, lowest_missed_per_s=900.5, confidence=0.95, observations=12
    ),
    events=0,
    database="PostgreSQL 15.3",
    ignored_stop=True,
)


ROWS = DatabaseTable(name="orders", columns="id int", primary_key=["id"], rows="orders.csv")


@pytest.mark.parametrize(
    ("changes", "of_database"),
    [
        ({"traffic_sha256": "1" * 64}, {}),
        ({"feed": "/a/users.csv", "feed_sha256": "1" * 64}, {}),
        ({"streams": 2}, {}),
        ({}, {"url": "postgresql://me:secret@here/shop?password=secret"}),
        ({}, {"url": "postgresql://you@here/shop"}),
        ({}, {"place": "far"}),
        ({}, {"tables": [ROWS.model_copy(update={"rows": "/other/orders.csv"})]}),
    ],
)
def test_whatever_is_not_compared_has_other_settings(
    changes: dict[str, Any], of_database: dict[str, Any]
) -> None:
    def service(point: dict[str, Any], database: dict[str, Any]) -> ServicePoint:
        use = DatabaseUse(**{"round_trip_ns": 1, "tables": [ROWS], **database})
        asked = OperatingPoint(**{"feed": "users.csv", "feed_sha256": "0" * 64, **POINT, **point})
        return ServicePoint(kind="command", point=asked, database=use)

    first, second = service({}, {}), service(changes, of_database)
    assert first.asked != second.asked
    assert first.settings != second.settings
    assert "1 request on a connection" in first.settings
    assert "secret" not in "".join(second.settings)


def test_a_plan_of_services_comes_back() -> None:
    database = DatabaseUse(
        round_trip_ns=10**6,
        tables=[DatabaseTable(name="t", columns="id int", primary_key=["id"], rows="t.csv")],
    )
    point = OperatingPoint(
        **POINT, objective=Objective(percentile="p99_9", limit_ns=1), curve_per_s=[1.5, 2]
    )
    cells = [
        cell(mode="service", service=ServicePoint(kind="program", point=point, database=database))
    ]
    whole = plan(cells, planned_executions(cells, executions=2, pilots=0, seed=1))
    assert Plan.model_validate_json(whole.model_dump_json()) == whole


def test_an_execution_of_a_service_comes_back() -> None:
    cells = [cell(mode="service")]
    (planned, _) = planned_executions(cells, executions=2, pilots=0, seed=1)
    record = execution(planned, served=SERVED)
    assert Execution.model_validate_json(record.model_dump_json().encode()) == record


def test_a_program_is_no_service_and_has_been_served_by_nobody() -> None:
    cells = [cell()]
    (planned, _) = planned_executions(cells, executions=2, pilots=0, seed=1)
    assert cells[0].service is None
    assert execution(planned).served is None


def test_what_the_simulated_generator_says_is_what_is_read() -> None:
    run = honest_services()
    load = run.loads[run.ids(FASTIFY)[0]]
    assert LoadResult.model_validate_json(load.result.model_dump_json()) == load.result
    for look in load.usage[:2]:
        assert Usage.model_validate_json(look.model_dump_json()) == look


@pytest.mark.parametrize(
    "changes",
    [
        {"rate_per_s": 0},
        {"connections": 0},
        {"check_share": 0},
        {"check_share": 1.5},
        {"arrivals": "bursts"},
        {"pacing": "slow"},
        {"objective": {"percentile": "p95", "limit_ns": 1}},
        {"objective": {"percentile": "p99", "limit_ns": 0}},
        {"traffic_sha256": None},
        {"speed": 1},
    ],
)
def test_what_is_no_operating_point(changes: dict[str, Any]) -> None:
    OperatingPoint.model_validate(POINT)
    with pytest.raises(ValidationError):
        OperatingPoint.model_validate({**POINT, **changes})


def test_percentiles_have_one_name_everywhere() -> None:
    assert set(SHARES) <= set(NAMED)
    assert [*SHARES_OF_SAMPLES] == [*SHARES, "max"]
    assert list(SHARES.values()) == sorted(SHARES.values())


def test_services_are_compared_at_one_operating_point() -> None:
    """Cells of other rates, connections or arrivals stand in other tables."""
    points = [
        POINT,
        {**POINT, "rate_per_s": 501},
        {**POINT, "connections": 51},
        {**POINT, "arrivals": "poisson"},
    ]
    cells = [
        cell(mode="service", service=ServicePoint(kind="url", point=OperatingPoint(**one)))
        for one in points
    ]
    assert len({one.group for one in cells}) == len(points)
    frameworks = honest_services().plan.cells
    assert len({one.group for one in frameworks}) == 1
    assert service_cell(FASTIFY) in [one.id for one in frameworks]
    assert CellResult.model_fields["service"].default is None


def test_an_execution_on_two_hosts_comes_back_as_each_saw_it() -> None:
    record = on_two_hosts(launched(cpu_ns=7)).executions[0]
    assert Execution.model_validate_json(record.model_dump_json().encode()) == record
    first, second = record.by_host
    assert (first.host, second.host) == ("first", "second")
    assert (second.launch.cpu_ns, second.place.name) == (7, "service-2")
    assert honest_services().executions[0].by_host == [honest_services().executions[0]]
    # The instances are given to the hosts in turn.
    clocks = [record.clock_of(number) for number in (None, 1, 2, 3, 4)]
    assert clocks == [Clock(), Clock(), SECOND_CLOCK, Clock(), SECOND_CLOCK]
    assert honest_services().executions[0].clock_of(2) == Clock()
