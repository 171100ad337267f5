"""What every record has in common."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

Scalar = bool | int | float | str


class Record(BaseModel):
    """An immutable record; an unknown key is an error, so that a misspelling cannot pass."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="null")
