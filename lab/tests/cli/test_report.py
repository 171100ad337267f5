"""What `report`, and so the end of `run` and `resume`, prints, and with which status it ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from evidence.honest_run import GO, PYTHON, cell_id, honest_run
from evidence.records import Records
from report.page.test_stored_run import stored
from runfair.cli.report import report
from runfair.errors import InvalidResult, UserMistake
from runfair.report import assessment


def printed(
    results: Path, run: Records, capsys: pytest.CaptureFixture[str], *, details: bool = False
) -> str:
    stored(results, run)
    report(results=results, details=details)
    return capsys.readouterr().out


def test_the_conclusion_alone_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = printed(tmp_path, honest_run(), capsys)
    *_, last = lines = said.splitlines()
    assert len(lines) <= 24
    assert lines[0].startswith("Measured   sudoku in 4 languages")
    assert "  go-1.26.8         1.90 s    1.58 [1.57, 1.60]  higher" in said
    assert last.endswith("report.html, tables.md")
    assert "verdict" not in said


def test_details_are_all_tables_before_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    versions = "0.1.0 (commit b1f77bf959dc), resumed by 0.1.0 (commit 4c2d9f0a7be1)"
    said = printed(tmp_path, honest_run().with_plan(runfair=versions), capsys, details=True)
    tables, _, conclusion = said.partition("Measured ")
    assert "sudoku · balanced · large · steady" in tables
    assert f"made by     runfair {versions}, order seed 1" in tables.splitlines()
    assert "=: the difference is within the machine's noise floor" in tables
    assert len(conclusion.splitlines()) <= 24


def test_a_folder_that_cannot_be_renewed_is_named_itself(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_path: Path, _text: str) -> None:
        raise UserMistake("read-only")

    folder = stored(tmp_path, honest_run())
    monkeypatch.setattr(assessment, "write_whole", refuse)
    report(results=tmp_path)
    seen = capsys.readouterr()
    assert seen.out.splitlines()[-1].endswith(folder.path.name)
    assert "the stored tables and page may be outdated: read-only" in seen.err


def test_executions_that_failed_leave_an_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = printed(tmp_path, honest_run().failing(cell_id(GO), 1), capsys)
    assert "Doubts     go: 1 of 6 executions failed: exit status 1" in said


@pytest.mark.parametrize("as_json", [False, True])
def test_a_question_without_an_answer_ends_with_status_3(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], *, as_json: bool
) -> None:
    stored(tmp_path, honest_run().failing(cell_id(PYTHON), 6))
    with pytest.raises(InvalidResult, match="1 of 1 question in the conclusion has no answer"):
        report(results=tmp_path, json=as_json)
    if not as_json:
        assert "No answer for cpython" in capsys.readouterr().out
