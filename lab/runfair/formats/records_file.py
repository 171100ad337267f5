"""Readers for files of the lab's own programs. A file of the lab's own programs holds a single
record, or rows of equal size after a first line that describes their layout. The load generator's
single requests (`--records`) are such rows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

import numpy as np
import numpy.typing as npt
from pydantic import Field, ValidationError

from runfair.formats.record import BrokenFile, BrokenLoadFile, Record

_TYPES = {"u8": "<u1", "u16": "<u2", "u32": "<u4", "u64": "<u8"}
# The greatest length of the first line. The line has about a dozen short fields.
_LONGEST_HEADER_BYTES = 1 << 16
_REMEDY = "use the version that wrote the file, or restore the file from a copy"


class Started(Record):
    """The start of a program or of its load, on the wall clock and on the monotonic clock."""

    realtime_ns: int
    monotonic_ns: int


class RowField(Record):
    """A field of a row: `type` is u8, u16, u32 or u64 (little-endian); `offset` is counted in
    bytes."""

    name: str
    type: Literal["u8", "u16", "u32", "u64"]
    offset: int = Field(ge=0)


class RowsHeader(Record):
    """The first line of a file of rows. The line describes how to read the rows."""

    record_bytes: int = Field(gt=0)
    fields_: list[RowField] = Field(alias="fields", min_length=1)

    def dtype(self) -> np.dtype[np.void]:
        """The numpy type of a row. Raises ValueError if the fields do not fit into a row."""
        return np.dtype(
            {
                "names": [field.name for field in self.fields_],
                "formats": [_TYPES[field.type] for field in self.fields_],
                "offsets": [field.offset for field in self.fields_],
                "itemsize": self.record_bytes,
            }
        )


AnyRecord = TypeVar("AnyRecord", bound=Record)
AnyHeader = TypeVar("AnyHeader", bound=RowsHeader)


def read_record(
    path: Path, record: type[AnyRecord], broken: type[BrokenFile], what: str
) -> AnyRecord:
    """The single record in a file. Raises `broken` if the file cannot be read as such a record;
    `what` names the expected kind of file in the message."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise broken(path, f"the file cannot be read ({error.strerror})") from None
    try:
        return record.model_validate_json(content)
    except ValidationError as error:
        first = _first_problem(error, "the document")
        raise broken(
            path, f"this version of runfair cannot read this {what} ({first}); {_REMEDY}"
        ) from None


def read_rows(
    path: Path, header: type[AnyHeader], broken: type[BrokenFile]
) -> tuple[AnyHeader, npt.NDArray[np.void]]:
    """The first line of a file of rows, and the rows, read-only and memory-mapped. Raises `broken`
    if the file is not a file of rows, or if it ends within a row."""
    try:
        with path.open("rb") as file:
            first = file.readline(_LONGEST_HEADER_BYTES)
        size_bytes = path.stat().st_size
    except OSError as error:
        raise broken(path, f"the file cannot be read ({error.strerror})") from None
    if not first.endswith(b"\n"):
        raise broken(
            path,
            "this is not a records file, because its first line does not end with a line feed",
        )
    try:
        found = header.model_validate_json(first)
        dtype = found.dtype()
    except ValidationError as error:
        problem = _first_problem(error, "its first line")
        raise broken(
            path, f"this version of runfair cannot read this records file ({problem}); {_REMEDY}"
        ) from None
    except ValueError as error:
        raise broken(
            path, f"the first line of the file describes fields that cannot be read ({error})"
        ) from None
    count, rest = divmod(size_bytes - len(first), found.record_bytes)
    if rest:
        raise broken(
            path, f"the file ends in the middle of a record, after {rest} bytes of this record"
        )
    if count == 0:
        # An empty file cannot be mapped.
        return found, np.zeros(0, dtype)
    return found, np.memmap(path, dtype, mode="r", offset=len(first), shape=(count,))


def _first_problem(error: ValidationError, whole: str) -> str:
    first = error.errors()[0]
    key = ".".join(map(str, first["loc"])) or whole
    return f"{key}: {first['msg']}"


class RecordsHeader(RowsHeader):
    """The first line of the file of requests. `kinds` names the values of the field `kind`."""

    format: Literal["runfair-load records"]
    version: Literal[1]
    loop: Literal["open", "closed"]
    kinds: list[str]
    start_monotonic_ns: int
    start_realtime_ns: int


@dataclass(frozen=True, eq=False)
class Records:
    """The single requests of a load. `rows` is a structured array (`records.rows["intended_ns"]`),
    read-only and memory-mapped. The array has an element for each request, in the order in which
    the requests' threads recorded their ends. Instants are in nanoseconds, counted from the load's
    start."""

    header: RecordsHeader
    rows: npt.NDArray[np.void]

    def of_kind(self, name: str) -> npt.NDArray[np.void]:
        """The requests of a kind: `good`, `miss`, or the name of a failure. Raises ValueError if
        the file has no kind of this name."""
        rows: npt.NDArray[np.void] = self.rows[self.rows["kind"] == self.header.kinds.index(name)]
        return rows


def read_records(path: Path) -> Records:
    """The records of a file. Raises BrokenLoadFile if the file is not a file of records, or if it
    ends within a record."""
    return Records(*read_rows(path, RecordsHeader, BrokenLoadFile))


def write_records(path: Path, header: RecordsHeader, rows: npt.NDArray[np.void]) -> None:
    """Writes a file of records. The header must describe the type of the rows."""
    assert header.dtype() == rows.dtype
    first = header.model_dump_json(by_alias=True)
    path.write_bytes(first.encode() + b"\n" + rows.tobytes())
