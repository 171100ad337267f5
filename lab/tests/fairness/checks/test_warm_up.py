"""Executions that never became steady, or in different ways, or could not tell."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from evidence.honest_run import GCC, JAVA, PYTHON, cell_id, honest_run
from evidence.honest_services import FASTIFY, honest_services, on_loads, service_cell
from evidence.records import EXECUTIONS, Series
from fairness.stories import SMALL, Story
from runfair.evidence.cell import CellEvidence
from runfair.evidence.tail_course import TailCourse
from runfair.fairness.checks.warm_up import check
from runfair.fairness.figures import cell_values
from runfair.fairness.verdict import judge
from runfair.formats.finding import Verdict
from simulated.requests import FloatArray
from simulated.tails import Course, falls_early, falls_late, unchanged

COLD = cell_id(GCC, mode="cold")
WARMING = cell_id(JAVA)
SERVED = service_cell(FASTIFY)


def drifting(series: Series) -> Series:
    """Twice as slow at the end as at the start, and nowhere level."""
    slope = np.linspace(1, 2, len(series[0]))
    return (series[0] * slope).astype(np.int64), (series[1] * slope).astype(np.int64)


def slowing(series: Series) -> Series:
    step = np.where(np.arange(len(series[0])) < 20, 1.0, 1.5)
    return (series[0] * step).astype(np.int64), (series[1] * step).astype(np.int64)


def warming(series: Series) -> Series:
    step = np.where(np.arange(len(series[0])) < 20, 1.5, 1.0)
    return (series[0] * step).astype(np.int64), (series[1] * step).astype(np.int64)


def twice(series: Series) -> Series:
    return np.tile(series[0], 2), np.tile(series[1], 2)


def cut(series: Series) -> Series:
    return series[0][:6], series[1][:6]


def noisy(series: Series) -> Series:
    """As many as there are, back and forth by a tenth."""
    swing = np.where(np.arange(len(series[0])) % 2, 1.1, 0.9)
    return (series[0] * swing).astype(np.int64), (series[1] * swing).astype(np.int64)


def none_of(series: Series) -> Series:
    return series[0][:0], series[1][:0]


STORIES = (
    Story("one never steady", lambda run: run.with_series(SMALL, drifting, 1), "warning"),
    Story(
        "all but one never steady",
        lambda run: run.with_series(SMALL, drifting, EXECUTIONS - 1),
        "warning",
    ),
    Story("all never steady", lambda run: run.with_series(SMALL, drifting), "fault"),
    Story(
        "one slows down, the others do not",
        lambda run: run.with_series(SMALL, slowing, 1),
        "warning",
    ),
    Story(
        "one warms up, the others need not",
        lambda run: run.with_series(SMALL, warming, 1),
        "limitation",
    ),
    Story("too few iterations to tell", lambda run: run.with_series(SMALL, cut, 1), "warning"),
    Story("no iteration to tell", lambda run: run.with_series(SMALL, none_of, 1), "warning"),
    Story(
        "a cold execution of two iterations",
        lambda run: run.with_series(COLD, twice, 1),
        "fault",
        COLD,
    ),
    Story(
        "a tail that falls to the end",
        on_loads(lambda one: one.with_tail(falls_late)),
        "fault",
        SERVED,
    ),
    Story(
        "a tail that falls early",
        on_loads(lambda one: one.with_tail(falls_early)),
        None,
        also=frozenset({"few_requests"}),
    ),
    Story("all slow down alike", lambda run: run.with_series(SMALL, slowing), None),
    Story("all warm up alike", lambda run: run.with_series(cell_id(PYTHON), warming), None),
)


def test_one_that_never_was_steady_did_not_become_so_in_another_way() -> None:
    unread = replace(honest_run(), readings=())
    (finding,) = check(unread.with_series(SMALL, drifting, 2).evidence())
    assert finding.text == "2 of 6 executions never became steady"


def test_of_programs_iterations_are_too_few() -> None:
    (finding,) = check(honest_run().with_series(SMALL, cut, 1).evidence())
    assert finding.text == (
        "it is unknown whether 1 of 6 executions became steady, because there are too few "
        "iterations"
    )


def test_of_noisy_programs_it_is_told_what_the_noise_hides() -> None:
    (finding,) = check(honest_run().with_series(SMALL, noisy, 2).evidence())
    assert re.fullmatch(
        "it is unknown whether 2 of 6 executions became steady, because there are too few "
        "iterations, "
        r"and the noise of their times could hide a change of (\d+)%",
        finding.text,
    )


def test_cold_executions_of_more_than_one_are_counted() -> None:
    (finding,) = check(honest_run().with_series(COLD, twice, 2).evidence())
    assert finding.text == (
        "a cold execution must have exactly one iteration, but 2 of 6 cold executions had none or "
        "several"
    )


def served(course: Course) -> tuple[CellEvidence, dict[str, Verdict]]:
    """A service whose tail takes this course, and the verdicts on it."""
    run = honest_services().with_loads(FASTIFY, lambda one: one.with_tail(course)).evidence()
    (cell,) = (one for one in run.cells if one.cell.id == SERVED)
    (judged,) = (one for one in judge(run).cells if one.cell == SERVED)
    return cell, judged.figures


def test_a_tail_that_fell_is_measured_from_there_on() -> None:
    """p99 fell 3.3 times under a flat median: it was taken for steady from the first request on."""
    cell, verdicts = served(falls_early)
    honest, _ = served(unchanged)
    assert honest.tail == TailCourse()
    load_ns = 24 * 10**9
    assert abs(cell.tail.from_ns / load_ns - 0.4) <= 0.05 and cell.tail.changing is None
    for one in cell.executions:
        assert one.load is not None and one.load.steady_from_ns >= cell.tail.from_ns
    found, truth = cell_values(cell, "p99"), cell_values(honest, "p99")
    assert np.median(found) < 1.1 * np.median(truth)
    assert verdicts["p99"].state == "fair"


def test_a_tail_that_falls_to_the_end_is_at_most_as_measured() -> None:
    cell, verdicts = served(falls_late)
    assert cell.tail.changing == "falls"
    low, high = verdicts["p99"].bounds or (0.0, None)
    assert low is None and high is not None and high >= np.median(cell_values(cell, "p99"))
    assert verdicts["p50"].state == "fair"


def test_a_tail_that_rises_to_the_end_is_at_least_as_measured() -> None:
    def rises_late(instants: FloatArray) -> FloatArray:
        return 4.3 - falls_late(instants)

    cell, verdicts = served(rises_late)
    assert cell.tail.changing == "rises"
    low, high = verdicts["p99"].bounds or (None, 0.0)
    assert high is None and low is not None and low <= np.median(cell_values(cell, "p99"))
