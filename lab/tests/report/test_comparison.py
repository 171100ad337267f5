"""Two variants of a run, and two runs."""

from __future__ import annotations

import pytest

from fairness.runs import GCC, GO, cell_id, honest_run
from runfair.errors import UserMistake
from runfair.report.comparison import between_runs, between_variants, differences


def test_two_variants_are_compared_in_every_group_they_share() -> None:
    table = between_variants(honest_run().evidence(), GCC.name, GO.name)
    assert len(table.rows) == 9
    first = table.rows[0].cells
    assert first[:2] == ("sudoku balanced small steady", "CPU time")
    assert first[2].startswith("1.5")
    assert float(first[3]) < 0.01
    assert first[4] == "fair"


def test_a_variant_that_was_not_measured() -> None:
    with pytest.raises(UserMistake, match="'gcc-99' was not measured in this run; there are: "):
        between_variants(honest_run().evidence(), GCC.name, "gcc-99")


def test_a_void_side_makes_a_void_comparison() -> None:
    noisy = honest_run().with_launch_share(cell_id(GO), "foreign_ns", 0.2)
    table = between_variants(noisy.evidence(), GCC.name, GO.name)
    wall = next(row for row in table.rows if row.cells[1] == "wall time")
    assert wall.cells[2:] == ("void", "", "void")


def test_two_runs_of_the_same_truth_do_not_differ() -> None:
    table = between_runs(honest_run(1).evidence(), honest_run(2).evidence())
    assert len(table.rows) == 36
    verdicts = {(row.cells[1], row.cells[4]) for row in table.rows}
    assert verdicts == {("CPU time", "flagged"), ("wall time", "flagged"), ("peak memory", "fair")}
    stated = [float(row.cells[3]) for row in table.rows if row.cells[3]]
    assert stated
    assert min(stated) > 0.01


def test_runs_without_a_common_cell() -> None:
    other = honest_run().with_cells(lambda _: True, workload="other")
    renamed = other.evidence()
    shared = between_runs(honest_run().evidence(), renamed)
    assert shared.rows
    nothing = honest_run().with_cells(lambda _: True, unsupported="not here").evidence()
    with pytest.raises(UserMistake, match="no cell in common"):
        between_runs(honest_run().evidence(), nothing)


def test_what_else_differs_is_named() -> None:
    first = honest_run()
    assert differences(first.evidence(), first.evidence()) == []
    second = first.with_host(kernel="6.2").with_plan(profile="full")
    lines = differences(first.evidence(), second.evidence())
    assert lines == ["kernel: 6.1 and 6.2", "profile: quick and full"]
    updated = first.with_variant(GO.name, identity="another build")
    assert differences(first.evidence(), updated.evidence()) == [
        "go-1.26.8 says something else of itself in each run"
    ]


def test_machines_of_another_speed_are_not_compared_in_time() -> None:
    slower = honest_run()
    calibration = slower.host.calibration
    assert calibration is not None
    slower = slower.with_calibration(reference_ns=round(calibration.reference_ns * 1.03))
    for other in (slower, honest_run().with_host(calibration=None)):
        table = between_runs(honest_run().evidence(), other.evidence())
        for row in table.rows:
            assert (row.cells[4] == "void") == (row.cells[1] != "peak memory")
    lines = differences(honest_run().evidence(), slower.evidence())
    assert [line.split(":")[0] for line in lines] == ["reference loop"]
