"""Costs out of a run's evidence: the verdict that they stand under, and why."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evidence.honest_services import OBJECTIVE, VERTX, honest_services, service_cell
from evidence.records import Records
from runfair.decision.service_cost import ServiceCost, State, cost_of
from runfair.fairness.findings import QUIETEN
from runfair.fairness.verdict import judge

CELL = service_cell(VERTX)


def costs(run: Records) -> ServiceCost:
    evidence = run.evidence()
    (one,) = [each for each in evidence.services if each.cell.id == CELL]
    found = cost_of(one, judge(evidence), OBJECTIVE)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("run", "state", "finding"),
    [
        (honest_services(), "fair", ""),
        # Said of a latency, and no reason to doubt it.
        (honest_services().with_launches(CELL, steal_ns=None), "fair", ""),
        (
            honest_services().with_launches(CELL, peak_tree_method="cgroup"),
            "fair",  # nobody asked about memory
            "",
        ),
        (
            honest_services().with_launch_share(CELL, "foreign_ns", 0.2),
            "flagged",
            "other processes used 20.0% of the processors' time",
        ),
    ],
    ids=["honest", "a limitation", "memory by another method", "disturbed"],
)
def test_costs_are_as_good_as_the_figures_that_they_stand_on(
    run: Records, state: State, finding: str
) -> None:
    found = costs(run)
    assert found.state == state
    assert finding in found.findings if finding else found.findings == ()


def test_an_execution_has_the_limits_of_its_doubtful_cpu_time() -> None:
    assert all(one.cpu_limits_ns is None for one in costs(honest_services()).executions)
    short = honest_services().with_loads(
        VERTX, lambda load: replace(load.thinned(3_000), rate_per_s=125.0)
    )
    for one in costs(short).executions:
        assert one.cpu_limits_ns is not None
        assert one.least_cpu_ns < one.own_cpu_ns < one.most_cpu_ns


def test_a_failed_execution_costs_nothing_and_its_place_stays_empty() -> None:
    whole = [one.half_block for one in costs(honest_services()).executions]
    assert sorted(whole) == sorted(set(whole))
    places = [one.half_block for one in costs(honest_services().failing(CELL, 1)).executions]
    assert places == whole[1:]


def test_the_advice_is_that_of_the_doubts_about_the_percentile() -> None:
    assert costs(honest_services()).advice == ()
    disturbed = costs(honest_services().with_launch_share(CELL, "foreign_ns", 0.03))
    assert disturbed.advice == (QUIETEN,)


def test_the_mean_of_a_service_that_others_disturbed_is_at_most_what_was_measured() -> None:
    honest = costs(honest_services()).executions
    assert all(one.least_mean_ns == one.most_mean_ns == one.mean_latency_ns for one in honest)
    disturbed = costs(honest_services().with_launch_share(CELL, "foreign_ns", 0.2)).executions
    assert {one.mean_limits_ns for one in disturbed} == {
        (None, one.mean_latency_ns) for one in disturbed
    }
