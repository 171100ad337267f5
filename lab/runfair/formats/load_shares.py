"""The shares of a load that several hosts send together. `NAME.shares.json` describes them, beside
the result of the load."""

from __future__ import annotations

from typing import Literal

from runfair.formats.place import Location
from runfair.formats.record import Record


class ShardOf(Record):
    """The share of one generator in a schedule that several follow: every request whose index is
    `number` - 1, modulo `of`."""

    number: int
    of: int


class LoadShare(Record):
    """One host's share of a load. `place` has the offset of the host's clock during the load.
    `spared` is the number of its requests whose wait a free connection of another host could have
    shortened, and `spared_ns` at most the sum of these times."""

    host: str
    place: Location
    started_monotonic_ns: int
    connections: int
    scheduled: int
    good: int
    failed: int
    achieved_per_s: float
    send_lag_p99_ns: int | None
    spared: int
    spared_ns: int
    verdict: Literal["fair", "flagged", "void"]


class LoadShares(Record):
    """The shares in the order of their numbers."""

    schema_version: Literal[1] = 1
    shares: list[LoadShare]
