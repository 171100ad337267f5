"""The end of what a program complained of, to stand behind the reason for its failure."""

from __future__ import annotations

from pathlib import Path

LONGEST = 200
_TAIL_BYTES = 4096


def last_words(stderr: Path) -> str:
    """`: ` and the last line of the file, shortened; empty where there is none."""
    if not stderr.exists():
        return ""
    with stderr.open("rb") as file:
        file.seek(max(0, stderr.stat().st_size - _TAIL_BYTES))
        lines = file.read().decode("utf-8", "replace").strip().splitlines()
    return f": {lines[-1][:LONGEST]}" if lines else ""
