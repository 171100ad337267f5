"""The sizes of the harnesses: their limit, and the table in the documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from checking.harness_lines import (
    HEAD,
    MOST_LINES,
    PAGE,
    HarnessSize,
    harness_sizes,
    size_of,
    too_large,
    updated,
)
from runfair.catalogue.benchmark import benchmarks


def written(folder: Path, **lines: int) -> Path:
    folder.mkdir(parents=True)
    for name, count in lines.items():
        (folder / f"{name}.go").write_text("// a line\n" * count)
    return folder


def test_every_harness_is_small() -> None:
    assert list(too_large(harness_sizes())) == []


def test_every_language_has_a_harness_that_is_counted() -> None:
    languages = {program.language for one in benchmarks().values() for program in one.programs}
    sizes = harness_sizes()
    assert {size.language.lower() for size in sizes} >= languages
    assert all(size.own > 0 for size in sizes)


def test_the_document_has_the_present_table() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert HEAD in page
    assert updated(page, harness_sizes()) == page, (
        "run `PYTHONPATH=lab .runfair/environment-check/bin/python -m checking.harness_lines`"
    )


def test_the_recorder_tests_and_observers_are_apart(tmp_path: Path) -> None:
    folder = written(tmp_path / "go", harness=10, recorder=20, harness_test=40)
    (folder / "lines.py").write_text("pass\n" * 80)
    written(folder / "vectors", main=3)
    (folder / "notes.md").write_text("a line\n")
    assert size_of(folder) == HarnessSize("Go", 13, 20)


@pytest.mark.parametrize(("lines", "refused"), [(MOST_LINES, 0), (MOST_LINES + 1, 1)])
def test_a_harness_with_too_many_lines_is_told(tmp_path: Path, lines: int, refused: int) -> None:
    written(tmp_path / "go", harness=lines, recorder=50)
    written(tmp_path / "services", service=1000)
    told = list(too_large(harness_sizes(tmp_path)))
    assert told == refused * [f"the harness of Go has {MOST_LINES + 1} lines; at most 300"]


def test_a_stale_table_is_replaced_and_the_rest_stays() -> None:
    page = f"before\n\n{HEAD}| Go | 1 | 1 |\n| Ada | 2 | 2 |\n\nafter\n"
    fresh = f"before\n\n{HEAD}| Go | 3 | 4 |\n\nafter\n"
    assert updated(page, [HarnessSize("Go", 3, 4)]) == fresh
