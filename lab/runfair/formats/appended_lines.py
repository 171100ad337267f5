"""The lines that were appended to a file of records since it was last read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Generic, TypeVar

from pydantic import ValidationError

from runfair.errors import UserMistake
from runfair.formats.execution import Execution
from runfair.formats.host import ReferenceReading
from runfair.formats.service import Usage

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
                f"{self._path}: another version of runfair wrote this file, or the file is damaged "
                f"({first['msg']}); use the version that wrote the file"
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
