"""Ratios of two cells, and the bounds of a ratio of which only limits are known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence.honest_run import GCC, GO, cell_id, cell_named, honest_run
from evidence.records import EXECUTIONS, Series
from result.test_run import cell_of, near, result_of
from runfair.evidence.cell import CellEvidence
from runfair.formats.finding import Verdict
from runfair.formats.result import Bounds
from runfair.result.ratios import (
    Side,
    measured_ratio,
    ratio_bounds,
    unpaired_ratio,
    why_no_ratio,
)
from runfair.statistics.comparison import welch_ratio


def side(cell: CellEvidence, bounds: Bounds | None) -> Side:
    verdict = Verdict(state="fair" if bounds is None else "flagged", bounds=bounds)
    return Side(cell, "wall", verdict)


@pytest.mark.parametrize(
    ("one", "baseline", "ratio"),
    [
        ((2.0, 6.0), (1.0, 4.0), (0.5, 6.0)),
        ((None, 6.0), (1.0, 4.0), (None, 6.0)),
        ((2.0, None), (1.0, 4.0), (0.5, None)),
        ((2.0, 6.0), (None, 4.0), (0.5, None)),
        ((2.0, 6.0), (1.0, None), (None, 6.0)),
        ((None, 6.0), (None, 4.0), (None, None)),
        ((2.0, None), (1.0, None), (None, None)),
        ((0.0, 6.0), (0.0, 4.0), (0.0, None)),
    ],
)
def test_a_ratio_lies_between_least_by_greatest_and_greatest_by_least(
    one: Bounds, baseline: Bounds, ratio: Bounds
) -> None:
    cell = cell_named("a")
    assert ratio_bounds(side(cell, one), side(cell, baseline)) == ratio


def test_where_one_side_alone_is_bounded_the_other_has_its_interval() -> None:
    cell, known = cell_named("a"), cell_of(result_of(honest_run()), GCC).figures["wall"].interval
    assert known is not None
    low, high = known
    free, bounded = side(cell, None), side(cell, (low / 2, low))
    assert ratio_bounds(free, free) is None
    assert ratio_bounds(free, bounded) == near(1, 2 * high / low)
    assert ratio_bounds(bounded, free) == near(low / high / 2, 1)


@pytest.mark.parametrize(
    ("walls_ns", "known"),
    [
        ([2_000_000], False),
        ([2_000_000, 2_600_000], False),  # Student's t reaches from 0.4 to 12 ms
        ([2_000_000, 2_000_000], True),
    ],
)
def test_a_side_without_an_interval_has_bounds_only_if_its_values_are_equal(
    walls_ns: list[int], known: bool
) -> None:
    run = honest_run()
    for number, wall_ns in enumerate(walls_ns):
        # Each change overwrites the first executions.
        left = len(walls_ns) - number
        run = run.with_series(cell_id(GCC), constant(wall_ns), left)
    run = run.without(cell_id(GCC), EXECUTIONS - len(walls_ns))
    few = next(one for one in run.evidence().cells if one.cell.id == cell_id(GCC))
    bounded = side(few, (1.0, 2_000_000.0))
    found = ratio_bounds(bounded, side(few, None))
    assert found is not None
    assert found == (near(1 / 2_000_000, 1.0) if known else (None, None))


def constant(wall_ns: int) -> Callable[[Series], Series]:
    return lambda series: (np.full_like(series[0], wall_ns), np.full_like(series[1], wall_ns))


def ends(values: list[float], unknown: int) -> Bounds:
    """The least and the greatest of these, of which one side may be unknown."""
    return (None if unknown == 1 else min(values), None if unknown == 2 else max(values))


positive = st.floats(1e-3, 1e12)
three = st.lists(positive, min_size=3, max_size=3)
A = cell_named("a")  # built once: the property below asks for hundreds of examples


@given(ours=three, theirs=three, unknown=st.tuples(st.integers(0, 2), st.integers(0, 2)))
def test_no_ratio_of_two_that_lie_within_their_bounds_is_beyond(
    ours: list[float], theirs: list[float], unknown: tuple[int, int]
) -> None:
    found = ratio_bounds(side(A, ends(ours, unknown[0])), side(A, ends(theirs, unknown[1])))
    assert found is not None
    for one, other in product(ours, theirs):
        assert found[0] is None or found[0] <= one / other
        assert found[1] is None or one / other <= found[1]


@pytest.mark.parametrize(("zeros", "known"), [(0, True), (4, False)])
def test_pairs_with_a_value_of_0_are_not_left_out_of_a_ratio(zeros: int, known: bool) -> None:
    """Four waits of 0 ns and two of 40 ns: the two alone would be a ratio near 1."""
    go, gcc = cell_id(GO), cell_id(GCC)
    run = honest_run().sampling(gcc, lambda number, _: [40 + number])
    run = run.sampling(go, lambda number, _: [0 if number < zeros else 41])
    ours, theirs = (
        Side(one, "lateness.p50", Verdict(state="fair"))
        for name in (go, gcc)
        for one in run.evidence().cells
        if one.cell.id == name
    )
    assert (measured_ratio(ours, theirs, "paired") is not None) == known


def test_a_pair_that_was_split_over_two_hosts_is_not_compared() -> None:
    run = honest_run().on_hosts("a", "b")
    split = tuple(
        one.model_copy(update={"host": "a" if one.cell == cell_id(GCC) else "b"})
        for one in run.executions
    )
    evidence = replace(run, executions=split).evidence()
    cells = {one.cell.id: one for one in evidence.cells}
    sides = side(cells[cell_id(GO)], None), side(cells[cell_id(GCC)], None)
    assert measured_ratio(*sides, "paired") is None
    assert "no half-block has both on the same host" in why_no_ratio(*sides)
    whole = {one.cell.id: one for one in run.evidence().cells}
    kept = side(whole[cell_id(GO)], None), side(whole[cell_id(GCC)], None)
    assert measured_ratio(*kept, "paired") is not None


TRUE_RATIO, HOST_SD, PROCESS_SD = 1.25, 0.03, 0.015
Fleet = dict[str, list[float]]


def two_runs(rng: np.random.Generator, hosts: int, *, same: bool) -> tuple[Fleet, Fleet]:
    """Two runs of a program, each over several hosts, whose speeds differ by 3%. The second program
    is slower, and by 3% more or less from host to host. `same`: both runs use the same hosts."""

    def run(names: list[str], factors: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Fleet:
        noise = np.exp(rng.normal(0, PROCESS_SD, (hosts, 10)))
        return {name: [*row] for name, row in zip(names, factors[:, None] * noise, strict=True)}

    first = np.exp(rng.normal(0, HOST_SD, hosts))
    second = first if same else np.exp(rng.normal(0, HOST_SD, hosts))
    names = [f"host{number}" for number in range(2 * hosts)]
    slower = TRUE_RATIO * second * np.exp(rng.normal(0, HOST_SD, hosts))
    return run(names[:hosts] if same else names[hosts:], slower), run(names[:hosts], first)


def covered(found: tuple[float | None, float | None]) -> bool:
    low, high = found
    assert low is not None
    assert high is not None
    return low <= TRUE_RATIO <= high


@pytest.mark.parametrize("same", [True, False], ids=["the same hosts", "other hosts"])
@pytest.mark.parametrize("hosts", [2, 4, 16])
def test_the_ratio_of_two_runs_over_hosts_covers(hosts: int, same: bool) -> None:
    rng = np.random.default_rng([22, hosts, same])
    found = [unpaired_ratio(*two_runs(rng, hosts, same=same)) for _ in range(600)]
    share = sum(covered((one.low, one.high)) for one in found if one is not None) / len(found)
    assert 0.92 <= share <= 0.99


def test_two_runs_whose_executions_forget_their_hosts_do_not_cover() -> None:
    """The liar: all executions count as independent."""
    rng = np.random.default_rng(22)
    hits = 0
    for _ in range(300):
        ours, theirs = (
            [value for values in run.values() for value in values]
            for run in two_runs(rng, 4, same=False)
        )
        ratio = welch_ratio(ours, theirs)
        hits += covered((ratio.low, ratio.high))
    assert hits / 300 < 0.8


def test_a_run_on_one_host_and_a_run_on_several_have_no_interval() -> None:
    ratio = unpaired_ratio({"a": [2.0, 2.1]}, {"b": [1.0, 1.1], "c": [1.2, 1.1]})
    assert ratio is not None
    assert (ratio.low, ratio.high) == (None, None)
