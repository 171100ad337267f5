"""The records file (`--records`): every request, read through the file's own first line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field, ValidationError

from runfair.formats.broken_file import BrokenLoadFile
from runfair.formats.record import Record

FORMAT = "runfair-load records"
VERSION = 1

_TYPES = {"u8": "<u1", "u16": "<u2", "u32": "<u4", "u64": "<u8"}
# The first line has a dozen short fields.
_LONGEST_HEADER_BYTES = 1 << 16


class RecordField(Record):
    """A field of a record: `type` is u8, u16, u32 or u64, little-endian, `offset` in bytes."""

    name: str
    type: Literal["u8", "u16", "u32", "u64"]
    offset: int = Field(ge=0)


class RecordsHeader(Record):
    """The first line: how to read the rest. `kinds` are the names of the values of `kind`."""

    format: str
    version: int
    loop: Literal["open", "closed"]
    record_bytes: int = Field(gt=0)
    fields_: list[RecordField] = Field(alias="fields", min_length=1)
    kinds: list[str]
    start_monotonic_ns: int
    start_realtime_ns: int

    def dtype(self) -> np.dtype[np.void]:
        """A record as numpy sees it. ValueError where the fields do not fit it."""
        return np.dtype(
            {
                "names": [field.name for field in self.fields_],
                "formats": [_TYPES[field.type] for field in self.fields_],
                "offsets": [field.offset for field in self.fields_],
                "itemsize": self.record_bytes,
            }
        )


@dataclass(frozen=True, eq=False)
class Records:
    """`rows` is a structured array, one element a request in the order in which its thread knew
    of its end, read only and mapped from the file: `records.rows["intended_ns"]`. Instants are
    nanoseconds since the load's start."""

    header: RecordsHeader
    rows: npt.NDArray[np.void]

    def of_kind(self, name: str) -> npt.NDArray[np.void]:
        """The requests that ended so: `good`, `miss`, or a failure by its name. ValueError for a
        name that the file does not have."""
        rows: npt.NDArray[np.void] = self.rows[self.rows["kind"] == self.header.kinds.index(name)]
        return rows


def read_records(path: Path) -> Records:
    """The file's records. Raises BrokenLoadFile where it is none, or ends within a record."""
    try:
        with path.open("rb") as file:
            first = file.readline(_LONGEST_HEADER_BYTES)
        size_bytes = path.stat().st_size
    except OSError as error:
        raise BrokenLoadFile(path, f"cannot be read: {error.strerror}") from None
    header, dtype = _understood(path, first)
    count, rest = divmod(size_bytes - len(first), header.record_bytes)
    if rest:
        raise BrokenLoadFile(path, f"ends {rest} bytes after the beginning of a record")
    if count == 0:
        # A mapping cannot be empty.
        return Records(header, np.zeros(0, dtype))
    return Records(header, np.memmap(path, dtype, mode="r", offset=len(first), shape=(count,)))


def _understood(path: Path, first: bytes) -> tuple[RecordsHeader, np.dtype[Any]]:
    if not first.endswith(b"\n"):
        raise BrokenLoadFile(path, "not a records file: its first line does not end")
    try:
        header = RecordsHeader.model_validate_json(first)
        dtype = header.dtype()
    except ValidationError as error:
        where = error.errors()[0]
        key = ".".join(map(str, where["loc"])) or "its first line"
        raise BrokenLoadFile(path, f"not a records file: {key}: {where['msg']}") from None
    except ValueError as error:
        raise BrokenLoadFile(path, f"its fields are not laid out as it says: {error}") from None
    if (header.format, header.version) != (FORMAT, VERSION):
        raise BrokenLoadFile(
            path, f"'{header.format}' {header.version} where '{FORMAT}' {VERSION} is read"
        )
    return header, dtype
