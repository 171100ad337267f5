"""Experiments: files that state the programs (`[[measure]]`), the services (`[[serve]]`) and the
peaks of services (`[[peak]]`) to measure.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Discriminator, Field, Tag, model_validator

from runfair.catalogue.amount import Amount, Length, ObjectiveText, RequirementText, RoundTrip
from runfair.catalogue.benchmark import unknown
from runfair.catalogue.own_service import MOST_INSTANCES, OwnService, check_names
from runfair.catalogue.peak import PeakText
from runfair.catalogue.profile import ProfileText
from runfair.errors import UserMistake
from runfair.formats.place import LOCAL, DeclaredPlace
from runfair.formats.plan import Mode, PageCacheState, Probing, ProfileName
from runfair.formats.record import FileName, Record, Scalar
from runfair.formats.service import Arrivals, Pacing, Protocol, RowOrder
from runfair.formats.toml import read_toml
from runfair.paths import EXPERIMENTS

# The load generator's own limit.
MOST_STREAMS = 65_536
# The folder of a run has the experiment's name, preceded by a time and perhaps followed by a
# number. File names are limited to 255 bytes, and lines of a terminal to about 80 characters.
LONGEST_NAME = 80

Some = Field(min_length=1)
Rate = Annotated[float, Field(gt=0, lt=math.inf)]


class Serve(Record):
    """One `[[serve]]`: services at one operating point.

    `services` are frameworks of `benchmark` (`all`: every framework), or names of
    `[services.NAME]`. `traffic` is a file of requests (JSON Lines; `./runfair traffic` makes it
    from captures). If `traffic` is not stated, the benchmark's own traffic is used. `curve` lists
    further rates. `database` is the URL of the user's own database: a PostgreSQL, a Redis, or
    `tcp://HOST:PORT` for any other. If `database` is not stated, a workload that needs a database
    gets a private PostgreSQL. If `probe` is set, each service is started once more, under the
    bytecode probe and the load of the operating point.

    `streams` requests may share a connection (HTTP/2 and gRPC). `require`, `max_connections`,
    `new_connection_every` and `feed` are those of `OperatingPoint`.
    """

    benchmark: str = ""
    workload: str = "default"
    size: str = ""
    services: Annotated[list[str], Field(min_length=1)]
    variants: list[str] = []
    rate: Rate
    objective: ObjectiveText | None = None
    require: list[RequirementText] = []
    arrivals: Arrivals = "poisson"
    connections: Annotated[int, Field(ge=1)] = 50
    pacing: Pacing = "default"
    traffic: str = ""
    traffic_order: Literal["file", "random"] = "random"
    check_share: Annotated[float, Field(gt=0, le=1)] = 1.0
    timeout: Length = "10 s"
    protocol: Protocol = "http"
    streams: Annotated[int, Field(ge=1, le=MOST_STREAMS)] = 1
    max_connections: Annotated[int, Field(ge=1)] | None = None
    new_connection_every: Annotated[int, Field(ge=1)] | None = None
    feed: Annotated[str, Field(pattern=r"^(.+\.(csv|jsonl))?$")] = ""
    feed_order: RowOrder = "random"
    threads: Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1)] = [1]
    instances: Annotated[
        list[Annotated[int, Field(ge=1, le=MOST_INSTANCES)]], Field(min_length=1)
    ] = [1]
    processors: list[Annotated[int, Field(ge=1)]] = []
    cpu_quota: list[Annotated[float, Field(gt=0, allow_inf_nan=False)]] = []
    memory_limit: list[Amount] = []
    heap: list[Amount] = []
    database: str = ""
    round_trip: RoundTrip = "1 ms"
    curve: list[Rate] = []
    capacity: bool = False
    probe: bool = False
    seed: Annotated[int, Field(ge=0, lt=2**64)] = 1
    place: FileName = LOCAL
    profiles: list[ProfileName] = []

    @model_validator(mode="after")
    def _sound(self) -> Serve:
        if len(set(self.curve)) < len(self.curve) or self.rate in self.curve:
            raise ValueError(
                "`curve` contains a rate twice, or contains the rate of the operating point, "
                "which is measured anyway; leave the repeated rate out"
            )
        if self.capacity and self.objective is None:
            raise ValueError(
                "`capacity` searches for the highest rate at which the service meets its "
                "objective, so state the `objective` too"
            )
        if self.arrivals == "trace" and (self.curve or self.capacity):
            raise ValueError(
                'with `arrivals = "trace"`, the recorded times of the traffic file determine the '
                "rate, so leave `curve` and `capacity` out"
            )
        if self.arrivals == "trace" and not self.traffic:
            raise ValueError(
                '`arrivals = "trace"` needs a `traffic` file that contains the times of the '
                "recorded requests"
            )
        if self.database and urlsplit(self.database).password is not None:
            variable = "REDISCLI_AUTH" if self.database.startswith("redis") else "PGPASSWORD"
            raise ValueError(
                "the URL in `database` contains a password, which the run would record; set the "
                f"environment variable {variable} instead of writing the password in the URL"
            )
        return self

    @model_validator(mode="after")
    def _connected(self) -> Serve:
        if self.streams > 1 and self.protocol == "http":
            raise ValueError(
                "`streams` needs HTTP/2, because an HTTP/1.1 connection answers one request "
                'after another; write `protocol = "http2"`, or leave `streams` out'
            )
        if self.max_connections is not None and self.max_connections < self.connections:
            raise ValueError(
                f"`max_connections` is {self.max_connections}, but the pool already starts with "
                f"{self.connections} connections; raise `max_connections`, or lower `connections`"
            )
        if "feed_order" in self.model_fields_set and not self.feed:
            raise ValueError(
                "`feed_order` sets the order of the rows of a `feed`, but this load has no "
                "`feed`; leave `feed_order` out"
            )
        if self.feed and not self.traffic:
            raise ValueError(
                "`feed` supplies values for requests, but the requests of a benchmark take no "
                "values; name a `traffic` file whose requests contain ${feed:NAME}"
            )
        if self.feed and self.feed_order == "file" and self.capacity:
            raise ValueError(
                '`feed_order = "file"` needs a known number of requests, but a search for the '
                'capacity sends an unknown number; write `feed_order = "random"`'
            )
        return self


def _kind_of_threads(threads: object) -> str:
    return "word" if isinstance(threads, str) else "numbers"


Threads = Annotated[
    Annotated[list[Annotated[int, Field(ge=1)]], Some, Tag("numbers")]
    | Annotated[Literal["doubling"], Tag("word")],
    Discriminator(_kind_of_threads),
]


class Measure(Record):
    """One `[[measure]]`: the cross product of its lists becomes cells.

    `threads` "doubling" stands for 1, 2, 4 and so on, up to the number of processors that runfair
    may use. `connections` are used for driven servers; if they are not stated, the size states the
    number. If `heap_search` is set, the heaps are multiples of the smallest heap in which a program
    completes. This heap is searched when the plan is made. `input` is the path of a user's input,
    which replaces the generated input. `params` override the parameters of the size. If `input` is
    stated, or parameters for which no answer is recorded, there is no canonical answer, and the
    programs must agree with one another.

    `lines`, `probe` and `checks` add executions, whose times are not used. `lines` counts how often
    each source line runs. `probe` uses the bytecode probe, with "all" in each of its three modes.
    `checks` removes V8's checks from the named functions. A program whose measured execution takes
    longer than `limit_seconds` is not measured at this size, nor with a smaller input.
    """

    benchmarks: Annotated[list[str], Some]
    workloads: Annotated[list[str], Some] = ["default"]
    sizes: list[str] = []
    variants: Annotated[list[str], Some] = ["default"]
    tiers: Annotated[list[str], Some] = ["standard"]
    modes: Annotated[list[Mode], Some] = ["steady"]
    threads: Threads = [1]
    connections: list[Annotated[int, Field(ge=1)]] = []
    processors: list[Annotated[int, Field(ge=1)]] = []
    heap: list[Amount] = []
    heap_search: bool = False
    cpu_quota: list[Annotated[float, Field(gt=0, allow_inf_nan=False)]] = []
    memory_limit: list[Amount] = []
    page_cache: Annotated[list[PageCacheState], Some] = ["warm"]
    seed: Annotated[int, Field(ge=0, lt=2**64)] = 1
    input: str = ""
    params: dict[str, Scalar] = {}
    lines: bool = False
    probe: Probing = False
    checks: list[Annotated[str, Field(min_length=1)]] = []
    place: FileName = LOCAL
    limit_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    profiles: list[ProfileName] = []

    @model_validator(mode="after")
    def _one_way(self) -> Measure:
        if self.heap and self.heap_search:
            raise ValueError(
                "`heap` states the heap limit, and `heap_search` searches for it; state only "
                "one of the two"
            )
        return self


class Experiment(Record):
    """The contents of an experiment's file. `baseline` is a variant, or a language, which stands
    for the language's default variant. `variants` are the variants of each `[[measure]]` that
    states none. If programs must run as root when the lab does, `run_as_root` states the reason.
    """

    name: Annotated[str, Field(max_length=LONGEST_NAME)] = ""
    about: str = ""
    baseline: str = "c++"
    variants: Annotated[list[str], Some] = ["default"]
    run_as_root: str = ""
    measure: list[Measure] = []
    serve: list[Serve] = []
    peak: list[PeakText] = []
    services: Annotated[dict[str, OwnService], AfterValidator(check_names)] = {}
    places: dict[FileName, DeclaredPlace] = {}
    profiles: dict[ProfileName, ProfileText] = {}

    @model_validator(mode="before")
    @classmethod
    def _measured_variants(cls, table: Any) -> Any:
        match table:
            case {"variants": variants, "measure": [*measures]}:
                own = {"variants": variants}
                shared = [own | one if isinstance(one, dict) else one for one in measures]
                return table | {"measure": shared}
        return table

    @model_validator(mode="after")
    def _something(self) -> Experiment:
        if not (self.measure or self.serve or self.peak):
            raise ValueError(
                "the experiment names nothing to measure; add a `[[measure]]` table for programs, "
                "or a `[[serve]]` or `[[peak]]` table for services"
            )
        for name in (*(one.place for one in self.measure), *(one.place for one in self.serve)):
            if name not in {LOCAL, *self.places}:
                raise ValueError(
                    f"`place` is {name!r}, but the experiment has no table [places.{name}]; add "
                    "the table"
                )
        own = self.places.get(LOCAL, DeclaredPlace())
        if own != DeclaredPlace(address=own.address):
            raise ValueError(
                f"[places.{LOCAL}] describes the host on which runfair itself runs, so it may "
                "contain only the key `address`"
            )
        return self


def experiment_files() -> dict[str, Path]:
    return {path.stem: path for path in sorted(EXPERIMENTS.glob("*.toml"))}


def read_experiment(name: str) -> Experiment:
    """The experiment with this name, or in this file if the name ends in `.toml`."""
    if name.endswith(".toml"):
        path = Path(name)
        if not path.is_file():
            raise UserMistake(
                f"{path}: there is no such file; `./runfair list experiments` lists the experiments"
            )
    else:
        files = experiment_files()
        if name not in files:
            raise unknown("experiment", name, files)
        path = files[name]
    experiment = read_toml(path, Experiment)
    if not experiment.name and len(path.stem) > LONGEST_NAME:
        raise UserMistake(
            f"{path}: the file's name is too long for the name of an experiment; write a `name` "
            f"of at most {LONGEST_NAME} characters in the file"
        )
    return experiment.model_copy(update={"name": experiment.name or path.stem})
