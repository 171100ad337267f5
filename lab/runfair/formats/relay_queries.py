"""The relay's records file: every query, read through the file's own first line."""

from __future__ import annotations

from enum import IntEnum
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from runfair.formats.broken_file import BrokenRelayFile
from runfair.formats.record_file import RowsHeader, read_rows
from runfair.formats.relay_report import Started


class Outcome(IntEnum):
    """What became of a query; its number in `["outcome"]`."""

    GOOD = 0
    FAILED = 1
    UNFINISHED = 2


class QueriesHeader(RowsHeader):
    """The first line. `outcomes` are the names of the values of `outcome`."""

    format: Literal["runfair-relay records"]
    version: Literal[1]
    protocol: Literal["postgresql", "redis", "tcp"]
    delay_ns: int
    outcomes: list[str]
    started: Started


def read_queries(path: Path) -> npt.NDArray[np.void]:
    """The file's records, read only and mapped from it. Raises BrokenRelayFile where it is none,
    or ends within a record."""
    header, rows = read_rows(path, QueriesHeader, BrokenRelayFile)
    if header.outcomes != [outcome.name.lower() for outcome in Outcome]:
        raise BrokenRelayFile(path, f"outcomes {', '.join(header.outcomes)} are not known here")
    return rows
