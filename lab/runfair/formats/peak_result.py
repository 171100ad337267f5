"""The result of a service at its peak, and the composite scores of its class."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from runfair.formats.finding import VerdictState
from runfair.formats.peak import Classification
from runfair.formats.plan import Factors
from runfair.formats.record import Record
from runfair.formats.service_result import RequestSystemCalls


class Measured(Record):
    """A quantity that follows from one figure of a cell: its value, 95% interval and bounds. If the
    figure is void or was not measured, the value is None."""

    value: float | None
    interval: tuple[float, float] | None = None
    bounds: tuple[float | None, float | None] | None = None
    verdict: VerdictState


class PeakResult(Record):
    """A service in a closed loop with a number of connections. It has no percentile.

    The rate follows from the figure `wall`, the time of 1,000 requests; the CPU time of a request
    in the server follows from the figure `cpu`. All other values are medians over the executions.
    `rate_per_processor_s` divides the rate by the server's processors. `server_share` and
    `database_share` are the parts of their processors' time that server and database used.
    `paused_share` and `collecting_share` are the parts of the time in which the runtime stopped the
    program, and in which it collected garbage; they are None if the runtime reports no events.
    `with_database`: the requests need a database. `database_bound`: the database limits the rate.
    """

    service: str
    connections: Annotated[int, Field(ge=1)]
    pipeline: Annotated[int, Field(ge=1)]
    with_database: bool
    rate_per_s: Measured
    rate_per_processor_s: float | None
    cpu_ns: Measured
    database_cpu_ns: float | None = None
    switches: float | None = None
    server_share: float | None = None
    database_share: float | None = None
    paused_share: float | None = None
    collecting_share: float | None = None
    database_bound: bool = False
    system_calls: RequestSystemCalls | None = None


class ScoreRow(Record):
    """The score of a framework under a variant. `value` is at most 100, the score of the best of
    the class. The interval assumes that the figures of all tests err in the same direction. If
    there is no score, `reason` says why. `database_bound` lists the tests whose peak is limited by
    the database, if the score contains their rates."""

    service: str
    variant: str
    language: str
    threads: int
    factors: Factors
    value: float | None
    interval: tuple[float, float] | None = None
    verdict: VerdictState
    reason: str = ""
    database_bound: list[str] = []


class ScoreResult(Record):
    """A composite score of one class, best row first."""

    benchmark: str
    size: str
    name: str
    version: int
    about: str
    source: str
    verified: bool
    of: Literal["rate", "share"]
    classification: Classification | None
    rows: list[ScoreRow]
