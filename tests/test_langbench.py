"""LangBench as a run has it: driven servers, heaps that are too small, the user's own inputs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from laboratory import Lab, default_of
from runfair.machine.page_cache import cannot_empty

GRAPH = "# a square and its diagonal\n1\t2\n2\t3\n3\t4\n4\t1\n1\t3\n"


def variants(*languages: str) -> str:
    return f"variants = {json.dumps([default_of(language) for language in languages])}\n"


def measured(lab: Lab, *measures: str) -> tuple[int, dict[str, dict[str, Any]], str]:
    """Exit status, cells by id, what was said to people."""
    text = "".join(f"[[measure]]\nmodes = ['cold']\n{measure}\n" for measure in measures)
    done = lab("run", lab.experiment(text), "--profile", "smoke", "--json")
    assert "Traceback" not in done.stderr, done.stderr
    cells = {one["id"]: one for one in json.loads(done.stdout)["cells"]}
    return done.returncode, cells, done.stderr


def unequal(cells: dict[str, dict[str, Any]]) -> list[str]:
    """What is said to make conditions unequal, or answers wrong."""
    return [
        finding["text"]
        for cell in cells.values()
        for figure in cell["figures"].values()
        for finding in figure["findings"]
        if finding["check"] in ("equal_conditions", "digest") and finding["severity"] == "fault"
    ]


def test_servers_are_driven_and_their_passes_are_iterations(lab: Lab) -> None:
    _, cells, _ = measured(
        lab,
        f'benchmarks = ["key-value"]\n{variants("c++", "python")}connections = [1, 4]',
        f'benchmarks = ["file-server"]\n{variants("c++")}',
    )
    assert all(cell["failed"] == 0 for cell in cells.values())
    assert not unequal(cells)
    driven = [one for one in lab.executions() if one["start"]["benchmark"] == "key-value"]
    assert driven
    for one in driven:
        assert [load["name"] for load in one["driven"]] == ["set", "get"]
        assert one["iterations"] == 1
        assert one["digest"]
    connections = {cell["drive"]["connections"] for cell in cells.values()}
    assert {1, 4} <= connections
    (files,) = [cell for cell in cells.values() if cell["benchmark"] == "file-server"]
    for one in lab.executions():
        if one["cell"] == files["id"]:
            lines = lab.run_folder() / "iterations" / f"{one['id']}.jsonl"
            assert len(lines.read_text().splitlines()) == one["iterations"] == 1
            # Every answer was compared, and the pass left its result.
            (passed,) = (lab.run_folder() / "raw" / one["id"]).glob("pass-*.json")
            requests = json.loads(passed.read_text())["requests"]
            assert requests["checked"] == requests["good"] == requests["scheduled"]


def test_a_heap_that_is_too_small_fails_alone(lab: Lab) -> None:
    status, cells, _ = measured(
        lab,
        f'benchmarks = ["sort"]\n{variants("java")}sizes = ["small"]\nheap = ["2 MiB", "512 MiB"]',
    )
    assert status == 3
    by_heap = {cell["factors"]["heap_bytes"]: cell for cell in cells.values()}
    small, large = by_heap[2 << 20], by_heap[512 << 20]
    assert (small["executions"], large["failed"]) == (0, 0)
    reasons = {one["outcome"]["reason"] for one in lab.executions() if one["cell"] == small["id"]}
    assert all("\n" not in reason for reason in reasons)
    assert all("initialization of VM" in reason for reason in reasons), reasons


def test_a_heap_that_runs_full_is_told_in_one_line(lab: Lab) -> None:
    """Where the runtime writes pages of frames behind it, or before."""
    status, cells, _ = measured(
        lab,
        f'benchmarks = ["sort"]\n{variants("java", "javascript")}sizes = ["large"]\n'
        'heap = ["16 MiB"]',
    )
    assert status == 3
    assert all(cell["executions"] == 0 for cell in cells.values())
    said = {one["cell"].split("/")[-2]: one["outcome"]["reason"] for one in lab.executions()}
    full = {"java": "OutOfMemoryError: Java heap space", "javascript": "heap out of memory"}
    for language, words in full.items():
        assert said[default_of(language)].endswith(words)


def test_the_smallest_heap_is_found_and_swept(lab: Lab) -> None:
    _, cells, _ = measured(
        lab,
        f'benchmarks = ["sort"]\n{variants("java", "c++")}sizes = ["small"]\nheap_search = true',
    )
    heaps = [cell["factors"]["heap_bytes"] for cell in cells.values() if cell["language"] == "java"]
    found = [heap for heap in heaps if heap]
    assert len(found) >= 5
    assert max(found) >= 7 * min(found)
    assert all(cell["failed"] == 0 for cell in cells.values())
    assert "by heap" in (lab.run_folder() / "tables.md").read_text()


def test_the_users_own_graph_and_logs(lab: Lab, tmp_path: Path) -> None:
    graph = tmp_path / "mine.txt"
    graph.write_text(GRAPH)
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "a.log").write_bytes(b"one 17 \xff line\nanother line\n")
    (logs / "b.log").write_bytes(b"no end of line 17")
    (tmp_path / "queries.txt").write_text("line\n*17*\nnothing like it\n")
    languages = variants("c++", "go", "python")
    _, cells, _ = measured(
        lab,
        f'benchmarks = ["colouring-iterative"]\n{languages}input = "{graph}"',
        f'benchmarks = ["log-indexed", "log-regex"]\n{languages}input = "{logs}"\n'
        f'params = {{ queries = "{tmp_path / "queries.txt"}" }}',
    )
    assert all(cell["failed"] == 0 for cell in cells.values())
    assert not unequal(cells)
    digests: dict[str, set[str]] = {}
    for one in lab.executions():
        digests.setdefault(one["start"]["benchmark"], set()).add(one["digest"])
    # The languages agree, and so do the two ways of searching.
    assert {name: len(found) for name, found in digests.items()} == {"colouring": 1, "log": 1}


def test_junk_in_an_input_fails_its_cells_in_one_line(lab: Lab, tmp_path: Path) -> None:
    graph = tmp_path / "junk.txt"
    graph.write_text("1\t2\nthree\tfour\n")
    status, cells, _ = measured(
        lab,
        f'benchmarks = ["colouring-recursive"]\n{variants("c++", "python")}input = "{graph}"',
        f'benchmarks = ["sudoku"]\n{variants("c++")}',
    )
    assert status == 3
    for one in lab.executions():
        if one["start"] is None or one["start"]["benchmark"] == "colouring":
            assert one["outcome"]["state"] == "failed"
            assert "line 2 of the input" in one["outcome"]["reason"]
    assert all(cell["failed"] == 0 for cell in cells.values() if cell["benchmark"] == "sudoku")


def test_an_input_that_is_not_there_fails_its_cells_alone(lab: Lab, tmp_path: Path) -> None:
    status, cells, said = measured(
        lab,
        f'benchmarks = ["log-regex"]\n{variants("c++", "go")}input = "{tmp_path / "logs"}"',
        f'benchmarks = ["sudoku"]\n{variants("c++")}',
    )
    assert status == 3
    assert (
        said.count(
            f"{tmp_path / 'logs'}: the input file of log-regex does not exist; name an existing "
            "file\n"
        )
        == 4
    )  # executions
    assert "1 of 2 questions in the conclusion has no answer" in said
    for cell in cells.values():
        assert cell["failed"] == (2 if cell["benchmark"] == "log-regex" else 0)
    assert lab("report", "latest").returncode == 3


@pytest.mark.skipif(bool(cannot_empty()), reason="only root may empty the page cache")
@pytest.mark.alone
def test_start_up_from_storage_is_told_apart_from_the_work(lab: Lab) -> None:
    _, cells, _ = measured(
        lab,
        f'benchmarks = ["sudoku"]\n{variants("java")}page_cache = ["empty", "warm"]',
    )
    for one in lab.executions():
        assert one["start"]["realtime_ns"] > one["launch"]["started_realtime_ns"]
    assert "start-up" in (lab.run_folder() / "tables.md").read_text()
    assert {cell["factors"]["page_cache"] for cell in cells.values()} == {"empty", "warm"}
