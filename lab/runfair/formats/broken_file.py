"""A file that is not what it should be."""

from __future__ import annotations

from pathlib import Path

from runfair.errors import InvalidResult


class BrokenLoadFile(InvalidResult):
    """A file of a load that is not what the generator writes: torn, changed, or another's."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"{path}: {problem}")


class BrokenRelayFile(InvalidResult):
    """A file of a relay that is not what the relay writes: torn, changed, or another's."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"{path}: {problem}")
