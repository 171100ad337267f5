"""The commit that a run measured, where somebody wrote it down: a file `commit` in its folder.

What a run measures need not be in a repository, nor in one only; so nothing guesses at it. A CI job
knows: `git rev-parse HEAD >RUN/commit`.
"""

from __future__ import annotations

from pathlib import Path

from runfair.wording.text import plain

LONGEST = 100


def commit_of(run: Path) -> str:
    """Its first line; "" where there is none."""
    try:
        with (run / "commit").open(encoding="utf-8", errors="replace") as file:
            return plain(file.readline(LONGEST))
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return ""
