"""The base classes of all records, and the errors for malformed files.

A `Row` is a record that a run has by the hundred thousand. It has slots, so it takes a third of the
memory of a `Record`. Like a record it is immutable, is validated when it is read, and does not
accept unknown keys. Its methods have the names that they have in a record.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self, TypeVar, cast, dataclass_transform

from pydantic import BaseModel, ConfigDict, StringConstraints, TypeAdapter
from pydantic.dataclasses import dataclass

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


_CONFIG = ConfigDict(extra="forbid", ser_json_inf_nan="null")


class Row:
    """An immutable record with slots. Its class is declared with `@row`."""

    __slots__: ClassVar[tuple[str, ...]] = ()

    def model_copy(self, *, update: Mapping[str, Any]) -> Self:
        """A copy in which these fields are different. The new values are not validated."""
        copied = object.__new__(type(self))
        for name in self.__slots__:
            object.__setattr__(copied, name, getattr(self, name))
        for name, value in update.items():
            object.__setattr__(copied, name, value)
        return copied

    def model_dump_json(self) -> str:
        return _adapter(type(self)).dump_json(self).decode()

    @classmethod
    def model_validate(cls, values: Mapping[str, Any]) -> Self:
        """The row with these values. Raises ValidationError."""
        found: Self = _adapter(cls).validate_python(values)
        return found

    @classmethod
    def model_validate_json(cls, content: bytes) -> Self:
        """The row in a JSON object. Raises ValidationError."""
        found: Self = _adapter(cls).validate_json(content)
        return found


AnyRow = TypeVar("AnyRow", bound=Row)


@dataclass_transform(frozen_default=True, kw_only_default=True)
def row(declared: type[AnyRow]) -> type[AnyRow]:
    """Makes a class with annotated fields a row."""
    made = dataclass(frozen=True, slots=True, kw_only=True, config=_CONFIG)(declared)
    return cast("type[AnyRow]", made)


_ADAPTERS: dict[type, TypeAdapter[Any]] = {}


def _adapter(kind: type) -> TypeAdapter[Any]:
    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return _ADAPTERS[kind]
