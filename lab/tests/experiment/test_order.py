"""The order is random, mirrored, blocked, and repeatable."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.signal import lfilter

from experiment.plans import cell
from runfair.experiment.order import planned_executions
from runfair.formats.plan import Cell, Probing
from runfair.probing.observation import removes_checks
from runfair.statistics.comparison import paired_ratio

REPETITIONS = 100


def test_each_block_is_an_order_and_its_mirror() -> None:
    cells = [cell(variant=name) for name in ("a", "b", "c")]
    planned = planned_executions(cells, executions=6, pilots=0, seed=1)
    for block in (1, 2, 3):
        names = [one.cell for one in planned if one.block == block]
        assert len(names) == 6
        assert names[:3] == names[3:][::-1]
        assert sorted(names[:3]) == sorted(one.id for one in cells)


def test_groups_are_not_mixed_within_a_block() -> None:
    cells = [
        cell(variant=name, benchmark=benchmark)
        for benchmark in ("sort", "sudoku")
        for name in ("a", "b")
    ]
    planned = planned_executions(cells, executions=2, pilots=0, seed=3)
    benchmarks = [one.cell.split("/")[0] for one in planned]
    assert benchmarks in (["sort"] * 4 + ["sudoku"] * 4, ["sudoku"] * 4 + ["sort"] * 4)


def works() -> list[Cell]:
    """Two works, cold and steady; the first is a sweep over two numbers of threads."""
    return [
        cell(
            id=f"{benchmark}/{threads}/{mode}/{name}",
            variant=name,
            benchmark=benchmark,
            mode=mode,
            threads=threads,
        )
        for mode in ("steady", "cold")
        for benchmark, threads in (("sort", 1), ("sort", 2), ("sudoku", 1))
        for name in ("a", "b", "c")
    ]


@pytest.mark.parametrize("seed", range(8))
def test_a_cold_work_is_complete_before_the_next_begins(seed: int) -> None:
    cells = works()
    by_id = {one.id: one for one in cells}
    planned = planned_executions(cells, executions=6, pilots=0, seed=seed)
    told = [by_id[one.cell] for one in planned]
    turns = [key for key, _ in groupby((one.mode, one.benchmark) for one in told)]
    assert sorted(turns[:2]) == [("cold", "sort"), ("cold", "sudoku")]
    assert {mode for mode, _ in turns[2:]} == {"steady"}
    assert len(turns) > 4  # steady works take turns, block after block


def test_a_sweep_of_cold_programs_is_interleaved() -> None:
    cells = works()
    by_id = {one.id: one for one in cells}
    planned = planned_executions(cells, executions=6, pilots=0, seed=1)
    blocks = [
        key
        for key, _ in groupby(
            (one.block, by_id[one.cell].threads)
            for one in planned
            if (by_id[one.cell].mode, by_id[one.cell].benchmark) == ("cold", "sort")
        )
    ]
    assert [block for block, _ in blocks] == [1, 1, 2, 2, 3, 3]


def test_every_cold_work_comes_first_under_some_seed() -> None:
    cells = works()
    first = {planned_executions(cells, 2, 0, seed)[0].cell.split("/")[0] for seed in range(20)}
    assert first == {"sort", "sudoku"}


def test_pilots_come_before_steady_cells_and_only_for_them() -> None:
    cells = [cell(variant="a"), cell(variant="a", mode="cold")]
    planned = planned_executions(cells, executions=2, pilots=2, seed=1)
    assert [one.cell for one in planned] == [cells[1].id] * 2 + [cells[0].id] * 4
    assert [one.role for one in planned] == ["block"] * 2 + ["pilot"] * 2 + ["block"] * 2


def test_lines_are_told_last_and_once_for_the_same_work() -> None:
    cells = [
        cell(variant="a", lines=True),
        cell(variant="a", mode="cold", lines=True),
        cell(variant="b", lines=True),
        cell(variant="c"),
        cell(variant="d", lines=True, unsupported="no"),
    ]
    planned = planned_executions(cells, executions=2, pilots=1, seed=1)
    assert [one.cell for one in planned[-2:]] == [cells[0].id, cells[2].id]
    assert [one.role for one in planned].count("lines") == 2


def test_what_is_unsupported_is_not_planned() -> None:
    cells = [cell(variant="a"), cell(variant="b", unsupported="no")]
    planned = planned_executions(cells, executions=2, pilots=0, seed=1)
    assert {one.cell for one in planned} == {cells[0].id}


def test_an_odd_number_cannot_be_mirrored() -> None:
    with pytest.raises(ValueError, match="even"):
        planned_executions([cell()], executions=3, pilots=0, seed=1)


def test_different_seeds_give_different_orders() -> None:
    cells = [cell(variant=str(number)) for number in range(8)]
    orders = {
        tuple(one.cell for one in planned_executions(cells, executions=2, pilots=0, seed=seed))
        for seed in range(20)
    }
    assert len(orders) > 15


@given(
    variants=st.integers(1, 6),
    pairs=st.integers(1, 5),
    seed=st.integers(0, 2**63),
)
def test_every_cell_gets_its_executions_and_the_seed_alone_decides(
    variants: int, pairs: int, seed: int
) -> None:
    cells = [cell(variant=str(number)) for number in range(variants)]
    planned = planned_executions(cells, executions=2 * pairs, pilots=0, seed=seed)
    assert Counter(one.cell for one in planned) == {one.id: 2 * pairs for one in cells}
    assert len({one.id for one in planned}) == len(planned)
    assert planned == planned_executions(cells, executions=2 * pairs, pilots=0, seed=seed)


def service(name: str, **changes: Any) -> Cell:
    """Services of one operating point: their benchmark, and the variant that each runs on."""
    return cell(variant=name, mode="service", benchmark="pay", **changes)


def test_services_come_last_in_blocks_of_their_own() -> None:
    cells = [service("a"), cell(variant="a"), service("b"), cell(variant="a", mode="cold")]
    planned = planned_executions(cells, executions=4, pilots=1, seed=1, service_executions=6)
    first = next(place for place, one in enumerate(planned) if "service" in one.cell)
    assert all("service" in one.cell for one in planned[first:])
    assert Counter(one.cell for one in planned[first:]) == {cells[0].id: 6, cells[2].id: 6}
    for block in (1, 2, 3):
        names = [one.cell for one in planned[first:] if one.block == block]
        assert names[:2] == names[2:][::-1]


def test_services_have_no_pilots() -> None:
    planned = planned_executions([service("a")], executions=2, pilots=2, seed=1)
    assert {one.role for one in planned} == {"block"}


def test_a_single_execution_of_each_service_has_no_mirror() -> None:
    cells = [service("a"), service("b")]
    planned = planned_executions(cells, executions=2, pilots=0, seed=1, service_executions=1)
    assert Counter(one.cell for one in planned) == {one.id: 1 for one in cells}
    assert {(one.block, one.role) for one in planned} == {(1, "block")}
    assert [one.position for one in planned] == [0, 1]


@pytest.mark.parametrize("count", [3, 5])
def test_an_odd_number_of_services_cannot_be_mirrored(count: int) -> None:
    with pytest.raises(ValueError, match="even"):
        planned_executions([service("a")], 2, pilots=0, seed=1, service_executions=count)


def test_a_service_that_cannot_run_is_not_planned() -> None:
    cells = [service("a"), service("b", unsupported="no")]
    planned = planned_executions(cells, executions=2, pilots=0, seed=1, service_executions=2)
    assert {one.cell for one in planned} == {cells[0].id}


VARIANTS = [f"v{number}" for number in range(6)]
COLD_SECONDS, STEADY_SECONDS = (0.2, 0.2, 0.3, 0.5, 0.6, 2.5), (4.0, 4.0, 4.0, 8.0, 8.0, 6.0)
MACHINES = ("even", "drift", "step", "wander")


def speed(kind: str, seconds: int, random: np.random.Generator) -> NDArray[np.float64]:
    """The machine's speed in each second of a run, as a logarithm: it drifts by 4%, jumps by 4%, or
    wanders by 3% with a memory of a minute."""
    if kind == "drift":
        return np.linspace(0, 0.04, seconds)
    if kind == "step":
        return np.where(np.arange(seconds) > random.integers(seconds), 0.04, 0.0)
    if kind == "wander":
        kept = float(np.exp(-1 / 60))
        moves = random.normal(0, 0.03 * np.sqrt(1 - kept**2), seconds)
        moves[0] = random.normal(0, 0.03)
        return np.asarray(lfilter([1.0], [1.0, -kept], moves), dtype=np.float64)
    return np.zeros(seconds)


@pytest.mark.parametrize("kind", MACHINES)
def test_what_a_machine_does_makes_no_difference_between_equal_cold_programs(kind: str) -> None:
    """Ratios of a cold work, six executions that differ by 1.5%, in a run with another cold work
    and two steady ones: 5% of the intervals miss the truth, whatever the machine does."""
    cells = [
        cell(variant=name, benchmark=benchmark, mode=mode)
        for mode in ("cold", "steady")
        for benchmark in ("sort", "sudoku")
        for name in VARIANTS
    ]
    seconds = {
        one.id: (COLD_SECONDS if one.mode == "cold" else STEADY_SECONDS)[int(one.variant[1:])]
        for one in cells
    }
    asked = {one.id: one.variant for one in cells if (one.mode, one.benchmark) == ("cold", "sort")}
    random = np.random.default_rng(MACHINES.index(kind))
    false = []
    for seed in range(REPETITIONS):
        planned = planned_executions(cells, executions=6, pilots=0, seed=seed)
        began = np.cumsum([0.0, *(seconds[one.cell] for one in planned)])
        level = speed(kind, int(began[-1]) + 1, random)
        values: dict[str, list[tuple[int, int, float]]] = {name: [] for name in VARIANTS}
        for one, second in zip(planned, began, strict=False):
            if one.cell in asked:
                value = float(np.exp(level[int(second)] + random.normal(0, 0.015)))
                values[asked[one.cell]].append((one.block, one.position, value))
        sides = [[value for *_, value in sorted(told)] for told in values.values()]
        ratios = [paired_ratio(side, sides[0]) for side in sides[1:]]
        false += [one.p is not None and one.p < 0.05 for one in ratios]
    # Three standard errors of as many runs, as if a run's five ratios were one.
    assert np.mean(false) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / REPETITIONS)


def test_what_runs_under_the_probe_comes_last_and_once_for_each_cell() -> None:
    cells = [
        cell(variant="a", language="python", probe=True),
        cell(variant="b", probe=True, unsupported="none here"),
        cell(variant="c"),
        cell(variant="d", probe=True, broken_input="it is empty"),
    ]
    planned = planned_executions(cells, executions=6, pilots=1, seed=5)
    assert [one.cell for one in planned if one.role == "probe"] == [cells[0].id]
    assert planned[-1].role == "probe"
    assert sum(one.cell == cells[0].id and one.role == "block" for one in planned) == 6


@pytest.mark.parametrize(
    ("language", "probe", "positions"),
    [
        ("python", True, [0]),
        ("python", "all", [0, 1, 2]),  # the modes
        # The instructions of an iteration are the difference between two executions.
        ("rust", True, [0, 1]),
        ("rust", "all", [0, 1]),
    ],
)
def test_a_cell_is_probed_in_one_or_several_executions(
    language: str, probe: Probing, positions: list[int]
) -> None:
    planned = planned_executions([cell(language=language, probe=probe)], 2, 0, 1)
    assert [one.position for one in planned if one.role == "probe"] == positions


@pytest.mark.parametrize(("probe", "positions"), [(False, [0]), ("all", [0, 1, 2, 3])])
def test_the_execution_without_checks_is_the_last(probe: Probing, positions: list[int]) -> None:
    one = cell(language="javascript", probe=probe, checks=["solve"])
    planned = planned_executions([one], 2, 0, 1)
    assert [each.position for each in planned if each.role == "probe"] == positions
    assert [removes_checks(one, at) for at in positions] == [False] * positions[-1] + [True]
    assert not removes_checks(cell(language="javascript", probe=probe), positions[-1])
