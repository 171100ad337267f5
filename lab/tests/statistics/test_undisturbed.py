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


def test_a_program_that_used_its_processors_in_half_of_the_windows_would_always_use_them() -> None:
    assert [*undisturbed([100, 100], [200, 120], 2, taken=0.0)] == [True, False]


@pytest.mark.parametrize(("taken", "counts"), [(0.02, True), (0.2, False), (None, False)])
def test_a_few_busy_windows_of_an_idle_program_are_not_chosen(
    taken: float | None, counts: bool
) -> None:
    """They would show a utilisation that the program does not have."""
    wall_ns, cpu_ns = [100] * 10, [200] + [120] * 9
    assert [*undisturbed(wall_ns, cpu_ns, 2, taken)] == [counts] * 10
    assert sum(undisturbed(wall_ns, cpu_ns, 2, taken, least_kept=0)) == 1


@pytest.mark.parametrize(("resolution_ns", "coarse"), [(1, False), (10, False), (11, True)])
def test_a_clock_is_coarse_if_its_step_hides_a_twentieth(resolution_ns: int, coarse: bool) -> None:
    assert is_coarse([100, 100, 900], resolution_ns, 2) == coarse
    assert is_coarse([100], None, 2)
