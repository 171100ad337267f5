"""A mistake in a TOML file is told with file, line and key."""

from __future__ import annotations

from pathlib import Path

import pytest

from runfair.catalogue.experiment import Experiment
from runfair.errors import UserMistake
from runfair.formats.toml import line_of, read_toml

GOOD = """
about = "x"

[[measure]]
benchmarks = ["sort"]

[[measure]]
benchmarks = ["sudoku"]
threads = [1, 2]

[profiles.quick]
executions = 4
"""


def said(tmp_path: Path, text: str) -> str:
    path = tmp_path / "experiment.toml"
    path.write_text(text)
    with pytest.raises(UserMistake) as caught:
        read_toml(path, Experiment)
    assert "\n" not in str(caught.value)
    return str(caught.value).replace(str(path), "FILE")


def test_a_good_file(tmp_path: Path) -> None:
    path = tmp_path / "experiment.toml"
    path.write_text(GOOD)
    assert read_toml(path, Experiment).measure[1].threads == [1, 2]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('about = "x"', 'abuot = "x"', "FILE:2: abuot: there is no such key"),
        ("threads = [1, 2]", "threads = [0]", "FILE:9: measure.1.threads.0: Input should be"),
        ("threads = [1, 2]", 'modes = ["hot"]', "FILE:9: measure.1.modes.0: Input should be"),
        ("threads = [1, 2]", 'heap = ["5 apples"]', "FILE:9: measure.1.heap.0: "),
        ("executions = 4", "executions = 3", "FILE:12: profiles.quick.executions: Input should"),
        ("[profiles.quick]", "[profiles.slow]", "FILE:11: profiles.slow: Input should"),
        ('benchmarks = ["sort"]', "", "FILE:4: measure.0.benchmarks: Field required"),
        ('about = "x"', 'about = "x', "FILE:2: the line is malformed TOML ("),
    ],
)
def test_a_mistake_names_file_line_and_key(
    tmp_path: Path, old: str, new: str, expected: str
) -> None:
    assert said(tmp_path, GOOD.replace(old, new)).startswith(expected)


def test_malformed_toml_names_the_line(tmp_path: Path) -> None:
    assert said(tmp_path, "a = 1\nb = = 2\n").startswith("FILE:2: the line is malformed TOML")
    assert said(tmp_path, "a = 1\n\nb = [\n").startswith("FILE:3: the line is malformed TOML")


def test_an_unreadable_file(tmp_path: Path) -> None:
    with pytest.raises(UserMistake, match=r"cannot be read \(No such file or directory\)$"):
        read_toml(tmp_path / "none.toml", Experiment)
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe")
    with pytest.raises(UserMistake, match="cannot be read"):
        read_toml(binary, Experiment)


def test_tables_below_arrays_are_found() -> None:
    text = """[[score]]
name = "one"
[score.weights]
json = 1
[[score]]
[[score.part]]
[[score.part]]
size = 1
[score.weights]
json = 2
[[score]]
[[score.part]]
size = 3
"""
    assert line_of(text, ("score", 0, "weights", "json")) == 4
    assert line_of(text, ("score", 1, "weights", "json")) == 10
    assert line_of(text, ("score", 1, "part", 1, "size")) == 8
    assert line_of(text, ("score", 2, "part", 0, "size")) == 13
    assert line_of(text, ("score", 2, "weights", "json")) == 11
