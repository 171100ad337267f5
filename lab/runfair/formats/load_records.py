"""The records file (`--records`): every request, read through the file's own first line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from runfair.formats.broken_file import BrokenLoadFile
from runfair.formats.record_file import RowsHeader, read_rows


class RecordsHeader(RowsHeader):
    """The first line. `kinds` are the names of the values of `kind`."""

    format: Literal["runfair-load records"]
    version: Literal[1]
    loop: Literal["open", "closed"]
    kinds: list[str]
    start_monotonic_ns: int
    start_realtime_ns: int


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
    return Records(*read_rows(path, RecordsHeader, BrokenLoadFile))
