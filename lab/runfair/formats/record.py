"""The base class of all records, and the errors for malformed files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

from runfair.errors import InvalidResult

Scalar = bool | int | float | str

# A name that becomes a file name. It is never a path and never hidden, because records may come
# from elsewhere.
FileName = Annotated[str, StringConstraints(pattern=r"^[^/.\x00-\x1f][^/\x00-\x1f]*$")]


class Record(BaseModel):
    """An immutable record; an unknown key is an error, so a misspelling cannot pass."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="null")


class BrokenFile(InvalidResult):
    """A file that its program did not write in this form: torn, changed, or another program's."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"{path}: {problem}")


class BrokenLoadFile(BrokenFile):
    """A broken file of the load generator."""


class BrokenRelayFile(BrokenFile):
    """A broken file of the relay."""
