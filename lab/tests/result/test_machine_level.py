"""The machine's level in the result, on one line and on the page."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from fairness.runs import Records, honest_run, reading
from report.page.pages import page_of
from result.test_run import result_of
from runfair.formats.host import BusyProgram
from runfair.formats.result import MachineLevelResult
from runfair.report.markdown import markdown
from runfair.report.terminal import level_line, print_result


def slowing() -> Records:
    """A processor that becomes slower by a tenth over the run; memory does not."""
    run = honest_run()
    readings = [
        reading(kind, record, 1 + 0.1 * number / len(run.executions) * (kind == "computing"))
        for number, record in enumerate(run.executions)
        for kind in ("computing", "memory")
    ]
    return replace(run, readings=tuple(readings))


def level_of(run: Records) -> MachineLevelResult:
    found = result_of(run).machine_level
    assert found is not None
    return found


def test_an_even_machine_has_a_narrow_range() -> None:
    found = level_of(honest_run())
    assert [*found.levels] == ["computing", "memory"]
    for one in found.levels.values():
        assert one.readings == len(honest_run().executions)
        assert 0.98 < one.low < 1 < one.high < 1.02
        assert abs(one.drift) < 0.01


def test_a_machine_that_slows_down_is_seen_to_drift() -> None:
    levels = level_of(slowing()).levels
    assert levels["computing"].drift == pytest.approx(0.095, abs=0.005)
    assert levels["memory"].drift == pytest.approx(0, abs=1e-6)
    assert levels["computing"].high - levels["computing"].low == pytest.approx(0.09, abs=0.01)


def test_the_share_is_what_the_readings_took_of_the_run() -> None:
    run = honest_run()
    ends = [one.started_monotonic_ns + one.wall_ns for one in run.readings]
    span_ns = max(ends) - min(one.launch.started_monotonic_ns for one in run.executions)
    found = level_of(run)
    assert found.share == pytest.approx(sum(one.took_ns for one in run.readings) / span_ns)
    assert found.share is not None
    assert found.share < 0.02


def test_one_line_in_the_details_and_in_markdown() -> None:
    result = result_of(slowing())
    assert result.machine_level is not None
    line = level_line(result.machine_level)
    assert "computing: 72 readings, 95% of them 0.9" in line
    assert "drift +9." in line
    shown = StringIO()
    print_result(result, Console(file=shown, width=1000))
    assert shown.getvalue().count(f"reference   {line}\n") == 1
    assert markdown(result).count("- reference ") == 1


def test_without_readings_there_is_no_line_and_no_picture() -> None:
    run = replace(honest_run(), readings=())
    result = result_of(run)
    assert result.machine_level is None
    shown = StringIO()
    print_result(result, Console(file=shown, width=1000))
    assert "reference   " not in shown.getvalue()
    assert "- reference " not in markdown(result)
    assert "machine-level" not in [one.name for one in page_of(run).pictures]


def test_the_page_shows_every_reading_and_who_was_busy() -> None:
    run = honest_run()
    burner = [BusyProgram(name="burner<b>", share=0.97)]
    last = run.readings[-1].model_copy(update={"busy": burner})
    page = page_of(replace(run, readings=(*run.readings[:-1], last)))
    (picture,) = [one for one in page.pictures if one.name == "machine-level"]
    assert len(picture.data["readings"]["y"]) == len(run.readings)
    assert picture.data["readings"]["busy"][-1] == "burner<b> 97%"
    assert [row.cells[:3] for row in picture.table.rows] == [
        ("computing", "1", "72"),
        ("memory", "1", "72"),
    ]
    assert picture.table.rows[1].cells[-1] == "burner<b>"
    assert picture.judgement.total == 0
