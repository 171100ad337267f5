"""Pictures of variants compared hold what the model holds, and nothing that is void."""

from __future__ import annotations

import pytest

from evidence.honest_run import GCC, GO, JAVA, PYTHON, RUNTIMES, Runtime, cell_id, honest_run
from report.page.pages import drawn, page_of, picture
from result.test_run import damaged, disturbed, drifting, result_of
from runfair.report.page.contents import Contents
from runfair.report.page.picture import Columns, judgement

COMPLETION = "Relative completion time · small · steady"


@pytest.fixture(scope="module")
def honest() -> Contents:
    return page_of(honest_run())


def of(columns: Columns, series: str, name: str) -> object:
    return columns[name][list(columns["series"]).index(series)]


def test_there_is_one_of_each_figure_for_what_is_alike(honest: Contents) -> None:
    titles = [one.title for one in honest.pictures if "iteration" not in one.name]
    kinds = ("small · steady", "large · steady", "small · cold")
    expected = {
        f"{figure} · {kind} · 1 thread"
        for figure in ("Relative CPU time", "Relative completion time", "Peak memory")
        for kind in kinds
    }
    expected |= {"Start-up · small · cold · 1 thread", "How fast the machine was"}
    assert expected == set(titles)


def test_marks_are_the_models_ratios(honest: Contents) -> None:
    shown = picture(honest, "Relative CPU time · small · steady").data["values"]
    model = {cell.id: cell for cell in result_of(honest_run()).cells}
    for runtime in RUNTIMES:
        relative = model[cell_id(runtime)].figures["cpu"].relative
        assert relative is not None
        assert of(shown, runtime.name, "value") == pytest.approx(relative.value, rel=1e-3)
        if relative.interval is not None:
            assert of(shown, runtime.name, "low") == pytest.approx(relative.interval[0], rel=1e-3)
            assert of(shown, runtime.name, "high") == pytest.approx(relative.interval[1], rel=1e-3)


def test_a_void_number_is_a_word_and_no_mark() -> None:
    void = picture(page_of(damaged(honest_run(), cell_id(GO))), COMPLETION)
    assert GO.name not in void.data["values"]["series"]
    assert of(void.data["words"], GO.name, "word") == f"{GO.name}: void"
    row = next(row for row in void.table.rows if row.cells[1] == GO.name)
    assert row.cells[2:] == ("void", "void")
    assert void.judgement.counts == {"fair": 3, "flagged": 0, "void": 1}


@pytest.mark.parametrize(
    ("runtime", "said"), [(GO, "× ≤ 1.60"), (GCC, "× ≥ 1.57")], ids=["itself", "baseline"]
)
def test_a_bounded_ratio_has_its_limits_in_words_and_no_interval(
    runtime: Runtime, said: str
) -> None:
    shown = picture(page_of(disturbed(honest_run(), cell_id(runtime))), COMPLETION)
    values = shown.data["values"]
    assert of(values, GO.name, "said") == said
    value = of(values, GO.name, "value")
    assert value == pytest.approx(GO.small_ns / GCC.small_ns, rel=0.02)
    assert (of(values, GO.name, "low"), of(values, GO.name, "high")) == (value, value)
    row = next(row for row in shown.table.rows if row.cells[1] == GO.name)
    assert row.cells[2:] == (said, "flagged" if runtime is GO else "fair")
    assert shown.judgement.counts == {"fair": 3, "flagged": 1, "void": 0}


def test_a_bounded_figure_has_its_limits_in_words_and_no_interval() -> None:
    page = page_of(disturbed(honest_run(), cell_id(GO, mode="cold")))
    values = picture(page, "Start-up · small · cold").data["values"]
    assert of(values, GO.name, "said") == "≤ 20.0 ms"
    assert of(values, GO.name, "low") == of(values, GO.name, "high")
    assert of(values, GO.name, "verdict") == "flagged"


def test_bounded_figures_can_be_drawn() -> None:
    for run in (disturbed(honest_run(), cell_id(GO)), drifting(honest_run())):
        assert len(drawn(page_of(run))) > 0


def test_the_verdict_is_explained_on_the_spot() -> None:
    judged = picture(page_of(damaged(honest_run(), cell_id(GO))), COMPLETION).judgement
    assert judged.state == "void"
    first = judged.explanations[0]
    assert (first.severity, first.check) == ("fault", "records")
    assert first.found[0].startswith(f"{GO.name}: the stored data are incomplete or ")
    assert "What the check expects: the stored files contain as many values as" in first.matters
    assert "is an upper or a lower limit of the true value" in first.matters
    assert first.advice


def test_what_bounds_a_figure_is_explained_on_the_spot() -> None:
    judged = picture(page_of(disturbed(honest_run(), cell_id(GO))), COMPLETION).judgement
    assert judged.state == "flagged"
    first = judged.explanations[0]
    assert (first.severity, first.check) == ("fault", "foreign_time")
    assert first.found[0].startswith(f"{GO.name}: other processes used")
    assert "What the check expects: no other process used the processors" in first.matters
    assert first.advice


def test_who_is_meant_is_said_where_several_workloads_are_drawn() -> None:
    run = honest_run().with_launch_share(cell_id(GO), "foreign_ns", 0.2)
    result = result_of(run)
    cells = [cell for cell in result.cells if cell.id == cell_id(GO)]
    other = cells[0].model_copy(update={"workload": "other"})
    one = judgement(cells, ("wall",)).explanations[0].found[0]
    both = judgement([*cells, other], ("wall",)).explanations[0].found[0]
    assert one.startswith(f"{GO.name}: ")
    assert both.startswith(f"{GO.name} (sudoku · balanced), {GO.name} (sudoku · other): ")


def test_what_failed_or_cannot_run_is_said() -> None:
    records = honest_run().failing(cell_id(GO), 6).with_cell(cell_id(PYTHON), unsupported="why")
    shown = picture(page_of(records), "Relative CPU time · small · steady")
    assert set(shown.data["values"]["series"]) == {GCC.name, JAVA.name}
    said = {row.cells[1]: row.cells[2] for row in shown.table.rows}
    assert "6 of 6 executions failed" in said[GO.name]
    assert said[PYTHON.name] == "unsupported: why"


def test_every_picture_can_be_drawn(honest: Contents) -> None:
    for svg in drawn(honest):
        assert svg.startswith("<svg")
        assert "var(--" not in svg
