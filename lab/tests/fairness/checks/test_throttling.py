"""Quotas that nobody asked for."""

from __future__ import annotations

from evidence.honest_run import honest_run
from evidence.honest_services import (
    FASTIFY,
    VERTX,
    ServiceRun,
    honest_services,
    on_services,
    service_cell,
)
from evidence.records import MILLISECOND, Records
from evidence.two_hosts import launched, on_two_hosts
from fairness.stories import SMALL, Story
from runfair.fairness.checks.throttling import check
from runfair.formats.plan import Factors

CELL = service_cell(FASTIFY)


def quota(run: Records) -> Records:
    """For every cell, since cells of different factors are not compared."""
    return run.with_cells(lambda _: True, factors=Factors(cpu_quota=0.5)).with_launches(
        SMALL, nr_periods=100, throttled_periods=40, throttled_ns=MILLISECOND
    )


def all_told(run: Records) -> Records:
    for cell in run.plan.cells:
        run = run.with_launches(cell.id, nr_periods=100)
    return run


def held_up(run: ServiceRun, **changes: int) -> Records:
    """Both services were given half a processor, of which the one made use to the end."""
    told = {"nr_periods": 250, "throttled_periods": 0, "throttled_ns": 0, **changes}
    quota_of_both = run.with_cells(lambda _: True, factors=Factors(cpu_quota=0.5))
    other = quota_of_both.with_launches(service_cell(VERTX), **told)
    mine = {"throttled_periods": 10, "throttled_ns": 20 * MILLISECOND, **changes}
    return other.with_launches(CELL, **{**told, **mine})


# Its block was then disturbed.
DISTURBED = frozenset({"disturbed_blocks"})

STORIES = (
    Story(
        "its own group, once",
        lambda run: run.with_launches(SMALL, 1, throttled_periods=1, throttled_ns=1),
        "fault",
        also=DISTURBED,
    ),
    Story(
        "the surrounding group",
        lambda run: run.with_launches(SMALL, 1, ambient_throttled_ns=1),
        "fault",
        also=DISTURBED,
    ),
    Story(
        "the surrounding group, below a quota asked for",
        lambda run: quota(all_told(run)).with_launches(SMALL, 1, ambient_throttled_ns=1),
        "fault",
        also=DISTURBED,
    ),
    Story("a quota asked for", lambda run: quota(all_told(run)), None),
    Story(
        "its own group, told in periods alone",
        lambda run: run.with_launches(SMALL, 1, throttled_periods=1),
        "fault",
        also=DISTURBED,
    ),
    Story(
        "its own group, told in time alone",
        lambda run: run.with_launches(SMALL, 1, throttled_ns=1),
        "fault",
        also=DISTURBED,
    ),
    Story("a service held up by its quota", on_services(held_up), "limitation", CELL),
    Story(
        "a service with a quota that never held it up",
        on_services(lambda run: held_up(run, throttled_periods=0, throttled_ns=0)),
        None,
    ),
    Story(
        "the surrounding group not told",
        lambda run: run.with_launches(SMALL, ambient_throttled_ns=None),
        "limitation",
    ),
)


def test_how_long_a_quota_held_a_service_up_is_told() -> None:
    """Ten of 250 periods of a tenth of a second, in each of six executions."""
    (finding,) = check(held_up(honest_services()).evidence())
    assert finding.text == (
        "the declared CPU quota throttled the program in 4.0% of the quota's periods, "
        "for 120 ms in total"
    )
    assert finding.values == {"throttled_periods": 60, "throttled_ns": 120 * MILLISECOND}
    assert "cpu" not in finding.figures and "p99" in finding.figures


def test_executions_are_counted_and_a_group_not_told_adds_nothing() -> None:
    run = honest_run().with_launches(SMALL, ambient_throttled_ns=None)
    (finding,) = check(run.with_launches(SMALL, 2, throttled_ns=1).evidence())
    assert finding.text == (
        "in 2 of 6 executions, the kernel stopped the program for a time because of a CPU "
        "quota that the experiment does not state"
    )


def test_each_host_of_a_service_is_examined() -> None:
    assert [*check(on_two_hosts(launched(throttled_ns=0)).evidence())] == []
    run = on_two_hosts(launched(throttled_ns=1)).evidence()
    (found,) = [one for one in check(run) if one.cell == CELL]
    assert found.text.startswith("second: in 6 of 6 executions, the kernel stopped the program")
    assert found.values["host"] == "second"
