"""Iterations that are not those of the record."""

from __future__ import annotations

from dataclasses import replace

from evidence.honest_run import GCC, ITERATIONS, cell_id, honest_run
from evidence.honest_services import VERTX, on_loads, service_cell
from evidence.records import Series
from fairness.stories import SMALL, Story
from runfair.fairness.checks.records import check
from simulated.requests import SECOND
from simulated.service_load import Load

COLD = cell_id(GCC, mode="cold")


def nothing(series: Series) -> Series:
    return series[0][:0], series[1][:0]


def without_its_warm_up(load: Load) -> Load:
    """The log begins a second late; the generator counted all."""
    counted = load.result
    kept = replace(load, requests=load.requests.after(SECOND))
    # What it says of itself is kept in the place of what these requests would say.
    kept.__dict__["result"] = counted
    return kept


STORIES = (
    Story(
        "the first second of a service's log is missing",
        on_loads(without_its_warm_up, VERTX, 1),
        "fault",
        service_cell(VERTX),
    ),
    Story(
        "a service's failed answers, which no log holds",
        on_loads(lambda load: load.failing(0.005), VERTX),
        None,
        service_cell(VERTX),
        also=frozenset({"errors"}),
    ),
    Story(
        "one iteration is missing",
        lambda run: run.with_records(SMALL, 1, iterations=ITERATIONS + 1),
        "fault",
    ),
    Story(
        "one iteration too many",
        lambda run: run.with_records(SMALL, 1, iterations=ITERATIONS - 1),
        "fault",
    ),
    Story(
        "the iteration of a cold one is missing",
        lambda run: run.with_series(COLD, nothing, 1).with_records(COLD, 1, iterations=1),
        "fault",
        COLD,
    ),
    Story(
        "a failed execution, whose iterations nobody reads",
        lambda run: run.with_records(SMALL, 1, iterations=0).failing(SMALL, 1),
        None,
        also=frozenset({"failures", "executions"}),
    ),
)


def test_both_counts_are_said_and_memory_stands() -> None:
    (finding,) = check(honest_run().with_records(SMALL, 1, iterations=57).evidence())
    assert "57" in finding.text and str(ITERATIONS) in finding.text
    assert finding.values == {"counted": 57, "held": ITERATIONS}
    assert finding.figures == ["wall", "cpu", "sampled"]
