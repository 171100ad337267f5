"""Readers for files of the lab's own programs, and for the lines that were appended to a file of
records since it was last read. A file of the lab's own programs holds a single record, or rows of
equal size after a first line that describes their layout. The load generator's single requests
(`--records`) are such rows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Generic, Literal, TypeVar

import numpy as np
import numpy.typing as npt
from pydantic import Field, ValidationError

from runfair.errors import UserMistake
from runfair.formats.execution import Execution
from runfair.formats.host import ReferenceReading
from runfair.formats.record import BrokenFile, BrokenLoadFile, Record
from runfair.formats.service import Usage

_TYPES = {"u8": "<u1", "u16": "<u2", "u32": "<u4", "u64": "<u8"}
# The greatest length of the first line. The line has about a dozen short fields.
_LONGEST_HEADER_BYTES = 1 << 16


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
        raise broken(path, f"this is not a {what} of this version ({first})") from None


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
        raise broken(path, "this is not a records file, because the first line has no end")
    try:
        found = header.model_validate_json(first)
        dtype = found.dtype()
    except ValidationError as error:
        problem = _first_problem(error, "its first line")
        raise broken(path, f"this is not a records file of this version ({problem})") from None
    except ValueError as error:
        raise broken(
            path, (f"the first line of the file describes fields that cannot be read ({error})")
        ) from None
    count, rest = divmod(size_bytes - len(first), found.record_bytes)
    if rest:
        raise broken(
            path, (f"the file ends in the middle of a record, after {rest} bytes of this record")
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


Line = TypeVar("Line", Execution, Usage, ReferenceReading)


class AppendedLines(Generic[Line]):
    """A file that has a record on each line and may still grow. Each line is read once."""

    def __init__(self, path: Path, kind: type[Line]) -> None:
        self._path = path
        self._kind: type[Line] = kind
        self._end_bytes = 0

    def read(self) -> list[Line]:
        """The records since the last call; at the first call, all records. An incomplete last line
        is left for the next call. Raises UserMistake if a line is not such a record."""
        if not self._path.exists():
            return []
        try:
            with self._path.open("rb") as file:
                return [self._kind.model_validate_json(line) for line in self._whole_lines(file)]
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            raise UserMistake(
                f"{self._path}: this version of runfair did not write this file ({first['msg']})"
            ) from None

    def _whole_lines(self, file: BinaryIO) -> Iterator[bytes]:
        file.seek(self._end_bytes)
        for line in file:
            if line.endswith(b"\n"):
                self._end_bytes += len(line)
                yield line


def drop_torn_line(path: Path) -> None:
    """Removes an incomplete last line, so that the next record begins on a line of its own."""
    content = path.read_bytes()
    keep = content.rfind(b"\n") + 1
    if keep < len(content):
        with path.open("r+b") as file:
            file.truncate(keep)
            os.fsync(file.fileno())
