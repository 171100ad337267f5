"""Crossovers of simulated programs whose truth is known."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from evidence.honest_run import GCC, GO, JAVA, PYTHON, cell_id, honest_run
from result.test_run import result_of
from runfair.formats.crossover import DeclaredCrossover
from runfair.formats.finding import VerdictState
from runfair.formats.plan import Plan
from runfair.formats.result import Bounds, CellResult, Crossover, Figure, Interval, RunResult
from runfair.result.crossover import crossovers

PLACES = (1, 100, 10_000)
PIECES = DeclaredCrossover(workloads=["spawn", "worker"], figure="tasks.p50")
DECLARED = {"pieces": {"rounds": PIECES}}


def piece(
    workload: str,
    rounds: int,
    interval: Interval | None,
    *,
    bounds: Bounds | None = None,
    verdict: VerdictState = "fair",
    variant: str = GCC.name,
) -> CellResult:
    """A cell whose 1,000 pieces take a time in this interval."""
    (cell,) = [one for one in result_of(honest_run()).cells if one.id == cell_id(GCC)]
    figure = Figure(
        unit="ns",
        value=None if verdict == "void" else sum(interval or (1, 1)) / 2,
        interval=interval,
        bounds=bounds,
        verdict=verdict,
    )
    update = {
        "id": f"{variant}-{workload}-{rounds}",
        "benchmark": "pieces",
        "workload": workload,
        "variant": variant,
        "own": f"tasks=256 rounds={rounds}",
        "parameters": {"tasks": 256, "rounds": rounds},
        "figures": {"tasks.p50": figure},
    }
    return cell.model_copy(update=update)


def program(share: float = 0.05, variant: str = GCC.name, dearer: float = 3) -> list[CellResult]:
    """A new task takes 1,000 ns and 2 ns for each number, a worker 100 ns and `dearer` ns: 900
    numbers take the same time if a number costs a worker 3 ns."""

    def around(time: float) -> Interval:
        return time * (1 - share), time * (1 + share)

    return [
        cell
        for rounds in PLACES
        for cell in (
            piece("spawn", rounds, around(1000 + 2 * rounds), variant=variant),
            piece("worker", rounds, around(100 + dearer * rounds), variant=variant),
        )
    ]


def one(cells: Sequence[CellResult]) -> Crossover:
    (found,) = crossovers(cells, DECLARED)
    return found


def of_result(*cells: CellResult) -> RunResult:
    result = result_of(honest_run())
    return result.model_copy(
        update={"cells": list(cells), "crossovers": [*crossovers(cells, DECLARED)]},
    )


def test_the_size_at_which_a_new_task_costs_as_much_as_a_worker() -> None:
    found = one(program(share=1e-6))
    assert found.bounds == pytest.approx((900, 900), rel=0.01)
    assert (found.below, found.above, found.verdict) == ("worker", "spawn", "fair")
    assert (found.parameter, found.places) == ("rounds", [1, 100, 10_000])
    assert found.cells[:2] == [f"{GCC.name}-spawn-1", f"{GCC.name}-worker-1"]


def test_the_limits_come_from_the_intervals() -> None:
    low, high = one(program()).bounds
    assert low is not None
    assert high is not None
    assert 100 < low < 850
    assert 950 < high < 10_000


def test_bounds_stand_in_for_the_interval() -> None:
    cells = program()
    cells[4] = piece("spawn", 10_000, (1, 2), bounds=(None, 21_000), verdict="flagged")
    found, usual = one(cells), one(program())
    assert found.bounds[0] is not None
    assert usual.bounds[0] is not None
    assert (found.bounds[0] < usual.bounds[0], found.verdict) == (True, "flagged")
    open_ended = [*program()[:4], piece("spawn", 10_000, (1, 2), bounds=(1, None)), program()[5]]
    assert one(open_ended).bounds[1] is None


def test_a_time_without_bounds_or_interval_is_unknown() -> None:
    cells = program()
    cells[4] = piece("spawn", 10_000, None)
    assert (one(cells).bounds[1], one(cells).above) == (None, None)


def test_a_program_whose_workers_are_always_cheaper_has_none() -> None:
    found = one(program(share=0.01, dearer=1))
    assert (found.bounds, found.below, found.above) == ((None, None), "worker", "worker")


def test_void_times_are_left_out_while_two_sizes_remain() -> None:
    cells = program()
    cells[2] = piece("spawn", 100, None, verdict="void")
    found = one(cells)
    assert (found.places, found.verdict) == ([1, 10_000], "fair")
    assert None not in found.bounds
    cells[0] = piece("spawn", 1, None, verdict="void")
    void = one(cells)
    assert (void.verdict, void.bounds, void.below) == ("void", (None, None), None)


def test_programs_are_compared_only_with_themselves() -> None:
    found = [*crossovers([*program(), *program(variant=GO.name, dearer=1)], DECLARED)]
    assert [None in each.bounds for each in found] == [False, True]
    spawned = [cell for cell in program() if cell.workload == "spawn"]
    assert [*crossovers(spawned, DECLARED)] == []
    assert [*crossovers(program()[:2], DECLARED)] == []
    others = [cell.model_copy(update={"threads": 2}) for cell in program()[:4]]
    assert one([*others, *program()[4:]]).places == [1, 100]


def test_only_what_a_benchmark_declares_is_compared() -> None:
    """Each declaration is of one benchmark, parameter, figure and pair of workloads."""
    cells = program()
    assert [*crossovers(cells, {})] == []
    assert [*crossovers(cells, {"walks": {"rounds": PIECES}})] == []
    assert [*crossovers(cells, {"pieces": {"tasks": PIECES}})] == []
    for field, other in (("figure", "wall"), ("workloads", ["spawn", "pool"])):
        declared = PIECES.model_copy(update={field: other})
        assert [*crossovers(cells, {"pieces": {"rounds": declared}})] == []
    idle = [cell.model_copy(update={"workload": "idle"}) for cell in cells[:2]]
    assert one([*idle, *cells]).bounds == one(cells).bounds
    turned = PIECES.model_copy(update={"workloads": ["worker", "spawn"]})
    (found,) = crossovers(cells, {"pieces": {"rounds": turned}})
    assert (found.bounds, found.below, found.above) == (one(cells).bounds, "worker", "spawn")
    assert found.cells[:2] == [f"{GCC.name}-worker-1", f"{GCC.name}-spawn-1"]


def test_a_result_has_those_that_its_plan_declares() -> None:
    run = honest_run()
    for runtime, workload, rounds, middle in (
        (GCC, "spawn", 1, 300_000),
        (GO, "worker", 1, 100_000),
        (JAVA, "spawn", 101, 300_000),
        (PYTHON, "worker", 101, 900_000),
    ):

        def draw(execution: int, _: int, middle: int = middle) -> list[int]:
            return [middle + 100 * execution] * 400

        run = run.sampling(cell_id(runtime), draw).with_cell(
            cell_id(runtime),
            variant=GCC.name,
            language="c++",
            workload=workload,
            own=f"rounds={rounds}",
            parameters={"rounds": rounds},
        )
        run = run.with_starts(cell_id(runtime), workload=workload)
    assert result_of(run).crossovers == []
    lateness = PIECES.model_copy(update={"figure": "lateness.p50"})
    (found,) = result_of(run.with_plan(crossovers={"sudoku": {"rounds": lateness}})).crossovers
    assert found.bounds == pytest.approx((26, 26), abs=1)
    assert (found.below, found.above, found.figure) == ("worker", "spawn", "lateness.p50")


def test_a_plan_of_an_older_version_declares_none() -> None:
    plan = honest_run().with_plan(crossovers=DECLARED).plan
    assert Plan.model_validate_json(plan.model_dump_json()) == plan
    older = plan.model_dump_json(exclude={"crossovers"})
    assert Plan.model_validate_json(older).crossovers == {}
