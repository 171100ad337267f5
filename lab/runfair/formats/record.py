"""What every record has in common, and how a file that is none fails."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

from runfair.errors import InvalidResult

Scalar = bool | int | float | str

# A name that files are called by, wherever the record comes from: never a path, never hidden.
FileName = Annotated[str, StringConstraints(pattern=r"^[^/.\x00-\x1f][^/\x00-\x1f]*$")]


class Record(BaseModel):
    """An immutable record; an unknown key is an error, so that a misspelling cannot pass."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="null")


class BrokenFile(InvalidResult):
    """A file that is not what its program writes: torn, changed, or another's."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"{path}: {problem}")


class BrokenLoadFile(BrokenFile):
    """A file of a load, which the generator writes."""


class BrokenRelayFile(BrokenFile):
    """A file of a relay."""
