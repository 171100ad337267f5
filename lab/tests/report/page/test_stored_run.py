"""From a run's folder to its page and its figures as files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evidence.honest_run import GO, PYTHON, cell_id, honest_run
from evidence.records import EXECUTIONS, Records
from report.page.pages import drawn, embedded, picture
from runfair.errors import UserMistake
from runfair.evidence.reading import own_values
from runfair.formats.run_folder import RunFolder
from runfair.report.assessment import PAGE, assess
from runfair.report.page.picture import Picture, export, rows
from runfair.statistics.percentile import rank

DIGEST = "0123456789abcdef"
LATENESS_NS = [100.0, 400.0, 250_000.0]


def stored(results: Path, records: Records) -> RunFolder:
    """The run on disk, its programs with a metric an iteration and a sample an execution."""
    folder = RunFolder.create(results, records.plan, records.host)
    for record in records.executions:
        wall_ns, cpu_ns = (one.tolist() for one in records.series[record.id])
        lines = [
            json.dumps(
                {
                    "event": "iteration",
                    "index": index,
                    "started_monotonic_ns": index,
                    "wall_ns": wall,
                    "cpu_ns": cpu,
                    "digest": DIGEST,
                    "metrics": {"lateness": {"value": LATENESS_NS[index % 3], "unit": "ns"}},
                }
            )
            for index, (wall, cpu) in enumerate(zip(wall_ns, cpu_ns, strict=True))
        ]
        folder.iterations_file(record.id).write_text("".join(f"{line}\n" for line in lines))
        folder.raw_folder(record.id).mkdir()
        sample = {"event": "sample", "name": "crossover", "unit": "elements", "values": [3, 1, 2]}
        said = f"{json.dumps(sample)}\nnot of the contract\n{{torn"
        (folder.raw_folder(record.id) / "stdout").write_text(said)
        folder.append(record)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    return stored(tmp_path_factory.mktemp("results"), honest_run())


def test_the_page_is_one_of_the_derived_files(folder: RunFolder) -> None:
    assessed = assess(folder)
    assert assessed.unwritten == ""
    page = (folder.path / PAGE).read_text(encoding="utf-8")
    assert len(embedded(page)) == len(assessed.page.pictures)
    (question,) = assessed.conclusion.questions
    assert question.sentences[0] in page
    tables = (folder.path / "tables.md").read_text(encoding="utf-8")
    assert question.sentences[0] in tables.partition("## ")[0]


def test_what_programs_measured_of_themselves_is_drawn(folder: RunFolder) -> None:
    page = assess(folder).page
    lateness = picture(page, "lateness · sudoku · balanced · small · steady")
    python = [row.cells for row in lateness.table.rows if row.cells[0] == PYTHON.name]
    assert python == [
        (PYTHON.name, "360", "100 ns", "100 ns", "400 ns", *["250 µs"] * 4),
    ]
    assert {LATENESS_NS[0], LATENESS_NS[-1]} <= set(lateness.data["values"]["y"])
    crossover = picture(page, "crossover · sudoku · balanced · small · steady")
    assert crossover.table.rows[0].cells[2] == "1.00 elements"
    assert len(drawn(page)) == len(page.pictures)


def height(of: Picture, series: str, percent: float) -> object:
    """Where the line of this series stands at this place of the axis, as Vega draws its steps."""
    (line,) = [
        one for one in json.loads(json.dumps(of.spec))["layer"] if one["mark"]["type"] == "line"
    ]
    points = sorted(
        (float(str(one["x"])), one["y"])
        for one in rows(of.data["values"])
        if one["series"] == series
    )
    if line["mark"]["interpolate"] == "step-before":
        return next(y for x, y in points if x >= percent)
    return [y for x, y in points if x <= percent][-1]


@pytest.mark.parametrize("percent", [0.5, 5, 34, 50, 67, 99])
def test_the_line_of_a_distribution_shows_its_percentiles(
    folder: RunFolder, percent: float
) -> None:
    crossover = picture(assess(folder).page, "crossover · sudoku · balanced · small · steady")
    values = sorted([3, 1, 2] * EXECUTIONS)
    assert height(crossover, PYTHON.name, percent) == values[rank(percent / 100, len(values)) - 1]


def test_own_values_keep_their_order_and_pass_over_the_rest(folder: RunFolder) -> None:
    [record] = [one for one in folder.executions() if one.cell == cell_id(GO)][:1]
    told = {one.name: one for one in own_values(folder, record.id)}
    assert told["crossover"].values.tolist() == [3, 1, 2]
    assert told["lateness"].values[:3].tolist() == LATENESS_NS
    assert own_values(folder, "no such execution") == []


def test_a_torn_run_says_what_is_there(tmp_path: Path) -> None:
    torn = stored(tmp_path, honest_run())
    content = torn.executions_file.read_bytes()
    torn.executions_file.write_bytes(content[: len(content) - 100])
    page = assess(torn).page
    assert "incomplete" in dict(page.header.conclusion.facts)["Quality"]
    assert len(embedded((torn.path / PAGE).read_text())) == len(page.pictures)


def test_a_run_of_another_schema_is_told_in_one_line(tmp_path: Path) -> None:
    older = stored(tmp_path, honest_run())
    plan = json.loads(older.plan_file.read_text())
    older.plan_file.write_text(json.dumps(plan | {"schema_version": 0}))
    with pytest.raises(UserMistake, match="schema 0"):
        assess(older)


def test_figures_that_cannot_be_written_are_the_users_mistake(
    folder: RunFolder, tmp_path: Path
) -> None:
    page = assess(folder).page
    (tmp_path / "file").touch()
    with pytest.raises(UserMistake, match="cannot be written"):
        export(page.pictures, tmp_path / "file" / "figures")


def test_every_figure_is_an_svg_and_a_png(folder: RunFolder, tmp_path: Path) -> None:
    page = assess(folder).page
    written = export(page.pictures, tmp_path / "figures")
    assert len(written) == len(set(written)) == 2 * len(page.pictures)
    assert {path.read_bytes()[:4] for path in written} == {b"<svg", b"\x89PNG"}
