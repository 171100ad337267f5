"""The ways in which a load ends without a result that can be read."""

from __future__ import annotations

from pathlib import Path

from runfair.errors import InvalidResult


class GeneratorLost(InvalidResult):
    """The generator ended without a result: somebody killed it, or its files could not be kept."""


class BrokenLoadFile(InvalidResult):
    """A file of a load that is not what the generator writes: torn, changed, or another's."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"{path}: {problem}")
