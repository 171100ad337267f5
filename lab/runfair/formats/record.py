"""What every record has in common."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

Scalar = bool | int | float | str

# A name that files are called by, wherever the record comes from: never a path, never hidden.
FileName = Annotated[str, StringConstraints(pattern=r"^[^/.\x00-\x1f][^/\x00-\x1f]*$")]


class Record(BaseModel):
    """An immutable record; an unknown key is an error, so that a misspelling cannot pass."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="null")
