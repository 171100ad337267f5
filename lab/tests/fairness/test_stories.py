"""Every check catches its liars and passes their honest neighbours, and no other check cries."""

from __future__ import annotations

import importlib
from functools import cache

import pytest

from evidence.honest_run import honest_run
from fairness.stories import Story
from runfair.fairness.checks import CHECKS, Check
from runfair.fairness.figures import (
    CLOCKED,
    FIGURES,
    LATENCIES,
    OF_PROCESSORS,
    PERCENTILES,
    SAMPLED,
    TIMED,
)
from runfair.formats.finding import FigureName, Finding, Severity

GRAVITY: dict[Severity | None, int] = {None: 0, "limitation": 1, "warning": 2, "fault": 3}


def _stories(check: Check) -> tuple[Story, ...]:
    module = importlib.import_module(f"fairness.checks.test_{check.NAME}")
    stories: tuple[Story, ...] = module.STORIES
    return stories


TOLD = [
    pytest.param(check, story, id=f"{check.NAME}: {story.name}")
    for check in CHECKS
    for story in _stories(check)
]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.NAME)
def test_every_check_has_a_liar_and_an_honest_neighbour(check: Check) -> None:
    told = {story.severity for story in _stories(check)}
    assert told & {"warning", "fault"}
    assert None in told


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.NAME)
def test_every_check_passes_the_honest_run(check: Check) -> None:
    assert list(check.check(honest_run().evidence())) == []


@cache
def _findings(story: Story) -> dict[str, list[Finding]]:
    run = story.tell(honest_run()).evidence()
    return {check.NAME: list(check.check(run)) for check in CHECKS}


@pytest.mark.parametrize(("check", "story"), TOLD)
def test_the_check_says_what_it_should(check: Check, story: Story) -> None:
    found = _findings(story)[check.NAME]
    assert all(finding.check == check.NAME and finding.figures for finding in found)
    if story.severity is None:
        assert found == []
        return
    there = [finding.severity for finding in found if finding.cell == story.cell]
    assert max(there, key=GRAVITY.__getitem__, default=None) == story.severity, found


@pytest.mark.parametrize(("check", "story"), TOLD)
def test_no_unrelated_check_cries(check: Check, story: Story) -> None:
    crying = {name for name, found in _findings(story).items() if found}
    assert crying - {check.NAME} == story.also


# What a check can flag or void; the others: everything.
JUDGED: dict[str, set[FigureName]] = {
    "records": {"wall", "cpu", *LATENCIES, *SAMPLED},
    "driver_bound": {"wall"},
    "database_bound": {"wall"},
    "errors": {*LATENCIES, "cpu"},
    "offered_rate": {*LATENCIES},
    "generator_delay": {*LATENCIES},
    "relay_delay": {*PERCENTILES},
    "clock_offset": {"cpu"},
    "network": {*LATENCIES},
    "omitted_pauses": {*LATENCIES},
    "few_requests": {"p99_99"},
    "traffic": {*LATENCIES},
    "clock": {"wall", "cpu"},
    "foreign_time": {"wall", "start", "first", "work", "cpu", *LATENCIES, *OF_PROCESSORS},
    "disturbed_blocks": {"wall"},
    "wall_over_cpu": {"wall"},
    "throttling": {"wall"},
    "uncounted_time": {"cpu"},
    "order": {*TIMED},
    "hosts": {*TIMED},
    "calibration": {*TIMED, *CLOCKED},
    "memory_method": {"memory"},
}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.NAME)
def test_a_check_judges_its_own_figures_and_leaves_the_others(check: Check) -> None:
    """Over all its stories: CPU time and memory stand where others only took processor time."""
    judged = {
        figure
        for story in _stories(check)
        for finding in _findings(story)[check.NAME]
        if finding.severity != "limitation"
        for figure in finding.figures
    }
    if check.NAME in JUDGED:
        assert judged == JUDGED[check.NAME]
    else:
        assert judged >= {*FIGURES}
