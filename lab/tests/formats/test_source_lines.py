"""What programs say of lines is kept with the text, and leads nowhere but into their folder."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from runfair.errors import UserMistake
from runfair.formats.source_lines import (
    MAX_SOURCE_BYTES,
    MAX_TOLD_BYTES,
    ToldLines,
    captured,
    lines_of,
    read_lines,
    read_told,
    write_lines,
)
from runfair.formats.transcript import ContractBroken

HOSTILE = "x = 1  # \u202e</script>\n\tprint('\x1b[31m')\x0c\u2028y\n"


def told(path: str, last: int = 1) -> ToldLines:
    return ToldLines(path=path, name="executions", unit="", values={1: 4, last: 2.5})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A program's folder, with something beside it that is nobody's business."""
    home = tmp_path / "python"
    (home / "deeper").mkdir(parents=True)
    (home / "sort.py").write_text("one\ntwo\nthree")
    (home / "deeper" / "odd.py").write_text(HOSTILE)
    (tmp_path / "secret.py").write_text("secret\n")
    (home / "circle.py").symlink_to(home / "circle.py")
    (home / "link.py").symlink_to(tmp_path / "secret.py")
    return home


def test_the_text_is_kept_as_it_is(folder: Path) -> None:
    found = captured(told("deeper/odd.py", last=2), str(folder))
    assert (found.path, found.text) == ("deeper/odd.py", HOSTILE)
    assert found.values == {1: 4, 2: 2.5}
    assert captured(told("./deeper/../sort.py", last=3), str(folder)).text == "one\ntwo\nthree"


@pytest.mark.parametrize(
    ("path", "last", "said"),
    [
        ("../secret.py", 1, "outside the program's folder"),
        ("link.py", 1, "outside the program's folder"),
        ("/etc/passwd", 1, "outside the program's folder"),
        ("deeper/../../secret.py", 1, "outside the program's folder"),
        ("no.py", 1, "the program's folder contains no such file"),
        ("deeper", 1, "the program's folder contains no such file"),
        ("sort.py/x", 1, "the program's folder contains no such file"),
        ("circle.py", 1, "the program's folder contains no such file"),
        ("x" * 300, 1, "the program's folder contains no such file"),
        ("sort.py", 4, "line 4 of 'sort.py', but this file has only 3"),
        ("empty.py", 1, "line 1 of 'empty.py', but this file has only 0"),
        ("big.py", 1, f"source files of up to {MAX_SOURCE_BYTES} bytes"),
    ],
)
def test_what_does_not_lead_to_a_line_is_refused(
    folder: Path, path: str, last: int, said: str
) -> None:
    (folder / "empty.py").touch()
    (folder / "big.py").write_bytes(b"\n" * (MAX_SOURCE_BYTES + 1))
    with pytest.raises(ContractBroken, match=said) as caught:
        captured(told(path, last), str(folder))
    assert "\n" not in str(caught.value)


def test_a_plan_that_knows_no_folder() -> None:
    with pytest.raises(ContractBroken, match="does not say which folder"):
        captured(told("sort.py"), "")


def test_bytes_that_are_no_text_are_shown_as_such(folder: Path) -> None:
    (folder / "latin.py").write_bytes(b"caf\xe9\n")
    assert captured(told("latin.py"), str(folder)).text == "caf\N{REPLACEMENT CHARACTER}\n"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("\n", [""]),
        ("a\r\nb\rc\nd", ["a", "b", "c", "d"]),
        ("a\x0cb\u2028c\x85d\n", ["a\x0cb\u2028c\x85d"]),
    ],
)
def test_lines_are_counted_as_compilers_do(text: str, lines: list[str]) -> None:
    assert lines_of(text) == lines


# ---------------------------------------------------------------- the side file of a program


def written(**changes: object) -> str:
    """Figures for two lines of a source file."""
    values = {"3": 7, "12": 2.5}
    usual = {"path": "a/b.py", "name": "executions", "unit": "", "values": values}
    return json.dumps({**usual, **changes}) + "\n"


def test_what_a_program_wrote_is_read(tmp_path: Path) -> None:
    side = tmp_path / "lines.jsonl"
    side.write_text(written() + written(name="bytes") + written(path="b.py"))
    found = read_told(side)
    assert [(one.path, one.name) for one in found] == [
        ("a/b.py", "executions"),
        ("a/b.py", "bytes"),
        ("b.py", "executions"),
    ]
    assert found[0].values == {3: 7, 12: 2.5}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty, or its last line is incomplete"),
        (written()[:-1], "its last line is incomplete; the program must write complete lines"),
        ("junk\n", "line 1: Invalid JSON"),
        (written() + written(surplus=1), "line 2: Extra inputs"),
        (written(values={"0": 1}), "line 1: "),
        (written(values={"-1": 1}), "line 1: "),
        (written(values={"one": 1}), "line 1: "),
        (written(values={"1": float("nan")}), "line 1: "),
        (written(values={"1": float("inf")}), "line 1: "),
        (written(values={"1": "<b>"}), "line 1: "),
        (written(values={}), "line 1: "),
        (written(path=""), "line 1: "),
        (written(path="a\x00b"), "line 1: "),
        (written(path="a\nb"), "line 1: "),
        (written(path="x" * 501), "line 1: "),
        (written() + written(), "line 2: 'a/b.py' occurs twice"),
        (written(name="n" * MAX_TOLD_BYTES), "bytes into it"),
    ],
)
def test_a_side_file_of_another_form_is_refused(tmp_path: Path, text: str, said: str) -> None:
    side = tmp_path / "lines.jsonl"
    side.write_text(text)
    with pytest.raises(ContractBroken, match=re.escape(said)) as caught:
        read_told(side)
    assert "\n" not in str(caught.value)


def test_a_side_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ContractBroken, match="the program did not write "):
        read_told(tmp_path / "lines.jsonl")


# ---------------------------------------------------------------- what the lab keeps


def test_written_and_read(folder: Path, tmp_path: Path) -> None:
    found = [captured(told("sort.py"), str(folder)), captured(told("deeper/odd.py"), str(folder))]
    path = tmp_path / "1.1.jsonl"
    write_lines(path, found)
    assert read_lines(path) == found
    assert found[0].text_sha256 != found[1].text_sha256
    path.write_bytes(path.read_bytes()[:-10])  # torn: the last line never ended
    assert read_lines(path) == found[:1]
    path.write_text("{}\n")
    with pytest.raises(UserMistake, match="damaged"):
        read_lines(path)
    assert read_lines(tmp_path / "none.jsonl") == []
