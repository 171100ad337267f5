"""Services at their operating point: a cell's settings, and an execution's records."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from runfair.formats.launch import ProcessorCounts
from runfair.formats.place import HERE, LOCAL, Location
from runfair.formats.record import FileName, Record

Percentile = Literal["p50", "p90", "p99", "p99_9", "p99_99"]
Purpose = Literal["operating_point", "curve", "capacity"]
Kind = Literal["program", "command", "url"]
Arrivals = Literal["constant", "poisson", "trace"]
Pacing = Literal["economy", "default", "precise"]
# The tests of the web suite, each with rules for its services.
WebTest = Literal["plaintext", "json", "single-query", "multiple-queries", "updates", "fortunes"]

# The file name of the load at the operating point.
MAIN_LOAD = "operating-point"

SHARES: dict[Percentile, float] = {
    "p50": 0.5,
    "p90": 0.9,
    "p99": 0.99,
    "p99_9": 0.999,
    "p99_99": 0.9999,
}


class Objective(Record):
    """A percentile of the latency, and the limit it has to stay below."""

    percentile: Percentile
    limit_ns: Annotated[int, Field(gt=0)]


class DatabaseUse(Record):
    """The database of a cell: a private PostgreSQL with these tables, or the user's own database of
    any kind by URL. The service reaches it through the relay, which adds the round trip."""

    round_trip_ns: Annotated[int, Field(ge=0)]
    tables: list[DatabaseTable] = []
    url: str = ""


class DatabaseTable(Record):
    """A table of the database: `columns` as PostgreSQL declares them; `rows` is the path of a CSV
    file with a header."""

    name: str
    columns: str
    primary_key: list[str]
    rows: str


class Readiness(Record):
    """How to see that a service is ready: a line of output for the lab's programs; for others a
    port that accepts connections, or the status of an answer to GET `path`."""

    path: str = ""
    status: int = 200
    timeout_ns: int = 60_000_000_000


class OperatingPoint(Record):
    """The operating point of a service: rate, arrivals, traffic and objective.

    `traffic` is a file of requests (loadgen/schemas/traffic.schema.json), each with its right
    answer; the share `check_share` of the bodies is compared. `curve_per_s` are further rates;
    `capacity` requests a search for the highest rate that meets the objective.
    """

    rate_per_s: Annotated[float, Field(gt=0)]
    objective: Objective | None = None
    arrivals: Arrivals = "constant"
    connections: Annotated[int, Field(ge=1)] = 50
    pacing: Pacing = "default"
    traffic: str
    traffic_sha256: str
    traffic_order: Literal["file", "random"] = "file"
    check_share: Annotated[float, Field(gt=0, le=1)] = 1.0
    timeout_ns: int = 10_000_000_000
    curve_per_s: list[float] = []
    capacity: bool = False


class Hosting(Record):
    """How a server is run: a program of the lab, a command of the user, or an external service by
    its URL; `urls` has all URLs of several external instances, `url` the first. `instances` is
    their number; for the user's own service it may differ from the factor that holds for all
    compared services."""

    kind: Kind
    url: str = ""
    urls: list[str] = []
    instances: Annotated[int, Field(ge=1)] = 1
    port: int | None = None
    ready: Readiness = Readiness()
    stop_signal: str = "SIGTERM"


class ServicePoint(Hosting):
    """The service of a cell: how it is run, and its operating point."""

    point: OperatingPoint
    database: DatabaseUse | None = None

    @property
    def asked(self) -> str:
        """The key of services that can be compared: operating point and database, without the
        further measurements."""
        point = self.point.model_dump_json(exclude={"curve_per_s", "capacity"})
        return point + (self.database.model_dump_json() if self.database is not None else "")


class Usage(Record):
    """The resources that a process tree had used by an instant: a line of
    `raw/EXECUTION/usage.jsonl`.

    `cpu_ns` is exact, from the scheduler; user and system time may step by kernel ticks.

    The use of processes that ended between two samples is missing; None if the kernel does not
    report it. `processor` is only for a service, counted from before its first load.
    """

    of: Literal["service", "database", "relay"]
    monotonic_ns: int
    cpu_ns: int
    user_ns: int
    system_ns: int
    run_queue_ns: int | None
    voluntary_switches: int
    involuntary_switches: int
    peak_bytes: int
    processor: ProcessorCounts | None = None
    place: FileName = LOCAL


class ServedLoad(Record):
    """A load on a running service; its files are `raw/EXECUTION/NAME.json` and so on. `place` is
    the load generator's place, whose clock the instants are read from."""

    name: FileName
    purpose: Purpose
    rate_per_s: float
    started_monotonic_ns: int
    elapsed_ns: int
    scheduled: int
    good: int
    failed: int
    verdict: Literal["fair", "flagged", "void"]
    place: Location = HERE


class ColdStart(Record):
    """Instants of a service's start, on the monotonic clock. With several instances: the start of
    the first process, and the instants at which the last one was ready and had answered."""

    process_ns: int
    ready_ns: int | None = None
    first_answer_ns: int | None = None


class CapacityFound(Record):
    """The result of the search for the capacity in an execution."""

    highest_met_per_s: float | None
    lowest_missed_per_s: float | None
    confidence: float
    observations: int
    contradictions: list[tuple[float, float]] = []


class SystemCallCounts(Record):
    """System calls of a service under a separate load at the operating point's rate. Counting costs
    time, so this load gives no other figure. `read` and `write` are on sockets and files, `wait` is
    for events and time, `lock` is futex(2)."""

    requests: Annotated[int, Field(gt=0)]
    read: int
    write: int
    wait: int
    lock: int
    other: int


class Served(Record):
    """The record of a service's execution beside its process; files hold the rest. `system_calls`
    is None if the kernel does not permit counting. `address` lists the addresses of several
    instances with spaces between. `relay` is the relay's place."""

    start: ColdStart | None = None
    loads: list[ServedLoad] = []
    capacity: CapacityFound | None = None
    events: int | None = None
    system_calls: SystemCallCounts | None = None
    database: str = ""
    database_restarted: bool = False
    ignored_stop: bool = False
    address: str = ""
    relay: Location = HERE


DatabaseUse.model_rebuild()
