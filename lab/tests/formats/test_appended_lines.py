"""A file of records that grows is read once, line by line."""

from __future__ import annotations

from pathlib import Path

import pytest

from evidence.honest_run import honest_run
from runfair.errors import UserMistake
from runfair.formats.appended_lines import AppendedLines
from runfair.formats.execution import Execution

FIRST, SECOND, THIRD = honest_run().executions[:3]


def line(record: Execution) -> bytes:
    return record.model_dump_json().encode() + b"\n"


def append(path: Path, content: bytes) -> None:
    with path.open("ab") as file:
        file.write(content)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "executions.jsonl"


def test_a_missing_file_has_no_lines_yet(path: Path) -> None:
    lines = AppendedLines(path, Execution)
    assert lines.read() == []
    append(path, line(FIRST))
    assert lines.read() == [FIRST]


def test_each_line_is_read_once(path: Path) -> None:
    append(path, line(FIRST) + line(SECOND))
    lines = AppendedLines(path, Execution)
    assert lines.read() == [FIRST, SECOND]
    assert lines.read() == []
    append(path, line(THIRD))
    assert lines.read() == [THIRD]


def test_an_incomplete_last_line_is_read_when_it_is_complete(path: Path) -> None:
    begun, rest = line(SECOND)[:40], line(SECOND)[40:]
    append(path, line(FIRST) + begun)
    lines = AppendedLines(path, Execution)
    assert lines.read() == [FIRST]
    append(path, rest)
    assert lines.read() == [SECOND]


def test_an_incomplete_last_line_may_be_dropped(path: Path) -> None:
    append(path, line(FIRST) + line(SECOND)[:40])
    lines = AppendedLines(path, Execution)
    assert lines.read() == [FIRST]
    path.write_bytes(line(FIRST) + line(THIRD))
    assert lines.read() == [THIRD]


def test_a_line_that_is_no_record_is_told(path: Path) -> None:
    append(path, line(FIRST) + b"{}\n")
    with pytest.raises(UserMistake, match="another version of runfair wrote this file") as caught:
        AppendedLines(path, Execution).read()
    assert "\n" not in str(caught.value)
