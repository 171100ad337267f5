"""Two variants of a run, and two runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from evidence.honest_run import GCC, GO, JAVA, cell_id, honest_run
from evidence.honest_services import FASTIFY, VERTX, honest_services, service_cell
from evidence.records import Records
from result.test_run import coarse, disturbed, drifting
from runfair.errors import UserMistake
from runfair.evidence.run import RunEvidence
from runfair.formats.comparison import ComparedFigure, Comparison
from runfair.report.comparison import comparison_table
from runfair.result.comparison import between_runs, between_variants
from runfair.result.run_differences import differences

GO_CELL = cell_id(GO)
GCC_CELL = cell_id(GCC)
SMALL = "sudoku balanced small steady"  # what the variants' smallest cells have in common


def slower(records: Records, cell: str, factor: float) -> Records:
    """A run in which one cell's iterations took longer."""
    return records.with_series(
        cell, lambda one: ((one[0] * factor).astype(int), (one[1] * factor).astype(int))
    )


def figure_of(comparison: Comparison, cell: str, figure: str) -> ComparedFigure:
    return next(one for one in comparison.figures if (one.cell, one.figure) == (cell, figure))


def test_two_variants_are_compared_in_every_group_they_share(first: RunEvidence) -> None:
    comparison = between_variants(first, GCC.name, GO.name)
    assert len(comparison.figures) == 9
    one = comparison.figures[0]
    assert (one.cell, one.figure) == (SMALL, "wall")
    assert one.value == pytest.approx(1900 / 1200, rel=0.02)
    assert one.value is not None
    assert one.interval is not None
    assert one.interval[0] < one.value < one.interval[1]
    assert one.p is not None
    assert one.p < 0.01
    assert (one.outcome, one.verdict) == ("regression", "fair")


def test_a_variant_that_was_not_measured(first: RunEvidence) -> None:
    with pytest.raises(UserMistake, match="the run did not measure 'gcc-99'; it measured "):
        between_variants(first, GCC.name, "gcc-99")


def test_an_execution_without_its_pair_makes_no_change_likelier() -> None:
    """Of Go's three executions, one is of half a block, so there are two pairs: every sixth order
    of equal values looks like this. Three pairs would be enough."""
    outcomes = [
        figure_of(
            between_variants(
                honest_run().without(GO_CELL, missing).evidence(),
                GCC.name,
                GO.name,
                figures={"memory"},
            ),
            SMALL,
            "memory",
        ).outcome
        for missing in (2, 3)
    ]
    assert outcomes == ["regression", "unclear"]


def test_a_void_side_makes_a_void_comparison() -> None:
    comparison = between_variants(coarse(honest_run(), GO_CELL).evidence(), GCC.name, GO.name)
    cpu = figure_of(comparison, SMALL, "cpu")
    assert (cpu.value, cpu.interval, cpu.bounds, cpu.p) == (None, None, None, None)
    assert (cpu.outcome, cpu.verdict) == ("void", "void")
    assert cpu.reason == (
        "the measured value is void (not valid) in this run; the run's report gives the reason"
    )
    for figure in ("wall", "memory"):
        assert figure_of(comparison, SMALL, figure).outcome == "regression"


def test_what_is_bounded_from_above_may_not_have_become_worse(first: RunEvidence) -> None:
    """Go's wall time is at most what was measured: that it is longer than that of C++ is a matter
    of what others took of it."""
    run = disturbed(honest_run(), GO_CELL).evidence()
    wall = figure_of(between_variants(run, GCC.name, GO.name), SMALL, "wall")
    before = figure_of(between_variants(first, GCC.name, GO.name), SMALL, "wall")
    assert (before.outcome, before.bounds) == ("regression", None)
    assert (wall.value, wall.interval) == (before.value, before.interval)
    assert wall.bounds is not None
    assert wall.bounds[0] is None
    assert wall.bounds[1] == pytest.approx(GO.small_ns / GCC.small_ns, rel=0.02)
    assert (wall.outcome, wall.verdict, wall.reason) == ("unclear", "flagged", "")
    cpu = figure_of(between_variants(run, GCC.name, GO.name), SMALL, "cpu")
    assert (cpu.outcome, cpu.bounds) == ("regression", None)


@pytest.mark.parametrize(
    ("names", "limit", "outcome"),
    [
        ((GO.name, GCC.name), "upper", "unclear"),  # C++ at most, by Go at most
        ((GCC.name, JAVA.name), "lower", "regression"),
        ((JAVA.name, GCC.name), "upper", "improvement"),
    ],
)
def test_a_limit_that_lies_beyond_what_is_allowed_shows_a_change(
    names: tuple[str, str], limit: str, outcome: str
) -> None:
    """C++ is at most what was measured: Java is longer all the more, and C++ shorter; where Go is
    at most that too, nothing is known of the two."""
    run = disturbed(disturbed(honest_run(), cell_id(GCC)), GO_CELL).evidence()
    wall = figure_of(between_variants(run, *names), SMALL, "wall")
    assert wall.outcome == outcome
    assert wall.bounds is not None
    if outcome == "unclear":
        assert wall.bounds == (None, None)
    else:
        assert [end is None for end in wall.bounds] == [limit == "upper", limit == "lower"]


def test_limits_on_both_sides_show_a_change_that_is_greater_than_they_are_apart() -> None:
    """A drift of 10% lets a ratio be off by a fifth either way: 1.58 is beyond, 1.05 is not."""
    run = drifting(honest_run()).evidence()
    wall = figure_of(between_variants(run, GCC.name, GO.name), SMALL, "wall")
    assert wall.bounds is not None and wall.bounds[0] is not None and wall.bounds[1] is not None
    assert 1.03 < wall.bounds[0] < 1.58 < wall.bounds[1]
    assert wall.outcome == "regression"
    back = figure_of(between_variants(run, GO.name, GCC.name), SMALL, "wall")
    assert back.outcome == "improvement"
    near = figure_of(between_variants(run, GO.name, JAVA.name), SMALL, "wall")
    assert near.value == pytest.approx(JAVA.small_ns / GO.small_ns, rel=0.02)
    assert near.outcome == "unclear"


def test_a_bounded_figure_that_did_not_change_lies_within() -> None:
    """A program with one thread lost at most its run-queue delay, a thousandth of its time."""
    noisy = honest_run(2).with_launch_share(GCC_CELL, "foreign_ns", 0.2)
    wall = figure_of(between_runs(honest_run(1).evidence(), noisy.evidence()), GCC_CELL, "wall")
    assert wall.bounds is not None and wall.bounds[0] is not None and wall.bounds[1] is not None
    assert 0.97 < wall.bounds[0] < 1 < wall.bounds[1] < 1.03
    assert (wall.outcome, wall.verdict) == ("within", "flagged")
    strict = between_runs(honest_run(1).evidence(), noisy.evidence(), threshold=0.008)
    assert figure_of(strict, GCC_CELL, "wall").outcome == "unclear"


@pytest.mark.parametrize(
    ("factor", "spoilt", "outcome"),
    [
        (1.3, "first", "regression"),  # at least 1.3 times
        (1.3, "second", "unclear"),
        (0.7, "first", "unclear"),
        (0.7, "second", "improvement"),
        (1.0, "first", "unclear"),
        (1.0, "second", "unclear"),
    ],
)
def test_which_of_two_runs_was_disturbed_tells_what_can_be_said(
    factor: float, spoilt: str, outcome: str
) -> None:
    before, after = honest_run(1), slower(honest_run(2), GO_CELL, factor)
    if spoilt == "first":
        before = disturbed(before, GO_CELL)
    else:
        after = disturbed(after, GO_CELL)
    comparison = between_runs(before.evidence(), after.evidence())
    wall = figure_of(comparison, GO_CELL, "wall")
    assert wall.value == pytest.approx(factor, rel=0.02)
    assert wall.bounds is not None
    assert [end is None for end in wall.bounds] == [spoilt == "second", spoilt == "first"]
    assert (wall.outcome, wall.verdict) == (outcome, "flagged")
    others = [one for one in comparison.figures if (one.cell, one.figure) != (GO_CELL, "wall")]
    assert all(one.bounds is None for one in others)


@pytest.mark.parametrize(("factor", "spoilt"), [(1.3, "first"), (0.75, "second")])
def test_a_limit_within_what_is_allowed_shows_no_change(factor: float, spoilt: str) -> None:
    before, after = honest_run(1), slower(honest_run(2), GO_CELL, factor)
    if spoilt == "first":
        before = disturbed(before, GO_CELL)
    else:
        after = disturbed(after, GO_CELL)
    comparison = between_runs(before.evidence(), after.evidence(), threshold=0.4)
    assert figure_of(comparison, GO_CELL, "wall").outcome == "unclear"


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
        assert (one.outcome, one.reason) == (
            "void",
            ("the program did not do the same work in the two runs"),
        )
    assert figure_of(comparison, cell_id(GCC), "cpu").outcome == "within"


def test_cells_that_one_run_has_alone_are_named(first: RunEvidence) -> None:
    less = honest_run(2).with_cell(GO_CELL, unsupported="not here").evidence()
    assert between_runs(first, less).only_first == [GO_CELL]
    assert between_runs(less, first).only_second == [GO_CELL]


def test_cells_whose_counterpart_could_not_run_are_named() -> None:
    less = honest_run(2).with_cell(GO_CELL, failed_to_build="not here").evidence()
    comparison = between_variants(less, GCC.name, GO.name)
    assert (comparison.only_first, comparison.only_second) == ([GCC_CELL], [])
    comparison = between_variants(less, GO.name, GCC.name)
    assert (comparison.only_first, comparison.only_second) == ([], [GCC_CELL])


def test_runs_without_a_common_cell(first: RunEvidence) -> None:
    nothing = honest_run().with_cells(lambda _: True, unsupported="not here").evidence()
    with pytest.raises(
        UserMistake, match=r"they measured nothing under the same conditions .*; choose two runs"
    ):
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


def test_services_at_another_operating_point_are_told_apart() -> None:
    run = honest_services()
    (cell,) = (one for one in run.plan.cells if one.id == service_cell(FASTIFY))
    assert cell.service is not None
    point = cell.service.point.model_copy(update={"connections": 5})
    service = cell.service.model_copy(update={"point": point})
    other = cell.model_copy(update={"id": f"{cell.id}-5", "service": service})
    both = run.with_plan(cells=[*run.plan.cells, other])
    found = between_variants(both.evidence(), "fastify", "vertx")
    assert found.figures
    assert all(one.cell.endswith(" 200 connections") for one in found.figures)


def test_tiers_of_programs_are_not_mixed() -> None:
    run = honest_run().with_cells(lambda cell: cell.variant == GO.name, tier="boost")
    assert between_variants(run.evidence(), GCC.name, GO.name).figures == []


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


def test_runs_over_several_hosts_are_told_apart_by_all_hosts() -> None:
    first, second = honest_run(1), honest_run(2)
    before = first.on_hosts("a", "b").evidence()
    assert between_runs(before, second.on_hosts("a", "b").evidence()).one_machine
    other = between_runs(before, second.on_hosts("a", "c").evidence())
    assert not other.one_machine
    assert other.differences == ["machine: a, b and a, c"]
    # The last host is slower, so the middle of both is.
    calibration = first.host.calibration
    assert calibration is not None
    slow_ns = round(calibration.reference_ns * 1.08)
    slower_host = calibration.model_copy(update={"reference_ns": slow_ns})
    slow = between_runs(before, second.on_hosts("a", "b", calibration=slower_host).evidence())
    assert figure_of(slow, GO_CELL, "cpu").outcome == "void"
    assert "speeds of the two machines differ" in figure_of(slow, GO_CELL, "cpu").reason


@pytest.mark.parametrize("hosts", [("a", "b"), ("b", "c")], ids=["shared", "other"])
def test_a_run_on_one_host_shows_no_change_beside_a_run_on_several(hosts: tuple[str, str]) -> None:
    before = honest_run(1).on_hosts("a").evidence()
    after = slower(honest_run(2).on_hosts(*hosts), GO_CELL, 1.5).evidence()
    found = figure_of(between_runs(before, after), GO_CELL, "wall")
    assert found.value == pytest.approx(1.5, rel=0.05)
    assert (found.interval, found.outcome) == (None, "unclear")
    alone = slower(honest_run(2).on_hosts("a"), GO_CELL, 1.5).evidence()
    assert figure_of(between_runs(before, alone), GO_CELL, "wall").outcome == "regression"


def test_the_noise_floor_of_every_host_is_allowed() -> None:
    calibration = honest_run().host.calibration
    assert calibration is not None
    noisy = calibration.model_copy(update={"noise_floor_cpu": 0.2})
    spoilt = honest_run().on_hosts("a", "b", calibration=noisy).evidence()
    within = between_variants(spoilt, GCC.name, GO.name)
    assert {one.limit for one in within.figures if one.figure == "cpu"} == {0.2}


def test_machines_of_another_speed_are_not_compared_in_time(first: RunEvidence) -> None:
    calibration = honest_run().host.calibration
    assert calibration is not None
    slow = honest_run().with_calibration(reference_ns=round(calibration.reference_ns * 1.03))
    for other, reason in (
        (
            slow,
            "the speeds of the two machines differ by 3.00%, as runfair's reference loop (constant "
            "work) shows",
        ),
        (
            honest_run().with_host(calibration=None),
            "one of the machines was not calibrated, so it is unknown whether both machines are "
            "equally fast",
        ),
    ):
        comparison = between_runs(first, other.evidence())
        for one in comparison.figures:
            assert (one.outcome == "void") == (one.figure != "memory")
            assert one.reason == (reason if one.figure != "memory" else "")
    lines = differences(first, slow.evidence())
    assert [line.split(":")[0] for line in lines] == ["reference loop"]


def _regressions(comparison: Comparison) -> list[ComparedFigure]:
    return [one for one in comparison.figures if one.outcome == "regression"]


def rate(per_s: int) -> Callable[[int, int], list[int]]:
    return lambda execution, iteration: [per_s + 3 * execution + iteration % 5] * 20


@pytest.mark.parametrize(
    ("better", "outcome"), [("lower", "regression"), ("higher", "improvement")]
)
def test_what_is_better_of_a_distribution_is_declared(better: str, outcome: str) -> None:
    declared = {"unit": "count", "better": better, "percentiles": ["p50"]}
    before = honest_run(1).sampling(GO_CELL, rate(10_000), **declared).evidence()
    after = honest_run(2).sampling(GO_CELL, rate(15_000), **declared).evidence()
    found = figure_of(between_runs(before, after), GO_CELL, "lateness.p50")
    assert found.value == pytest.approx(1.5, rel=0.01)
    assert found.outcome == outcome
    # A count is no time: another machine's speed does not make it doubtful.
    assert found.verdict == "fair"


@pytest.mark.parametrize(
    ("factor", "spoilt", "outcome"),
    [
        (1.5, "first", "improvement"),  # at least so much, of which more is better
        (1.5, "second", "unclear"),
        (0.5, "first", "unclear"),
        (0.5, "second", "regression"),  # at most half
    ],
)
def test_limits_of_what_should_be_great_show_the_opposite(
    factor: float, spoilt: str, outcome: str
) -> None:
    """The time between two mishaps: others on the machine can only have made it longer."""
    declared = {"unit": "ns", "better": "higher", "percentiles": ["p50"]}
    before = honest_run(1).sampling(GO_CELL, rate(10_000), **declared)
    after = honest_run(2).sampling(GO_CELL, rate(round(10_000 * factor)), **declared)
    if spoilt == "first":
        before = disturbed(before, GO_CELL)
    else:
        after = disturbed(after, GO_CELL)
    comparison = between_runs(before.evidence(), after.evidence())
    found = figure_of(comparison, GO_CELL, "lateness.p50")
    assert found.value == pytest.approx(factor, rel=0.01)
    assert found.bounds is not None
    assert [end is None for end in found.bounds] == [spoilt == "second", spoilt == "first"]
    assert found.outcome == outcome


def test_a_bound_is_not_compared() -> None:
    before = honest_run(1).sampling(GO_CELL, rate(10_000))
    after = honest_run(2).sampling(GO_CELL, rate(15_000)).cut_short(GO_CELL, 1, [5])
    found = figure_of(between_runs(before.evidence(), after.evidence()), GO_CELL, "lateness.p50")
    assert (found.value, found.outcome) == (None, "not measured")
    assert found.reason == (
        "an execution ended before all its samples were recorded, so only bounds are known"
    )


@pytest.mark.parametrize("place", [0, 1])
def test_a_value_of_0_has_no_ratio_and_says_so(place: int) -> None:
    """One clock is too coarse for a sample, so its median is 0."""
    samples = [rate(10_000), rate(10_000)]
    samples[place] = lambda _execution, _iteration: [0] * 20
    runs = [
        honest_run(seed).sampling(GO_CELL, value) for seed, value in enumerate(samples, start=1)
    ]
    comparison = between_runs(*(one.evidence() for one in runs))
    found = figure_of(comparison, GO_CELL, "lateness.p50")
    assert (found.value, found.outcome) == (None, "not measured")
    assert found.reason == "a measured value is 0, and with a 0 there is no ratio"
    assert f"not measured: {found.reason} (3 figures)" in comparison_table(comparison).notes


def test_a_distribution_that_one_run_does_not_know_is_not_compared(first: RunEvidence) -> None:
    after = honest_run(2).sampling(GO_CELL, rate(10_000)).evidence()
    assert all(one.figure != "lateness.p50" for one in between_runs(first, after).figures)
    assert all(one.figure != "lateness.p50" for one in between_runs(after, first).figures)
