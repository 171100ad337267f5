"""The base class of all records, and the errors for malformed files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

from runfair.errors import InvalidResult

Scalar = bool | int | float | str

# A name that becomes a file name. It cannot contain a folder or name a hidden file, because records
# may come from another machine.
FileName = Annotated[str, StringConstraints(pattern=r"^[^/.\x00-\x1f][^/\x00-\x1f]*$")]


class Record(BaseModel):
    """An immutable record. An unknown key is an error, so a misspelt key is noticed."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="null")


class BrokenFile(InvalidResult):
    """A file is not in the form in which its program writes it: it is incomplete, was changed, or
    comes from another program."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"{path}: {problem}")


class BrokenLoadFile(BrokenFile):
    """A broken file of the load generator."""


class BrokenRelayFile(BrokenFile):
    """A broken file of the relay."""
