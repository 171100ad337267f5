"""Whole runs: measured, recorded, judged, shown; interrupted and completed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from laboratory import Lab, small, wait_until
from processes import descendants
from runfair.paths import SCHEMAS

Keep = Callable[[subprocess.Popen[str]], subprocess.Popen[str]]


def schema(name: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads((SCHEMAS / f"{name}.schema.json").read_text()))


def test_a_run_is_recorded_whole_and_prints_its_figures(lab: Lab) -> None:
    done = lab.measured("run", lab.experiment(), "--profile", "smoke", "--json")
    assert "whole process" not in done.stderr  # a table that is shown while the run goes on
    result = json.loads(done.stdout)
    schema("result").validate(result)
    assert result["complete"]
    cells = {(one["language"], one["mode"]): one for one in result["cells"]}
    assert set(cells) == {(a, b) for a in ("c++", "rust") for b in ("steady", "cold")}
    for cell in cells.values():
        assert cell["executions"] == 4
        assert cell["failed"] == 0
        for figure in cell["figures"].values():
            # Smoke is never fair, and a void figure is no number.
            assert figure["verdict"] in ("flagged", "void")
            assert (figure["value"] is None) == (figure["verdict"] == "void")
        assert cell["figures"]["memory"]["value"] > 500_000
    cpu = cells["rust", "steady"]["figures"]["cpu"]
    assert 0.05 < cpu["relative"]["value"] < 20

    folder = lab.run_folder()
    schema("experiment").validate(json.loads((folder / "experiment.json").read_text()))
    schema("verdict").validate(json.loads((folder / "verdict.json").read_text()))
    (machine,) = (folder / "machines").iterdir()
    schema("machine").validate(json.loads(machine.read_text()))
    for execution in lab.executions():
        schema("execution").validate(execution)
        lines = (folder / "iterations" / f"{execution['id']}.jsonl").read_text().splitlines()
        assert len(lines) == execution["iterations"]
        for line in lines[:3]:
            schema("program").validate(json.loads(line))
    assert "sort · classic · tiny · steady" in (folder / "tables.md").read_text()

    again = lab("report", "latest")
    assert again.returncode == done.returncode
    assert "CPU time" in again.stdout
    # The line on standard error, where a question has no answer, is one of them.
    assert len(again.stdout.splitlines()) + len(again.stderr.splitlines()) <= 24
    details = lab("report", "latest", "--details").stdout
    assert "sort · classic · tiny · steady" in details
    assert details.endswith(again.stdout)
    compared = lab("compare", "latest", "--variants", *_variants(result))
    assert compared.returncode == 0, compared.stderr
    assert "paired on half-blocks" in compared.stdout
    twice = lab("compare", "latest", "latest")
    assert "the second run against the first" in twice.stdout


def _variants(result: dict[str, list[dict[str, str]]]) -> list[str]:
    return list(dict.fromkeys(cell["variant"] for cell in result["cells"]))


def test_a_killed_lab_loses_one_execution_leaves_no_orphan_and_resumes(
    lab: Lab, background: Keep
) -> None:
    process = background(lab.start("run", lab.experiment(), "--profile", "smoke"))
    wait_until(lambda: _recorded(lab) >= 3)
    children = _some_descendants(process.pid)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = [one["id"] for one in lab.executions()]
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in children), 20)
    plan = (lab.run_folder() / "experiment.json").read_text()

    done = lab.measured("resume", "latest", "--json", "--wait", "10")
    assert json.loads(done.stdout)["complete"]
    assert (lab.run_folder() / "experiment.json").read_text() == plan
    after = [one["id"] for one in lab.executions()]
    assert after[: len(before)] == before
    planned = {one["id"] for one in json.loads(plan)["executions"]}
    assert {one.split(".")[0] for one in after} == planned
    assert "the run is complete" in lab("resume", "latest").stderr


def test_a_torn_record_is_dropped_on_resuming(lab: Lab) -> None:
    done = lab.measured("run", lab.experiment(), "--profile", "smoke")
    # The cold programs' table is shown when their last execution has ended.
    before, _, after = done.stderr.partition("sort · classic: whole process")
    assert "8 of 16 executions" in before
    assert "9 of 16 executions" in after
    file = lab.run_folder() / "executions.jsonl"
    content = file.read_bytes()
    file.write_bytes(content[:-20])
    lab.measured("resume", "latest")
    executions = lab.executions()
    assert executions[-1]["attempt"] == 2
    assert len({one["planned"] for one in executions}) == 16


def test_ctrl_c_says_how_to_go_on(lab: Lab, background: Keep) -> None:
    process = background(lab.start("run", lab.experiment(), "--profile", "smoke"))
    wait_until(lambda: _recorded(lab) >= 1)
    children = _some_descendants(process.pid)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "./runfair resume" in err
    assert "Traceback" not in err
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in children), 20)


def test_a_second_run_on_the_machine_is_refused_or_waits(lab: Lab, background: Keep) -> None:
    long = lab.experiment(small(max_seconds=2.0), "long")
    first = background(lab.start("run", long, "--profile", "smoke"))
    wait_until(lambda: _recorded(lab) >= 1)
    # On a busy machine the second run may need longer to its start than the first to its end.
    first.send_signal(signal.SIGSTOP)
    line = lab.refuses("run", lab.experiment(), "--profile", "smoke", "--wait", "0")
    first.send_signal(signal.SIGCONT)
    assert "is already measuring on this machine" in line
    lab.measured("run", lab.experiment(), "--profile", "smoke", "--wait", "240", "--json")
    first.communicate(timeout=60)
    runs = sorted(lab.results.iterdir())
    assert len(runs) == 2
    ends, starts = [
        [json.loads(line) for line in (run / "executions.jsonl").read_text().splitlines()]
        for run in runs
    ]
    last = ends[-1]["launch"]
    assert last["started_monotonic_ns"] + last["wall_ns"] <= min(
        one["launch"]["started_monotonic_ns"] for one in starts
    )


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small file system needs root")
def test_a_full_disk_keeps_what_was_measured(lab: Lab) -> None:
    lab.results.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=160k", "runfair-test", lab.results], check=False
    )
    if mounted.returncode != 0:
        pytest.skip("this machine does not let root mount a tmpfs")
    try:
        line = lab.refuses("run", lab.experiment(), "--profile", "smoke")
        assert "no space left on the disk" in line
        recorded = _recorded(lab)
        subprocess.run(["mount", "-o", "remount,size=64m", lab.results], check=True)
        lab.measured("resume", "latest")
        assert len(lab.executions()) >= max(16, recorded)
    finally:
        subprocess.run(["umount", lab.results], check=True)


def _recorded(lab: Lab) -> int:
    files = list(lab.results.glob("*/executions.jsonl"))
    return sum(len(file.read_bytes().splitlines()) for file in files)


def _some_descendants(pid: int) -> set[int]:
    """Of a lab between two executions there are none for a moment: then look again."""
    found: set[int] = set()

    def look() -> bool:
        found.update(descendants(pid))
        return bool(found)

    wait_until(look, 30)
    return found
