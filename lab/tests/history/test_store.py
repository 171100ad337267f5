"""Stored runs are judged once, again where something changed, and asked by pattern."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from evidence.honest_run import CREATED_NS, GCC, GO, cell_id, honest_run
from evidence.honest_services import honest_services
from evidence.records import SECOND, Records
from runfair.cli.history import history
from runfair.errors import UserMistake
from runfair.formats.history import History
from runfair.formats.run_folder import RunFolder
from runfair.formats.service import MAIN_LOAD
from runfair.history.store import Filter, commit_of, matching_rows, smoke_runs, stored_figures
from simulated.stored_run import stored


def small(number: int = 0, **changes: object) -> Records:
    """Of one size and mode alone, a day after another."""
    run = honest_run(1).with_cells(
        lambda cell: "/small/steady/" not in cell.id, unsupported="not asked for"
    )
    return run.with_plan(created_realtime_ns=CREATED_NS + number * 86_400 * SECOND, **changes)


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RUNFAIR_PRIVATE", str(tmp_path / "private"))
    folder = tmp_path / "results"
    for number in range(2):
        stored(small(number), folder)
    return folder


def judged(results: Path) -> list[str]:
    seen: list[str] = []
    stored_figures(results, seen.append)
    return seen


def test_a_run_is_judged_once(results: Path) -> None:
    names = sorted(path.name for path in results.iterdir())
    assert judged(results) == names
    assert judged(results) == []


def test_what_changed_is_judged_again_and_kept_once(results: Path) -> None:
    files, _ = stored_figures(results)
    folder = RunFolder(min(results.iterdir()))
    os.utime(folder.executions_file, ns=(1, 1))
    assert judged(results) == [folder.path.name]
    kept = {path.name for path in files[0].parent.iterdir()}
    assert len(kept) == 2


def test_a_file_of_iterations_that_went_is_noticed(results: Path) -> None:
    judged(results)
    run = max(results.iterdir())
    next((run / "iterations").iterdir()).unlink()
    assert judged(results) == [run.name]


def test_readings_of_the_reference_loop_that_came_later_are_noticed(results: Path) -> None:
    judged(results)
    run = RunFolder(max(results.iterdir()))
    run.reference_file.touch()
    assert judged(results) == [run.path.name]


def test_a_run_that_cannot_be_read_is_told_and_the_others_stand(results: Path) -> None:
    torn = results / "0000-torn"
    torn.mkdir()
    (torn / "experiment.json").write_text('{"schema_version": 0}')
    files, unreadable = stored_figures(results)
    assert len(files) == 2
    assert len(unreadable) == 1
    assert "0000-torn/experiment.json: the file has schema 0, but this version" in unreadable[0]


def test_a_run_with_a_damaged_file_is_told_and_the_others_stand(results: Path) -> None:
    run = honest_services()
    folder = RunFolder.create(results, run.plan, run.host)
    for record in run.executions:
        folder.append(record)
    damaged = folder.load_file(run.executions[0].id, MAIN_LOAD, "json")
    damaged.parent.mkdir(parents=True, exist_ok=True)
    damaged.write_text("{")
    files, unreadable = stored_figures(results)
    assert len(files) == 2
    assert [str(damaged) in line for line in unreadable] == [True]


def test_questions_are_patterns(results: Path) -> None:
    files, _ = stored_figures(results)
    every = matching_rows(files, Filter())
    assert len(every) == 2 * 4 * 3
    assert [row["run"] for row in every] == sorted(row["run"] for row in every)
    assert {row["variant"] for row in matching_rows(files, Filter(variant="g*"))} == {
        GCC.name,
        GO.name,
    }
    assert matching_rows(files, Filter(benchmark="sort")) == []
    assert {row["figure"] for row in matching_rows(files, Filter(figures=("cpu",)))} == {"cpu"}
    assert matching_rows(files, Filter(machine="'; DROP TABLE x; --")) == []
    assert matching_rows([], Filter()) == []


def test_smoke_runs_are_in_no_series(results: Path) -> None:
    smoke = stored(small(5, profile="smoke"), results)
    files, _ = stored_figures(results)
    assert smoke_runs(files) == [smoke.path.name]
    assert smoke.path.name not in {row["run"] for row in matching_rows(files, Filter())}


def test_a_commit_is_what_the_folder_says(tmp_path: Path) -> None:
    assert commit_of(tmp_path) == ""
    (tmp_path / "commit").write_bytes(b"abc\x1b[31m\xff\nsecond line")
    assert commit_of(tmp_path) == "abc\ufffd[31m\ufffd"
    (tmp_path / "commit").write_text("x" * 10_000)
    assert len(commit_of(tmp_path)) == 100


def test_the_command_prints_json_of_its_schema(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (max(results.iterdir()) / "commit").write_text("abc\n")
    stored(small(5, profile="smoke"), results)
    history(variant=GO.name, results=results, json=True)
    written, said = capsys.readouterr()
    found = History.model_validate_json(written)
    assert [one.figure for one in found.series] == ["wall", "cpu", "memory"]
    assert found.series[0].cell == cell_id(GO)
    assert [point.commit for point in found.series[0].points] == ["", "abc"]
    assert len(found.passed_over) == 1
    assert "the run used the profile `smoke`, which is too short for valid results" in said


def test_the_command_prints_a_table(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    history(results=results)
    written = capsys.readouterr().out
    assert "history on host" in written
    assert written.count(GCC.name) == 3
    history(benchmark="none-such", results=results)
    assert "no stored run contains a measured value that matches" in capsys.readouterr().err


def test_no_run_and_no_percentage_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserMistake, match="there is no run in this folder"):
        history(results=tmp_path)
    with pytest.raises(UserMistake, match="give a percentage"):
        history(threshold="3", results=tmp_path)
    with pytest.raises(UserMistake, match="--figure speed"):
        history(figure=["speed"], results=tmp_path)
