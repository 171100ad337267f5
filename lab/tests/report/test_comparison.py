"""Two variants of a run, and two runs."""

from __future__ import annotations

from typing import Any

import pytest

from fairness.runs import GCC, GO, JAVA, Records, cell_id, honest_run
from fairness.service_runs import FASTIFY, VERTX, honest_services, service_cell
from runfair.errors import UserMistake
from runfair.fairness.evidence import RunEvidence
from runfair.formats.comparison import ComparedFigure, Comparison
from runfair.report.comparison import between_runs, between_variants
from runfair.report.run_differences import differences

GO_CELL = cell_id(GO)


def slower(records: Records, cell: str, factor: float) -> Records:
    """A run in which one cell's iterations took longer."""
    return records.with_series(
        cell, lambda one: ((one[0] * factor).astype(int), (one[1] * factor).astype(int))
    )


def figure_of(comparison: Comparison, cell: str, figure: str) -> ComparedFigure:
    return next(one for one in comparison.figures if (one.cell, one.figure) == (cell, figure))


@pytest.fixture(scope="module")
def first() -> RunEvidence:
    return honest_run(1).evidence()


def test_two_variants_are_compared_in_every_group_they_share(first: RunEvidence) -> None:
    comparison = between_variants(first, GCC.name, GO.name)
    assert len(comparison.figures) == 9
    one = comparison.figures[0]
    assert (one.cell, one.figure) == ("sudoku balanced small steady", "wall")
    assert one.value == pytest.approx(1900 / 1200, rel=0.02)
    assert one.value is not None
    assert one.interval is not None
    assert one.interval[0] < one.value < one.interval[1]
    assert one.p is not None
    assert one.p < 0.01
    assert (one.outcome, one.verdict) == ("regression", "fair")


def test_a_variant_that_was_not_measured(first: RunEvidence) -> None:
    with pytest.raises(UserMistake, match="'gcc-99' was not measured in this run; there are: "):
        between_variants(first, GCC.name, "gcc-99")


def test_a_void_side_makes_a_void_comparison() -> None:
    noisy = honest_run().with_launch_share(GO_CELL, "foreign_ns", 0.2)
    comparison = between_variants(noisy.evidence(), GCC.name, GO.name)
    wall = figure_of(comparison, "sudoku balanced small steady", "wall")
    assert (wall.value, wall.interval, wall.p) == (None, None, None)
    assert (wall.outcome, wall.verdict) == ("void", "void")
    assert figure_of(comparison, "sudoku balanced small steady", "memory").outcome == "regression"


def test_two_runs_of_the_same_truth_do_not_differ(first: RunEvidence) -> None:
    comparison = between_runs(first, honest_run(2).evidence())
    assert len(comparison.figures) == 36
    assert comparison.one_machine
    assert {(one.figure, one.verdict) for one in comparison.figures} == {
        ("cpu", "flagged"),
        ("wall", "flagged"),
        ("memory", "fair"),
    }
    assert {one.outcome for one in comparison.figures} == {"within"}
    stated = [one.p for one in comparison.figures if one.p is not None]
    assert stated
    assert min(stated) > 0.01


def test_one_cell_that_became_slower_is_the_only_regression(first: RunEvidence) -> None:
    comparison = between_runs(first, slower(honest_run(2), GO_CELL, 1.1).evidence())
    worse = [one for one in comparison.figures if one.outcome == "regression"]
    assert {(one.cell, one.figure) for one in worse} == {(GO_CELL, "cpu"), (GO_CELL, "wall")}
    assert all(one.value == pytest.approx(1.1, rel=0.02) for one in worse)
    back = between_runs(slower(honest_run(2), GO_CELL, 1.1).evidence(), first)
    assert figure_of(back, GO_CELL, "cpu").outcome == "improvement"


def test_a_change_within_the_threshold_is_no_regression(first: RunEvidence) -> None:
    second = slower(honest_run(2), GO_CELL, 1.1).evidence()
    assert not _regressions(between_runs(first, second, threshold=0.15))


def test_the_noise_floor_is_allowed_whatever_the_threshold() -> None:
    noisy = honest_run().with_calibration(noise_floor_cpu=0.12, noise_floor_wall=0.01)
    other = slower(honest_run(2), GO_CELL, 1.1).with_calibration(noise_floor_wall=0.02)
    comparison = between_runs(noisy.evidence(), other.evidence(), threshold=0.0)
    cpu, wall, memory = (figure_of(comparison, GO_CELL, one) for one in ("cpu", "wall", "memory"))
    assert (cpu.limit, wall.limit, memory.limit) == (0.12, 0.02, 0.0)
    assert cpu.outcome != "regression"
    assert wall.outcome == "regression"


def test_what_the_machine_became_slower_by_is_allowed() -> None:
    calibration = honest_run().host.calibration
    assert calibration is not None
    slow = honest_run().with_calibration(reference_ns=round(calibration.reference_ns * 1.015))
    comparison = between_runs(honest_run().evidence(), slow.evidence(), threshold=0.0)
    assert figure_of(comparison, GO_CELL, "cpu").limit == pytest.approx(0.015)
    assert figure_of(comparison, GO_CELL, "memory").limit == 0.0


def test_figures_that_are_named_are_the_only_ones(first: RunEvidence) -> None:
    comparison = between_runs(first, first, figures=["memory", "start"])
    assert {one.figure for one in comparison.figures} == {"memory", "start"}
    assert {one.cell for one in comparison.figures if one.figure == "start"} == {
        cell for cell in (one.cell.id for one in first.cells) if "/cold/" in cell
    }


def test_runs_that_did_other_work_are_not_compared(first: RunEvidence) -> None:
    other = honest_run(2).with_cell(GO_CELL, operations={"tries": 1}).evidence()
    comparison = between_runs(first, other)
    for figure in ("cpu", "wall", "memory"):
        one = figure_of(comparison, GO_CELL, figure)
        assert (one.outcome, one.reason) == ("void", "the two runs did not do the same work")
    assert figure_of(comparison, cell_id(GCC), "cpu").outcome == "within"


def test_the_folder_of_the_inputs_is_no_other_work(first: RunEvidence) -> None:
    elsewhere = honest_run().with_cell(GO_CELL, inputs=["/elsewhere/sudoku-small.txt"]).evidence()
    assert differences(first, elsewhere) == []


def test_cells_that_one_run_has_alone_are_named(first: RunEvidence) -> None:
    less = honest_run(2).with_cell(GO_CELL, unsupported="not here").evidence()
    assert between_runs(first, less).only_first == [GO_CELL]
    assert between_runs(less, first).only_second == [GO_CELL]


def test_runs_without_a_common_cell(first: RunEvidence) -> None:
    nothing = honest_run().with_cells(lambda _: True, unsupported="not here").evidence()
    with pytest.raises(UserMistake, match="no cell in common"):
        between_runs(first, nothing)


def test_a_cell_without_executions_is_not_measured(first: RunEvidence) -> None:
    empty = honest_run().without(GO_CELL, 6).evidence()
    outcomes = {
        figure_of(between_runs(first, empty), GO_CELL, one).outcome for one in ("cpu", "memory")
    }
    assert outcomes <= {"void", "not measured"}


def test_services_are_compared_by_their_own_figures() -> None:
    comparison = between_runs(honest_services(1).evidence(), honest_services(2).evidence())
    assert [one.figure for one in comparison.figures] == ["p50", "p99", "cpu", "memory"] * 2
    assert not _regressions(comparison)
    paired = between_runs(honest_services(1).evidence(), honest_services(1).evidence())
    assert {one.value for one in paired.figures} == {1.0}
    assert figure_of(paired, service_cell(FASTIFY), "p99").outcome == "within"


@pytest.mark.parametrize(
    "names", [(FASTIFY.name, VERTX.name), (FASTIFY.variant, VERTX.name)], ids=["tiers", "mixed"]
)
def test_two_services_are_compared_by_name(names: tuple[str, str]) -> None:
    comparison = between_variants(honest_services().evidence(), *names)
    assert [one.figure for one in comparison.figures] == ["p50", "p99", "cpu", "memory"]
    p50, _, cpu, memory = comparison.figures
    assert p50.cell == "pay cards small service 2000/s"
    assert p50.value == pytest.approx(VERTX.median_ns / FASTIFY.median_ns, rel=0.05)
    assert [one.outcome for one in (p50, cpu, memory)] == [
        "improvement",
        "improvement",
        "regression",
    ]


def test_tiers_of_programs_are_not_mixed() -> None:
    run = honest_run().with_cells(lambda cell: cell.variant == GO.name, tier="boost")
    assert between_variants(run.evidence(), GCC.name, GO.name).figures == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"kernel": "6.2"}, "kernel: 6.1 and 6.2"),
        ({"name": "other"}, "machine: host and other"),
        ({"system": "Debian 13"}, "system: Debian GNU/Linux 12 and Debian 13"),
    ],
)
def test_what_differs_of_the_machine_is_named(
    first: RunEvidence, changes: dict[str, Any], said: str
) -> None:
    assert differences(first, honest_run().with_host(**changes).evidence()) == [said]


def test_what_differs_of_plan_and_programs_is_named(first: RunEvidence) -> None:
    assert differences(first, first) == []
    assert differences(first, honest_run().with_plan(profile="full").evidence()) == [
        "profile: quick and full"
    ]
    newer = honest_run().with_variant(GO.name, identity="another build", version="2")
    assert differences(first, newer.evidence()) == ["go-1.26.8, its version: 1 and 2"]
    rebuilt = honest_run().with_variant(GO.name, identity="another build")
    assert differences(first, rebuilt.evidence()) == [
        "go-1.26.8 says something else of itself in each run"
    ]
    flags = honest_run().with_flags(JAVA, "-Xint")
    assert differences(first, flags.evidence()) == [
        "the flags that the programs were built with, of temurin-25+g1-gc"
    ]
    work = honest_run().with_cell(GO_CELL, digest="f" * 16, inputs=["other.txt"])
    assert differences(first, work.evidence()) == [
        "the work itself (answer, operations, parameters), of go-1.26.8",
        "the input files, of go-1.26.8",
    ]


def test_another_machine_is_told_apart_by_its_name_and_processors(first: RunEvidence) -> None:
    others: tuple[dict[str, Any], ...] = (
        {"name": "other"},
        {"processor_model": "faster"},
        {"processors": []},
    )
    for changes in others:
        other = honest_run().with_host(**changes).evidence()
        assert not between_runs(first, other).one_machine
    assert between_runs(first, honest_run().with_host(boot_id="next").evidence()).one_machine


def test_machines_of_another_speed_are_not_compared_in_time(first: RunEvidence) -> None:
    calibration = honest_run().host.calibration
    assert calibration is not None
    slow = honest_run().with_calibration(reference_ns=round(calibration.reference_ns * 1.03))
    for other, reason in (
        (slow, "the reference loops differ by 3.00%"),
        (honest_run().with_host(calibration=None), "one of the machines was not calibrated"),
    ):
        comparison = between_runs(first, other.evidence())
        for one in comparison.figures:
            assert (one.outcome == "void") == (one.figure != "memory")
            assert one.reason == (reason if one.figure != "memory" else "")
    lines = differences(first, slow.evidence())
    assert [line.split(":")[0] for line in lines] == ["reference loop"]


def _regressions(comparison: Comparison) -> list[ComparedFigure]:
    return [one for one in comparison.figures if one.outcome == "regression"]
