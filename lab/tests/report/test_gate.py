"""A gate closes for what is worse, says what it cannot judge, and never passes silently."""

from __future__ import annotations

import pytest

from evidence.honest_run import GO, honest_run
from evidence.honest_services import FASTIFY, honest_services, service_cell
from fairness.checks.test_generator_delay import starved
from result.test_comparison import GO_CELL, slower
from result.test_run import coarse, disturbed
from runfair.errors import GateNotMet, InvalidResult, UserMistake
from runfair.evidence.run import RunEvidence
from runfair.formats.comparison import Comparison
from runfair.formats.finding import FigureName
from runfair.report.comparison import comparison_table, require_no_regression, summary
from runfair.report.markdown import section
from runfair.result.comparison import between_runs, between_variants


def against(second: RunEvidence) -> Comparison:
    return between_runs(honest_run(1).evidence(), second)


def test_what_did_not_change_passes() -> None:
    comparison = against(honest_run(2).evidence())
    require_no_regression(comparison)
    require_no_regression(comparison, ["cpu", "wall", "memory"])
    assert summary(comparison) == "36 figures: 36 within the allowed change"


def test_a_regression_is_named_with_its_interval_and_what_was_allowed() -> None:
    comparison = against(slower(honest_run(2), GO_CELL, 1.1).evidence())
    with pytest.raises(GateNotMet) as caught:
        require_no_regression(comparison)
    said = str(caught.value)
    assert caught.value.exit_status == 4
    assert said.startswith(
        "2 of 36 measured values became worse by more than the allowed change, for example "
        "sudoku/small"
    )
    assert "whose ratio to the baseline is 1.1" in said
    assert said.endswith("(allowed change: 3.00%)")
    assert "\n" not in said


def test_an_improvement_passes() -> None:
    comparison = against(slower(honest_run(2), GO_CELL, 0.9).evidence())
    require_no_regression(comparison)
    assert "2 improvements" in summary(comparison)


def test_void_beside_what_stands_passes_and_is_counted() -> None:
    comparison = against(coarse(honest_run(2), GO_CELL).evidence())
    require_no_regression(comparison)
    assert "1 void" in summary(comparison)
    assert any(
        "the measured value is void (not valid) in one of the runs" in note
        for note in comparison_table(comparison).notes
    )


def test_void_that_was_asked_for_does_not_pass() -> None:
    void = coarse(honest_run(2), GO_CELL).evidence()
    comparison = between_runs(honest_run(1).evidence(), void, figures=["cpu"])
    with pytest.raises(InvalidResult, match="1 of 12 measured values cannot be judged") as caught:
        require_no_regression(comparison, ["cpu"])
    assert caught.value.exit_status == 3


def test_another_figure_does_not_stand_in_for_one_that_was_asked_for() -> None:
    void = coarse(honest_run(2), GO_CELL).evidence()
    comparison = between_runs(honest_run(1).evidence(), void, figures=["wall", "cpu"])
    with pytest.raises(InvalidResult, match=rf"{GO_CELL} CPU time \(the measured value is"):
        require_no_regression(comparison, ["wall", "cpu"])


def test_a_gate_closes_for_what_is_at_least_worse() -> None:
    """The first run was at most as long as it was measured, and the second is longer."""
    before = disturbed(honest_run(1), GO_CELL).evidence()
    after = slower(honest_run(2), GO_CELL, 1.3).evidence()
    comparison = between_runs(before, after, figures=["wall"])
    with pytest.raises(
        GateNotMet, match=f"1 of 12 measured values .*{GO_CELL} wall time, whose ratio"
    ) as caught:
        require_no_regression(comparison, ["wall"])
    assert caught.value.exit_status == 4


def test_a_gate_stays_open_where_others_may_have_made_it_longer() -> None:
    """What was measured is 1.3 times as long, which says nothing: it is at most that."""
    after = disturbed(slower(honest_run(2), GO_CELL, 1.3), GO_CELL).evidence()
    comparison = between_runs(honest_run(1).evidence(), after, figures=["wall"])
    require_no_regression(comparison, ["wall"])
    assert summary(comparison) == "12 figures: 11 within the allowed change, 1 unclear"


def test_a_cell_without_any_time_left_does_not_pass() -> None:
    comparison = against(honest_run(2).failing(GO_CELL, 6).evidence())
    with pytest.raises(InvalidResult, match=f"cannot be judged, for example {GO_CELL}"):
        require_no_regression(comparison)


def test_a_regression_counts_more_than_what_is_void() -> None:
    both = slower(honest_run(2), GO_CELL, 1.1).failing(GO_CELL.replace("small", "large"), 6)
    with pytest.raises(GateNotMet):
        require_no_regression(against(both.evidence()))


def test_a_cell_that_is_gone_does_not_pass() -> None:
    gone = honest_run(2).with_cell(GO_CELL, unsupported="not here").evidence()
    with pytest.raises(InvalidResult, match="1 programs of the first run cannot be judged"):
        require_no_regression(against(gone))
    of_variants = between_variants(gone, "gcc-12.2.0+o3", GO.name, threshold=9)
    with pytest.raises(
        InvalidResult, match=r"1 programs of gcc-12.2.0\+o3 .* were not measured in go-1.26"
    ):
        require_no_regression(of_variants)
    require_no_regression(between_variants(gone, GO.name, "gcc-12.2.0+o3"))
    declared = honest_run(2).with_cell(GO_CELL, unsupported="no such test", declared_absent=True)
    require_no_regression(
        between_variants(declared.evidence(), "gcc-12.2.0+o3", GO.name, threshold=9)
    )
    require_no_regression(between_runs(gone, honest_run(2).evidence()))


@pytest.mark.parametrize("figure", ["wall", "lateness.p99"])
def test_a_figure_that_no_cell_has_does_not_pass(figure: FigureName) -> None:
    run = honest_services().evidence()
    with pytest.raises(InvalidResult, match=f"no compared program or service has .* {figure}"):
        require_no_regression(between_runs(run, run, figures=[figure]), [figure])
    with pytest.raises(InvalidResult, match=f"no compared program or service has .* {figure}"):
        require_no_regression(between_runs(run, run, figures=["p99", figure]), ["p99", figure])


def test_variants_without_a_common_group_do_not_pass() -> None:
    """They are not even planned under the same conditions."""
    apart = honest_run().with_cells(lambda one: one.variant == GO.name, seed=2).evidence()
    with pytest.raises(InvalidResult, match="nothing can be judged, because no program of gcc"):
        require_no_regression(between_variants(apart, "gcc-12.2.0+o3", GO.name))


def test_a_service_without_any_latency_left_does_not_pass() -> None:
    """Its load generator had no time itself, which takes nothing of the service's CPU time."""
    quiet = honest_services()
    spoilt = quiet.with_loads(FASTIFY, starved)
    comparison = between_runs(quiet.evidence(), spoilt.evidence())
    outcomes = {one.figure: one.outcome for one in comparison.figures if "fastify" in one.cell}
    assert outcomes == {"p50": "void", "p99": "void", "cpu": "within", "memory": "within"}
    with pytest.raises(InvalidResult, match="2 of 8 measured values cannot be judged"):
        require_no_regression(comparison)
    require_no_regression(between_runs(quiet.evidence(), quiet.evidence()))


def test_a_service_whose_latencies_are_bounded_can_be_judged() -> None:
    quiet = honest_services()
    noisy = quiet.with_launch_share(service_cell(FASTIFY), "foreign_ns", 0.2)
    comparison = between_runs(quiet.evidence(), noisy.evidence())
    outcomes = {one.figure: one.outcome for one in comparison.figures if "fastify" in one.cell}
    assert outcomes == {"p50": "unclear", "p99": "unclear", "cpu": "within", "memory": "within"}
    require_no_regression(comparison)


def test_two_machines_have_no_gate() -> None:
    other = honest_run(2).with_host(name="other").evidence()
    with pytest.raises(UserMistake, match="measure both runs on the same"):
        require_no_regression(against(other))


def test_variants_have_a_gate_too() -> None:
    run = honest_run().evidence()
    require_no_regression(between_variants(run, GO.name, GO.name))
    with pytest.raises(GateNotMet):
        require_no_regression(between_variants(run, "gcc-12.2.0+o3", GO.name))


def test_the_table_says_what_was_found() -> None:
    comparison = against(slower(honest_run(2), GO_CELL, 1.1).evidence())
    table = comparison_table(comparison)
    row = next(row for row in table.rows if row.cells[:2] == (GO_CELL, "CPU time"))
    assert row.cells[2].startswith("1.1")
    assert row.cells[4:] == ("3.00%", "regression", "flagged")
    assert table.notes[0] == "36 figures: 2 regressions, 34 within the allowed change"
    text = section(table)
    assert text.startswith("## the second run against the first: ")
    assert "| regression | flagged |" in text


@pytest.mark.parametrize(
    ("spoilt", "sign", "change"), [("first", "≥ 1.2", "regression"), ("second", "≤ 1.3", "unclear")]
)
def test_the_table_shows_the_limits_of_a_bounded_change(
    spoilt: str, sign: str, change: str
) -> None:
    before, after = honest_run(1), slower(honest_run(2), GO_CELL, 1.3)
    if spoilt == "first":
        before = disturbed(before, GO_CELL)
    else:
        after = disturbed(after, GO_CELL)
    table = comparison_table(between_runs(before.evidence(), after.evidence(), figures=["wall"]))
    row = next(row for row in table.rows if row.cells[0] == GO_CELL)
    assert row.cells[2].startswith(sign)
    assert "[" not in row.cells[2]
    assert row.cells[4:] == ("3.00%", change, "flagged")
