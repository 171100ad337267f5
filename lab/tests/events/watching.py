"""Running a program with its runtime's events collected, as the lab does."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from runfair.events.instrumentation import collect, instrumentation
from runfair.events.reading import Reading
from runfair.events.stamped_stream import StampedStream
from runfair.formats.event import Event

PROGRAMS = Path(__file__).with_name("programs")
TIMEOUT_S = 120


@dataclass(frozen=True)
class Watched:
    """`windows`: the pairs of monotonic readings between which a collection was induced."""

    reading: Reading
    windows: list[tuple[int, int]]
    status: int
    stdout: str
    stderr: str


def watch(
    family: str, command: list[str], folder: Path, environment: dict[str, str] | None = None
) -> Watched:
    surroundings = {**os.environ, **(environment or {})}
    asked = instrumentation(family, folder, surroundings)
    assert asked is not None
    kept = folder / "stderr"
    stamped = (
        StampedStream.of_fifo(asked.stderr, kept, stamps=folder / "stamps")
        if asked.stderr
        else None
    )
    with ExitStack() as stack:
        if stamped is not None:
            stack.enter_context(stamped)
        with (asked.stderr or kept).open("wb") as stderr:
            done = subprocess.run(
                command,
                env=surroundings | asked.environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=stderr,
                timeout=TIMEOUT_S,
                check=False,
            )
    stdout = done.stdout.decode()
    # Every line the program wrote must still be its own: a trace among them would not parse.
    marks = [json.loads(line) for line in stdout.splitlines()]
    return Watched(
        collect(family, folder, stamped),
        [(mark["before_ns"], mark["after_ns"]) for mark in marks],
        done.returncode,
        stdout,
        kept.read_text(),
    )


def shown(
    watched: Watched,
    margin_ns: int,
    is_it: Callable[[Event], bool] = lambda event: event.kind == "gc_pause",
    shift_ns: int = 0,
) -> int:
    """How many windows hold a matching event, its time shifted, to within the margin."""
    return sum(
        any(
            before - margin_ns <= event.started_ns + shift_ns
            and event.ended_ns + shift_ns <= after + margin_ns
            for event in watched.reading.events
            if is_it(event)
        )
        for before, after in watched.windows
    )


def needed(*names: str) -> str:
    """The first of these that is here."""
    for name in names:
        if found := shutil.which(name):
            return found
    pytest.skip(f"needs {' or '.join(names)}")
