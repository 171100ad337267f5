"""Windows count in which a program had its processors, or left them idle by itself."""

from __future__ import annotations

import pytest

from runfair.statistics.undisturbed import is_coarse, undisturbed


def test_windows_count_in_which_the_program_had_its_processors() -> None:
    kept = undisturbed([100, 100, 100], [200, 190, 189], 2, taken=0.5)
    assert [*kept] == [True, True, False]


@pytest.mark.parametrize(
    ("taken", "counts"), [(0.0, True), (0.05, True), (0.06, False), (None, False)]
)
def test_idle_windows_count_only_if_others_took_nothing(taken: float | None, counts: bool) -> None:
    assert [*undisturbed([100, 100], [100, 120], 2, taken)] == [counts, counts]


def test_a_program_that_had_its_processors_once_did_not_leave_them_idle() -> None:
    assert [*undisturbed([100, 100], [200, 120], 2, taken=0.0)] == [True, False]


@pytest.mark.parametrize(("resolution_ns", "coarse"), [(1, False), (10, False), (11, True)])
def test_a_clock_is_coarse_if_its_step_hides_a_twentieth(resolution_ns: int, coarse: bool) -> None:
    assert is_coarse([100, 100, 900], resolution_ns, 2) == coarse
    assert is_coarse([100], None, 2)
