"""The order is random, mirrored, blocked, and repeatable."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiment.plans import cell
from runfair.experiment.order import planned_executions
from runfair.formats.plan import Cell


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


def test_pilots_come_first_and_only_for_steady_cells() -> None:
    cells = [cell(variant="a"), cell(variant="a", mode="cold")]
    planned = planned_executions(cells, executions=2, pilots=2, seed=1)
    pilots = [one for one in planned if one.role == "pilot"]
    assert planned[: len(pilots)] == pilots
    assert [one.cell for one in pilots] == [cells[0].id, cells[0].id]


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
