"""Services at their operating point: what a cell asks for, and what an execution then did."""

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
# The tests of the web suite, each with rules that a service must keep.
WebTest = Literal["plaintext", "json", "single-query", "multiple-queries", "updates", "fortunes"]

# The name of the load at the operating point, in the files of an execution.
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
    """The database of a cell: a private PostgreSQL with these tables, or the user's own by URL,
    which may be another one; reached through the relay, which adds the round trip."""

    round_trip_ns: Annotated[int, Field(ge=0)]
    tables: list[DatabaseTable] = []
    url: str = ""


class DatabaseTable(Record):
    """`columns` as PostgreSQL declares them; `rows` is the path of a CSV file that names them."""

    name: str
    columns: str
    primary_key: list[str]
    rows: str


class Readiness(Record):
    """How a service says that it is ready: our programs by a line, others by a port that accepts,
    or by the status of an answer to GET `path`."""

    path: str = ""
    status: int = 200
    timeout_ns: int = 60_000_000_000


class OperatingPoint(Record):
    """What a service is asked: rate, arrivals and traffic, with the objective to be met.

    `traffic` is a file of requests (loadgen/schemas/traffic.schema.json), each with the answer that
    is right; `check_share` of the bodies are compared. `curve_per_s` are further rates, and
    `capacity` asks for the highest that meets the objective.
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
    """How a server is run: a program of ours, a command of the user's, or found by its URL; of
    several found ones `urls` has all and `url` the first. `instances` is how many there are, which
    for a service of the user's may be others than its factor says of all that are compared."""

    kind: Kind
    url: str = ""
    urls: list[str] = []
    instances: Annotated[int, Field(ge=1)] = 1
    port: int | None = None
    ready: Readiness = Readiness()
    stop_signal: str = "SIGTERM"


class ServicePoint(Hosting):
    """What makes a cell one of services: how the service is run, and its operating point."""

    point: OperatingPoint
    database: DatabaseUse | None = None

    @property
    def asked(self) -> str:
        """What services have to have in common to be compared: the operating point and the
        database, not what else is asked of them afterwards."""
        point = self.point.model_dump_json(exclude={"curve_per_s", "capacity"})
        return point + (self.database.model_dump_json() if self.database is not None else "")


class Usage(Record):
    """What a process tree had used up by an instant: a line of `raw/EXECUTION/usage.jsonl`.

    `cpu_ns` is the scheduler's and exact; user and system time may step by the kernel's ticks.

    What processes used that ended between two looks is missing; None if the kernel does not report
    it. `processor` is of a service alone, counted from before its first load on.
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
    """One load on a running service; its files are `raw/EXECUTION/NAME.json` and so on. `place` is
    the load generator's, on whose clock its instants are."""

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
    """Instants of a service's start, on the monotonic clock. Of several instances: the first
    process, and when the last of them was ready and had answered."""

    process_ns: int
    ready_ns: int | None = None
    first_answer_ns: int | None = None


class CapacityFound(Record):
    """What the search for the highest rate that meets the objective came to in one execution."""

    highest_met_per_s: float | None
    lowest_missed_per_s: float | None
    confidence: float
    observations: int
    contradictions: list[tuple[float, float]] = []


class SystemCallCounts(Record):
    """System calls of a service under a load of their own, at the operating point's rate: counting
    costs time, so no other figure is taken from it. `read` and `write` are on sockets and files,
    `wait` for events and for time, `lock` futex(2)."""

    requests: Annotated[int, Field(gt=0)]
    read: int
    write: int
    wait: int
    lock: int
    other: int


class Served(Record):
    """What is known of a service's execution beside its process: the files hold the rest.
    `system_calls` is None if the kernel does not let them be counted. `address` of several
    instances: theirs, with spaces between. `relay` is where the relay ran."""

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
