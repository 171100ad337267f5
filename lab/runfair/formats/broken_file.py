"""A file that is not what it should be."""

from __future__ import annotations

from pathlib import Path

from runfair.errors import InvalidResult


class BrokenFile(InvalidResult):
    """A file that is not what its program writes: torn, changed, or another's."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"{path}: {problem}")


class BrokenLoadFile(BrokenFile):
    """A file of a load, which the generator writes."""


class BrokenRelayFile(BrokenFile):
    """A file of a relay."""
