"""The relay's records file: every query, read through the file's own first line."""

from __future__ import annotations

from enum import IntEnum
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field, ValidationError

from runfair.formats.broken_file import BrokenRelayFile
from runfair.formats.load_records import RecordField
from runfair.formats.record import Record
from runfair.formats.relay_report import Started

# The first line has a dozen short fields.
_LONGEST_HEADER_BYTES = 1 << 16
_BITS_PER_BYTE = 8


class Outcome(IntEnum):
    """What became of a query; its number in `["outcome"]`."""

    GOOD = 0
    FAILED = 1
    UNFINISHED = 2


class QueriesHeader(Record):
    """The first line: how to read the rest. `outcomes` are the names of the values of `outcome`."""

    format: Literal["runfair-relay records"]
    version: Literal[1]
    protocol: Literal["postgresql", "redis", "tcp"]
    delay_ns: int
    record_bytes: int = Field(gt=0)
    fields_: list[RecordField] = Field(alias="fields", min_length=1)
    outcomes: list[str]
    started: Started

    def dtype(self) -> np.dtype[np.void]:
        """A record as numpy sees it. ValueError where the fields do not fit it."""
        sizes = [int(field.type[1:]) // _BITS_PER_BYTE for field in self.fields_]
        return np.dtype(
            {
                "names": [field.name for field in self.fields_],
                "formats": [f"<u{size}" for size in sizes],
                "offsets": [field.offset for field in self.fields_],
                "itemsize": self.record_bytes,
            }
        )


def read_queries(path: Path) -> npt.NDArray[np.void]:
    """The file's records, read only and mapped from it. Raises BrokenRelayFile where it is none,
    or ends within a record."""
    try:
        with path.open("rb") as file:
            first = file.readline(_LONGEST_HEADER_BYTES)
        size_bytes = path.stat().st_size
    except OSError as error:
        raise BrokenRelayFile(path, f"cannot be read: {error.strerror}") from None
    if not first.endswith(b"\n"):
        raise BrokenRelayFile(path, "not a records file: its first line does not end")
    try:
        header = QueriesHeader.model_validate_json(first)
        dtype = header.dtype()
    except ValidationError as error:
        where = error.errors()[0]
        key = ".".join(map(str, where["loc"])) or "its first line"
        raise BrokenRelayFile(path, f"not a records file: {key}: {where['msg']}") from None
    except ValueError as error:
        raise BrokenRelayFile(path, f"its fields are not laid out as it says: {error}") from None
    if header.outcomes != [outcome.name.lower() for outcome in Outcome]:
        raise BrokenRelayFile(path, f"outcomes {', '.join(header.outcomes)} are not known here")
    count, rest = divmod(size_bytes - len(first), header.record_bytes)
    if rest:
        raise BrokenRelayFile(path, f"ends {rest} bytes after the beginning of a record")
    if count == 0:
        # A mapping cannot be empty.
        return np.zeros(0, dtype)
    return np.memmap(path, dtype, mode="r", offset=len(first), shape=(count,))
