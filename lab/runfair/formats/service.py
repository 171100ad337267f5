"""Services at their operating point: a cell's settings, and an execution's records."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256
from pathlib import PurePath
from typing import Annotated, Literal

from pydantic import Field

from runfair.formats.launch import LaunchReport, ProcessorCounts
from runfair.formats.place import HERE, LOCAL, Location, Network, Traffic
from runfair.formats.program import Start
from runfair.formats.record import FileName, Record

# The suite, tier and family of a user's own service.
OWN = "own"
Percentile = Literal["p50", "p90", "p99", "p99_9", "p99_99"]
Purpose = Literal["operating_point", "curve", "capacity"]
Kind = Literal["program", "command", "url"]
Arrivals = Literal["constant", "poisson", "trace"]
Pacing = Literal["economy", "default", "precise"]
# HTTP/2 is spoken by prior knowledge (h2c) to http://, by ALPN to https://; gRPC calls are unary.
Protocol = Literal["http", "http2", "grpc"]
PROTOCOL_NAMES: dict[Protocol, str] = {"http": "HTTP/1.1", "http2": "HTTP/2", "grpc": "gRPC"}
RowOrder = Literal["file", "random"]
# The tests of the web suite. Each test has rules for its services.
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


def spoken(protocol: Protocol) -> str:
    """The protocol, as it follows a rate; empty for HTTP/1.1, which most services speak."""
    return "" if protocol == "http" else f" by {PROTOCOL_NAMES[protocol]}"


class Objective(Record):
    """An objective: a percentile of the latency, and the limit that it must stay below."""

    percentile: Percentile
    limit_ns: Annotated[int, Field(gt=0)]


class FailureLimit(Record):
    """A limit on the failed requests: the share of them (0 to 1) that they must stay below."""

    failed_share: Annotated[float, Field(gt=0, le=1)]


Requirement = Objective | FailureLimit


class DatabaseUse(Record):
    """The database of a cell: a private PostgreSQL with these tables, or the user's own database of
    any kind, given by its URL. The service reaches it through the relay, which adds the round trip.
    If the round trip is that `of_network`, the relay adds nothing, and `round_trip_ns` is 0. The
    relay and a private PostgreSQL run in `place`."""

    round_trip_ns: Annotated[int, Field(ge=0)]
    of_network: bool = False
    tables: list[DatabaseTable] = []
    url: str = ""
    place: FileName = LOCAL

    @property
    def distance(self) -> str:
        """The round trip as text."""
        length = "of the network" if self.of_network else f"{self.round_trip_ns / 1e6:g} ms"
        return f"round trip to the database {length}"

    @property
    def settings(self) -> list[str]:
        """The database as texts, without the password and the options of its URL."""
        shown = re.sub("(//[^/:]*):[^/]*@", r"\1@", self.url).partition("?")[0]
        texts = [self.distance, f"database {shown}" if shown else "private PostgreSQL"]
        if self.tables:
            declared = "".join(one.model_dump_json() for one in self.tables)
            names = ", ".join(one.name for one in self.tables)
            texts.append(f"tables {_identified(names, sha256(declared.encode()).hexdigest())}")
        return texts if self.place == LOCAL else [*texts, f"database in {self.place}"]


def _identified(name: str, digest: str) -> str:
    """A name that other contents may have too, with the beginning of the contents' SHA-256."""
    return f"{name} ({digest[:8]})"


class DatabaseTable(Record):
    """A table of the database: `columns` as PostgreSQL declares them; `rows` is the path of a CSV
    file with a header."""

    name: str
    columns: str
    primary_key: list[str]
    rows: str


class Readiness(Record):
    """How the lab recognises that a service is ready. The lab's programs print a line. Other
    services accept connections on a port, or answer GET `path` with a status."""

    path: str = ""
    status: int = 200
    timeout_ns: int = 60_000_000_000


class OperatingPoint(Record):
    """The operating point of a service: rate, arrivals, traffic and objective.

    `traffic` is a file of requests (loadgen/schemas/traffic.schema.json), each with its correct
    answer. The bodies of a share of the answers (`check_share`) are compared with it. `curve_per_s`
    has further rates to measure. `capacity` requests a search for the highest rate that meets the
    objective. `streams` is the number of requests that may share a connection (HTTP/2 and gRPC).
    The pool may grow to `max_connections`. A connection is replaced after `new_connection_every`
    requests. `feed` is a file of rows, whose values the requests contain. `require` lists what the
    run must show of the service.
    """

    rate_per_s: Annotated[float, Field(gt=0)]
    objective: Objective | None = None
    require: list[Requirement] = []
    arrivals: Arrivals = "constant"
    connections: Annotated[int, Field(ge=1)] = 50
    pacing: Pacing = "default"
    traffic: str
    traffic_sha256: str
    traffic_order: Literal["file", "random"] = "file"
    check_share: Annotated[float, Field(gt=0, le=1)] = 1.0
    timeout_ns: int = 10_000_000_000
    protocol: Protocol = "http"
    streams: Annotated[int, Field(ge=1)] = 1
    max_connections: Annotated[int, Field(ge=1)] | None = None
    new_connection_every: Annotated[int, Field(ge=1)] | None = None
    feed: str = ""
    feed_sha256: str = ""
    feed_order: RowOrder = "random"
    curve_per_s: list[float] = []
    capacity: bool = False


class Hosting(Record):
    """How a server is run: a program of the lab, a command of the user, or an external service by
    its URL. If an external service has several instances, `urls` has the URLs of all and `url` the
    first. `instances` is the number of instances on all hosts together. For the user's own service
    it may differ from the factor `instances`, which all compared services share."""

    kind: Kind
    url: str = ""
    urls: list[str] = []
    instances: Annotated[int, Field(ge=1)] = 1
    port: int | None = None
    ready: Readiness = Readiness()
    stop_signal: str = "SIGTERM"


class ServicePoint(Hosting):
    """The service of a cell: how the service is run, and its operating point."""

    point: OperatingPoint
    database: DatabaseUse | None = None

    @property
    def asked(self) -> str:
        """A key that is equal for services that can be compared. The key consists of operating
        point and database, but ignores additional measurements and requirements."""
        point = self.point.model_dump_json(exclude={"curve_per_s", "capacity", "require"})
        return point + (self.database.model_dump_json() if self.database is not None else "")

    @property
    def settings(self) -> list[str]:
        """The settings of load and database as texts, without rate, protocol and objective."""
        point, database = self.point, self.database
        texts = [
            f"{point.arrivals} arrivals",
            f"{point.connections} connection" + ("" if point.connections == 1 else "s"),
            f"{point.streams} request{'' if point.streams == 1 else 's'} on a connection",
            f"{point.pacing} pacing",
            f"requests of {_identified(PurePath(point.traffic).name, point.traffic_sha256)} in "
            f"{point.traffic_order} order",
            f"{point.check_share * 100:g}% of the bodies compared",
            f"time-out {point.timeout_ns / 1e9:g} s",
        ]
        if point.max_connections is not None:
            texts.append(f"up to {point.max_connections} connections")
        if point.new_connection_every is not None:
            texts.append(f"a new connection after {point.new_connection_every} requests")
        if point.feed:
            feed = _identified(PurePath(point.feed).name, point.feed_sha256)
            texts.append(f"values of {feed} in {point.feed_order} order")
        return [*texts, *(["no database"] if database is None else database.settings)]


class Usage(Record):
    """The resources that a process tree had used until an instant. The record is a line of
    `raw/EXECUTION/usage.jsonl`.

    `cpu_ns` is exact, from the scheduler; user and system time may advance in steps of a kernel
    tick.

    If a process ended between two samples, its use since the last sample is missing. A value is
    None if the kernel does not report it. `processor` exists only for a service; its counts begin
    before the first load.
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
    """A load on a running service. The load's files are named `raw/EXECUTION/NAME` with different
    endings, for example `.json`. `place` is the load generator's place; the instants are read from
    the clock of that place. `traffic` is that of each host during this load. It is empty if all
    processes ran on one host, and in old records."""

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
    traffic: list[Traffic] = []


class ColdStart(Record):
    """Instants of a service's start, on the monotonic clock. If there are several instances, it has
    the start of the first process, and the instants at which the last instance was ready and had
    answered."""

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
    """System calls of a service under a separate load at the operating point's rate. Counting slows
    the service down, so no other figure is computed from this load. `read` and `write` are calls on
    sockets and files, `wait` are calls that wait for events or time, `lock` is futex(2)."""

    requests: Annotated[int, Field(gt=0)]
    read: int
    write: int
    wait: int
    lock: int
    other: int

    @classmethod
    def together(cls, on_hosts: Sequence[SystemCallCounts]) -> SystemCallCounts | None:
        """The system calls on all hosts of a service, under the same requests; None if they were
        not counted."""
        if not on_hosts:
            return None
        kinds = ("read", "write", "wait", "lock", "other")
        sums = {kind: sum(getattr(one, kind) for one in on_hosts) for kind in kinds}
        return cls(requests=on_hosts[0].requests, **sums)


class ServiceHost(Record):
    """A host of a service that runs on several hosts. `place` has the host's clock. `addresses` are
    the URLs of the instances there, `launch` is their accounting, and `start` is the start line of
    the first of them. `system_calls` are those on this host, under the requests to all hosts."""

    host: str
    boot_id: str = ""
    place: Location
    addresses: list[str]
    start: Start | None = None
    launch: LaunchReport
    system_calls: SystemCallCounts | None = None


class Served(Record):
    """The part of an execution's record that only services have. Larger data are stored in files.
    `events` is None if the runtime reported none; `unread` counts its lines that could not be read.
    `system_calls` is None if the kernel does not permit counting. `address` has the addresses of
    all instances, separated by spaces. `relay` is the relay's place. `usage` is the place whose
    clock timed the samples of the processes' use. `network` is None if all processes ran on one
    host, or if the network between them could not be measured. `hosts` has each host of the service
    if it ran on several; the instances are given to them in turn."""

    start: ColdStart | None = None
    loads: list[ServedLoad] = []
    capacity: CapacityFound | None = None
    events: int | None = None
    unread: int = 0
    system_calls: SystemCallCounts | None = None
    database: str = ""
    database_restarted: bool = False
    ignored_stop: bool = False
    address: str = ""
    relay: Location = HERE
    usage: Location = HERE
    network: Network | None = None
    hosts: list[ServiceHost] = []


DatabaseUse.model_rebuild()


def service_name(tier: str, variant: str) -> str:
    """The short name of a service: the framework's, or the name that the user gave."""
    return variant if tier == OWN else tier


def service_label(name: str, variant: str) -> str:
    """The name of a service with the variant on which a framework runs."""
    return variant if name == variant else f"{name} ({variant})"
