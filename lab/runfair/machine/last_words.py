"""What a program complained of, in the one line of it that says most, to stand behind the reason
for its failure."""

from __future__ import annotations

import re
from pathlib import Path

LONGEST = 200
# Of a stack that overflowed a JVM writes 1,024 frames, about 60 KB.
_TAIL_BYTES = 1 << 17

# How a runtime says what ended it, before it says where: V8, Go, Java, Node.js and Python. The last
# such line is the cause of those before it.
_SAYS_WHY = re.compile(
    r"FATAL ERROR: |Fatal javascript |fatal error: |panic: |Exception in thread |Caused by: "
    r"|[\w.]*(Error|Exception)\b"
)
# Rust's panics end with this; what they say stands in the line before.
_ADVICE = re.compile(r"note: run with `RUST_BACKTRACE")


def last_words(stderr: Path) -> str:
    """`: ` and one line of the file, shortened: the last that says why a runtime ended, or else the
    last; empty where there is none."""
    if not stderr.exists():
        return ""
    with stderr.open("rb") as file:
        file.seek(max(0, stderr.stat().st_size - _TAIL_BYTES))
        text = file.read().decode("utf-8", "replace")
    lines = [line.strip("# \t") for line in text.splitlines()]
    told = [line for line in lines if line and not _ADVICE.match(line)]
    why = [line for line in told if _SAYS_WHY.match(line)] or told
    return f": {why[-1][:LONGEST]}" if why else ""
