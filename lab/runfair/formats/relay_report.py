"""The relay's files: its report (`relay/schemas/report.schema.json`), and its records with every
query."""

from __future__ import annotations

from enum import IntEnum
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from runfair.formats.record import BrokenRelayFile, Record
from runfair.formats.records_file import RowsHeader, read_record, read_rows


class Started(Record):
    """The relay's start, on both clocks."""

    realtime_ns: int
    monotonic_ns: int


class Quantiles(Record):
    """A quantity in nanoseconds; a percentile with too few values for it is None."""

    count: int
    min: int | None
    mean: float | None
    p50: int | None
    p90: int | None
    p99: int | None
    p99_9: int | None
    p99_99: int | None
    max: int | None


class Connections(Record):
    """Counts of connections: of those accepted, `refused` could not be continued to the target, and
    `reset` were broken by one side."""

    accepted: int
    refused: int
    reset: int
    most_open: int
    open_at_end: int
    accept_failures: int


class Queries(Record):
    """Counts of queries. `failed` are those of the `answered` that the server reported as failed.
    `unfinished`: not answered, or the answer not delivered, when their connection ended. The other
    fields are for PostgreSQL."""

    answered: int
    failed: int
    unfinished: int
    logins: int
    cancellations: int
    encryption_declined: int


class Punctuality(Record):
    """How long after they were due segments were sent. Segments that waited for a receiver are
    counted as `held_back` and excluded."""

    delay_error_ns: Quantiles
    held_back: int


class Bytes(Record):
    to_target: int
    to_clients: int


class Cost(Record):
    """The relay's own use of resources."""

    cpu_user_ns: int
    cpu_system_ns: int
    peak_rss_bytes: int


class RelayReport(Record):
    """A relay's report. `server_time_ns` is the time from handing a query's last byte to the kernel
    to the arrival of its answer's end; `whole_time_ns` is the time from its arrival to the answer's
    delivery, including the declared round trip. Both are for answered queries. `unparsed_streams`
    counts, by reason, connections that were read as plain TCP; if there are any, figures mix both
    kinds."""

    format: Literal["runfair-relay report"]
    version: Literal[1]
    tool_version: str
    started: Started
    elapsed_ns: int
    listen: str
    to: str
    protocol: Literal["postgresql", "redis", "tcp"]
    delay_ns: int
    connections: Connections
    queries: Queries
    unparsed_streams: dict[str, int]
    server_time_ns: Quantiles
    whole_time_ns: Quantiles
    punctuality: Punctuality
    bytes: Bytes
    cost: Cost
    records: str | None


def read_report(path: Path) -> RelayReport:
    """The report in the file. Raises BrokenRelayFile if it is not a report, or of another
    version."""
    return read_record(path, RelayReport, BrokenRelayFile, "report")


class Outcome(IntEnum):
    """The outcome of a query, by its number in `["outcome"]`."""

    GOOD = 0
    FAILED = 1
    UNFINISHED = 2


class QueriesHeader(RowsHeader):
    """The first line of the file of queries. `outcomes` are the names of the values of
    `outcome`."""

    format: Literal["runfair-relay records"]
    version: Literal[1]
    protocol: Literal["postgresql", "redis", "tcp"]
    delay_ns: int
    outcomes: list[str]
    started: Started


def read_queries(path: Path) -> npt.NDArray[np.void]:
    """The file's queries, read-only and memory-mapped. Raises BrokenRelayFile if it is not such a
    file, or ends within a record."""
    header, rows = read_rows(path, QueriesHeader, BrokenRelayFile)
    if header.outcomes != [outcome.name.lower() for outcome in Outcome]:
        raise BrokenRelayFile(path, f"outcomes {', '.join(header.outcomes)} are not known here")
    return rows
