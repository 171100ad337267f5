"""Sweeps are told by their ends."""

from __future__ import annotations

from evidence.honest_run import GCC, GO, RUNTIMES, cell_id
from report.conclusion.concluded import of_cells, question, swept


def test_the_first_and_the_last_point_of_each_variant() -> None:
    run = swept().with_series(f"0002-{cell_id(GO)}", lambda one: (one[0] * 4, one[1] * 4))
    found = question(run)
    assert found.title == "ticker · balanced: wall time by burners, steady"
    assert found.rows[0] == (GCC.name, "1.20 s at 8", "1.20 s at 100", "1.00 times")
    assert found.rows[1] == (GO.name, "1.90 s at 8", "7.61 s at 100", "4.00 times")
    (sentence,) = found.sentences
    assert sentence.startswith("From 8 to 100 burners, wall time is multiplied by 1.00 (")
    assert sentence.endswith(" to 4.00 (go).")


def test_a_point_without_a_figure_leaves_the_question_open() -> None:
    found = question(swept().failing(f"0002-{cell_id(GO)}", 6, reason="exit status 1"))
    assert found.state == "open"
    assert found.rows[1] == (GO.name, "1.90 s at 8", "void at 100", "", "6 of 12 executions failed")
    assert found.sentences[0].startswith("No answer for go: none of 6 executions completed")


def test_a_flagged_end_says_so() -> None:
    run = swept().with_launch_share(f"0000-{cell_id(GO)}", "foreign_ns", 0.2)
    found = question(run)
    assert found.rows[1][-1] == "flagged: other processes"


def test_ends_that_are_ranges_were_measured() -> None:
    run = swept()
    for runtime in RUNTIMES:
        cell = f"0000-{cell_id(runtime)}"
        run = run.with_launch_share(cell, "foreign_ns", 0.2).with_launches(cell, run_queue_ns=None)
    assert [
        one
        for one in question(run).sentences
        if one.startswith("The change over the sweep is unknown: ")
    ]


def test_a_sweep_of_a_single_point_has_no_second_end() -> None:
    run = swept()
    cells = {cell.id for cell in run.plan.cells}
    kept = cells - {f"{place}-{cell_id(GO)}" for place in ("0001", "0002")}
    found = question(of_cells(run, kept))
    assert found.rows[1][:4] == (GO.name, "1.90 s at 8", "", "")
