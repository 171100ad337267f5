"""The stored outputs, read."""

from __future__ import annotations

from pathlib import Path

from runfair.formats.foreign import recognise
from runfair.formats.foreign.result import ForeignResult

SAMPLES = Path(__file__).parent / "samples"
INTERVAL_LOG = Path(__file__).parents[2] / "loading" / "samples" / "load.hlog"
NAMES = sorted(path.name for path in SAMPLES.iterdir() if path.name != "README.md")


def text(name: str) -> str:
    return (SAMPLES / name).read_bytes().decode("utf-8", errors="replace")


def results(name: str) -> tuple[ForeignResult, ...]:
    return recognise(text(name))


def result(name: str) -> ForeignResult:
    """Of a sample that holds one."""
    (found,) = results(name)
    return found
