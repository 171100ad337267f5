"""Executions that never became steady, or in different ways, or could not tell."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from fairness.runs import EXECUTIONS, GCC, JAVA, PYTHON, Series, cell_id, honest_run
from fairness.stories import SMALL, Story
from runfair.fairness.checks.warm_up import check

COLD = cell_id(GCC, mode="cold")
WARMING = cell_id(JAVA)


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
        "whether 1 of 6 executions were steady cannot be established: too few iterations"
    )


def test_of_noisy_programs_it_is_told_what_the_noise_hides() -> None:
    (finding,) = check(honest_run().with_series(SMALL, noisy, 2).evidence())
    assert re.fullmatch(
        r"whether 2 of 6 executions were steady cannot be established: too few iterations for "
        r"their noise, which would hide a change of (\d+)%",
        finding.text,
    )


def test_cold_executions_of_more_than_one_are_counted() -> None:
    (finding,) = check(honest_run().with_series(COLD, twice, 2).evidence())
    assert finding.text == "2 of 6 cold executions lacked their single iteration"
