"""Tests of the garbage collections that programs count, and that the lab reads."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from runfair.events.instrumentation import collect, instrumentation
from runfair.evidence.pauses import allocation

if TYPE_CHECKING:
    from .conftest import Run

ALLOCATED_BYTES = 64 << 20
# Allocates these bytes, then collects the whole heap, and prints three readings of the clock.
PROGRAM = """
import { memory, pid, sendSignal } from 'sparrow:process';
const times = [process.hrtime.bigint()];
let last;
for (let i = 0; i < 64 * 1024; i++) last = new Array(122).fill(i);
times.push(process.hrtime.bigint());
gc();
times.push(process.hrtime.bigint());
console.log(JSON.stringify({ times: times.map(String), ...memory() }));
if (process.argv[2]) sendSignal(pid, 'SIGKILL');
"""
WAYS = {
    "a process": (("--heap=64m",), (), 1),
    "workers": (("--workers=2",), (), 3),  # and the process that starts them
    "threads": (("--threads=2",), (), 1),
    "killed": ((), ("killed",), 1),
}


def test_a_program_reads_its_memory_and_its_collections(run: Run) -> None:
    done = run(
        "import { memory } from 'sparrow:process';\n"
        "gc();\n"
        "const before = memory();\n"
        "const kept = Array.from({ length: 1e6 }, (_, i) => ({ i }));\n"
        "const full = memory();\n"
        "gc(); gc();\n"
        "const after = memory();\n"
        "console.log(JSON.stringify([before, full, after, process.memoryUsage(), kept.length]));",
        "--v8=--expose-gc",
        "--heap=256m",
    )
    before, full, after, usage, _ = json.loads(done.stdout)
    assert before["rss"] + (8 << 20) < full["rss"] < 512 << 20
    assert before["heapUsed"] + (8 << 20) < full["heapUsed"] <= full["heapTotal"]
    assert full["heapLimit"] == 256 << 20
    assert full["minorCollections"] > before["minorCollections"]
    assert after["majorCollections"] >= full["majorCollections"] + 2
    assert before["collectionMs"] < full["collectionMs"] < after["collectionMs"]
    assert usage["heapUsed"] <= usage["heapTotal"] < usage["rss"]


@pytest.mark.parametrize("way", WAYS)
def test_the_lab_reads_each_collection(way: str, sparrow: Path, tmp_path: Path) -> None:
    options, arguments, processes = WAYS[way]
    program = tmp_path / "program.js"
    program.write_text(PROGRAM)
    asked = instrumentation("sparrow", tmp_path / "events", os.environ)
    assert asked is not None
    done = subprocess.run(
        [sparrow, "--v8=--expose-gc", *options, program, *arguments],
        env={**os.environ, **asked.environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == (-signal.SIGKILL if way == "killed" else 0), done.stderr
    told = [json.loads(line) for line in done.stdout.splitlines()]
    reading = collect("sparrow", tmp_path / "events", None)
    assert (reading.processes, reading.unread) == (processes, 0)
    minor = [event for event in reading.events if event.text.startswith("scavenge")]
    major = [event for event in reading.events if event.text.startswith("mark-sweep-compact")]
    assert len(minor) >= sum(one["minorCollections"] for one in told) > 0
    for one in told:
        _, allocated_ns, end_ns = map(int, one["times"])
        assert any(allocated_ns <= event.started_ns < event.ended_ns <= end_ns for event in major)
    heaps = {(event.pid, event.heap.heap) for event in minor if event.heap is not None}
    assert len(heaps) == len(told)
    # The heap that fills up before the first collection and after the last is not seen.
    found = allocation(minor)
    assert found is not None
    seconds = (minor[-1].started_ns - minor[0].started_ns) / 1e9
    if len(told) == 1:
        assert found.bytes_per_s * seconds == pytest.approx(ALLOCATED_BYTES, rel=0.1)


def test_a_folder_that_cannot_be_written_is_one_line(sparrow: Path, tmp_path: Path) -> None:
    (tmp_path / "program.js").write_text("")
    done = subprocess.run(
        [sparrow, tmp_path / "program.js"],
        env={**os.environ, "SPARROW_EVENTS": str(tmp_path / "missing")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr.startswith(f"sparrow: SPARROW_EVENTS: '{tmp_path}/missing/v8-")
    assert (done.stderr.count("\n"), done.returncode) == (1, 2)
