"""What real, stock runtimes tell of a program that allocates 512 MiB, all of which is known."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from events.watching import PROGRAMS, Watched, needed, watch
from runfair.evidence.pauses import allocation

ALLOCATED_BYTES = 512 << 20


def assert_told(watched: Watched, between_bytes: int) -> None:
    """What was allocated from the first collection to the last, to within the heap that may fill up
    before the one and after the other, and 2% of whatever else runs."""
    assert watched.status == 0
    (window,) = watched.windows
    told = [
        event
        for event in watched.reading.events
        if event.heap is not None and window[0] <= event.started_ns <= window[1]
    ]
    found = allocation(told)
    assert found is not None
    seconds = (told[-1].started_ns - told[0].started_ns) / 1e9
    allocated_bytes = found.bytes_per_s * seconds
    off_bytes = found.rounding * allocated_bytes
    assert allocated_bytes <= 1.02 * ALLOCATED_BYTES + off_bytes
    assert allocated_bytes >= 0.98 * ALLOCATED_BYTES - 2 * between_bytes - off_bytes


@pytest.mark.parametrize("collector", ["Serial", "Parallel", "G1"])
def test_jvm(collector: str, tmp_path: Path) -> None:
    java, javac = needed("java"), needed("javac")
    source = PROGRAMS / "KnownAllocation.java"
    subprocess.run([javac, "--release", "11", "-d", tmp_path, source], check=True)
    options = [f"-XX:+Use{collector}GC", "-Xmx128m", "-Xmn32m"]
    command = [java, *options, "-cp", str(tmp_path), "KnownAllocation"]
    assert_told(watch("openjdk", command, tmp_path / "events"), 32 << 20)


@pytest.mark.parametrize("collector", ["Z", "Shenandoah"])
def test_a_jvm_that_frees_beside_the_program_tells_nothing(collector: str, tmp_path: Path) -> None:
    java, javac = needed("java"), needed("javac")
    option = f"-XX:+Use{collector}GC"
    if subprocess.run([java, option, "-version"], capture_output=True, check=False).returncode:
        pytest.skip(f"has no {collector} collector")
    source = PROGRAMS / "KnownAllocation.java"
    subprocess.run([javac, "--release", "11", "-d", tmp_path, source], check=True)
    command = [java, option, "-Xmx128m", "-cp", str(tmp_path), "KnownAllocation"]
    watched = watch("openjdk", command, tmp_path / "events")
    assert {event.kind for event in watched.reading.events} >= {"gc_pause"}
    assert [event.heap for event in watched.reading.events if event.heap is not None] == []


def test_go(tmp_path: Path) -> None:
    go = needed("go", "/usr/local/go/bin/go")
    program = tmp_path / "program"
    subprocess.run(
        [go, "build", "-o", program, PROGRAMS / "known_allocation.go"],
        check=True,
        env={**os.environ, "GOFLAGS": "-p=1", "CGO_ENABLED": "0"},
    )
    assert_told(watch("go", [str(program)], tmp_path / "events"), 0)


def test_node(tmp_path: Path) -> None:
    command = [needed("node"), str(PROGRAMS / "known_allocation.cjs")]
    assert_told(watch("node", command, tmp_path / "events"), 32 << 20)


def test_python_counts_references_and_tells_no_heap(tmp_path: Path) -> None:
    command = [needed("python3"), str(PROGRAMS / "induced_collections.py")]
    watched = watch("cpython", command, tmp_path / "events")
    assert watched.reading.events
    assert allocation(watched.reading.events) is None
