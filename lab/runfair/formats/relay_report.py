"""The relay's files: its report (`relay/schemas/report.schema.json`), and its records with every
query."""

from __future__ import annotations

from enum import IntEnum
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from runfair.formats.record import BrokenRelayFile, Record
from runfair.formats.records_file import RowsHeader, Started, read_record, read_rows


class Quantiles(Record):
    """The percentiles of a quantity, in nanoseconds. A percentile is None if there are too few
    values for it."""

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
    """Counts of connections. Of the `accepted` connections, `refused` counts those that could not
    be continued to the target, `reset` those that one side broke."""

    accepted: int
    refused: int
    reset: int
    most_open: int
    open_at_end: int
    accept_failures: int


class Queries(Record):
    """Counts of queries. `failed` counts the `answered` queries that the server reported as failed.
    `unfinished` counts the queries whose answer was not delivered when their connection ended.
    Logins, cancellations and declined encryption are used only for PostgreSQL."""

    answered: int
    failed: int
    unfinished: int
    logins: int
    cancellations: int
    encryption_declined: int


class Punctuality(Record):
    """The delays between the instants at which segments were due and those at which they were sent.
    Segments that waited for a slow receiver are excluded; `held_back` counts them."""

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
    to the arrival of the answer's end. `whole_time_ns` is the time from the query's arrival to the
    answer's delivery, including the declared round trip. Both times cover only answered queries.
    `unparsed_streams` counts, by reason, the connections that were read as plain TCP. If there are
    any, the figures cover parsed and plain connections together."""

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
    """The report in the file. Raises BrokenRelayFile if the file is not a report, or has another
    version."""
    return read_record(path, RelayReport, BrokenRelayFile, "report")


class Outcome(IntEnum):
    """The outcomes of a query, numbered as in the field `outcome` of its row."""

    GOOD = 0
    FAILED = 1
    UNFINISHED = 2


class QueriesHeader(RowsHeader):
    """The first line of the file of queries. `outcomes` names the values of the field `outcome`."""

    format: Literal["runfair-relay records"]
    version: Literal[1]
    protocol: Literal["postgresql", "redis", "tcp"]
    delay_ns: int
    outcomes: list[str]
    started: Started


def read_queries(path: Path) -> npt.NDArray[np.void]:
    """The queries of a file, read-only and memory-mapped. Raises BrokenRelayFile if the file is not
    a file of queries, or if it ends within a record."""
    header, rows = read_rows(path, QueriesHeader, BrokenRelayFile)
    if header.outcomes != [outcome.name.lower() for outcome in Outcome]:
        raise BrokenRelayFile(
            path,
            "this version of runfair does not know the outcomes of queries in this file "
            f"({', '.join(header.outcomes)}); use the version that wrote the file",
        )
    return rows
