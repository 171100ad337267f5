"""Experiments: files that say what to measure: programs (`[[measure]]`), services (`[[serve]]`)."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, model_validator

from runfair.catalogue.amount import Amount, Length, parse_length
from runfair.catalogue.benchmark import unknown
from runfair.catalogue.profile import ProfileText
from runfair.errors import UserMistake
from runfair.formats.place import LOCAL, DeclaredPlace
from runfair.formats.plan import Mode, PageCacheState, ProfileName
from runfair.formats.record import FileName, Record, Scalar
from runfair.formats.service import SHARES, Arrivals, Objective, Pacing, Percentile
from runfair.formats.toml import read_toml
from runfair.paths import EXPERIMENTS

_OBJECTIVE = re.compile(r"^(p\d+(?:\.\d+)?)\s*<=?\s*(.+)$")
# A typing error beyond it: they share the processors of one machine.
MOST_INSTANCES = 64
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+_-]*")
# A run's folder is called by it, with a time before and perhaps a number after: names of files
# end at 255 bytes, and a line of a terminal at about 80.
LONGEST_NAME = 80

Some = Field(min_length=1)


def parse_objective(text: str) -> Objective:
    """`p99 < 25 ms`; ValueError otherwise."""
    match = _OBJECTIVE.match(text.strip())
    known = {name.replace("_", "."): name for name in SHARES}
    if match is None or match[1] not in known:
        raise ValueError(f"{text!r} is not an objective such as 'p99 < 25 ms' ({', '.join(known)})")
    percentile: Percentile = known[match[1]]
    limit_ns = parse_length(match[2])
    if limit_ns < 1:
        raise ValueError(f"{text!r}: no request is answered in no time")
    return Objective(percentile=percentile, limit_ns=limit_ns)


def _objective(text: str) -> str:
    parse_objective(text)
    return text


ObjectiveText = Annotated[str, AfterValidator(_objective)]
Rate = Annotated[float, Field(gt=0, lt=math.inf)]


class OwnService(Record):
    """`[services.NAME]`: a command of the user's, or the URL of a service that runs already; of
    several instances that run, `urls`.

    `{port}` in the command or the environment is the port that the lab chose, where `port` says
    none, and `{host}` the address on which to listen, 127.0.0.1 in the lab's own place;
    `{database}` and `{database_port}` are the URL and the port (of its host) at which the
    service reaches its database. `ready` is the path that is asked until it answers with
    `ready_status`; without one the service is ready when its port accepts. `stop` is the signal
    that ends it. `instances` are started of the command where the `[[serve]]` does not say it of
    all.
    """

    command: list[str] = []
    directory: str = "."
    environment: dict[str, str] = {}
    url: str = ""
    urls: Annotated[list[str], Field(min_length=1)] | None = None
    instances: Annotated[int, Field(ge=1, le=MOST_INSTANCES)] | None = None
    port: Annotated[int, Field(ge=1, le=65535)] | None = None
    ready: Annotated[str, Field(pattern=r"^(/.*)?$")] = ""
    ready_status: Annotated[int, Field(ge=100, le=599)] = 200
    ready_within: Length = "60 s"
    stop: Literal["SIGTERM", "SIGINT", "SIGQUIT", "SIGHUP", "SIGKILL"] = "SIGTERM"
    language: str = ""

    @model_validator(mode="after")
    def _one_way(self) -> OwnService:
        if [bool(self.command), bool(self.url), bool(self.urls)].count(True) != 1:
            raise ValueError(
                "needs either a `command` to start, or the `url` (of several: `urls`) of one that "
                "runs"
            )
        for url in self.found:
            _check_url(url)
        if len(set(self.found)) < len(self.found):
            raise ValueError("urls: each instance once")
        if len({urlsplit(url).scheme for url in self.found}) > 1:
            raise ValueError("urls: all http or all https")
        if self.found and self.instances not in (None, len(self.found)):
            raise ValueError(f"instances: {len(self.found)} are found by their URLs: leave it out")
        return self

    @property
    def found(self) -> list[str]:
        """The URLs of external services; none for a command."""
        return [self.url] if self.url else self.urls or []

    @property
    def own_instances(self) -> int | None:
        """How many there are, where it is said here."""
        return len(self.found) or self.instances

    @property
    def takes_ports(self) -> bool:
        """Whether each instance can get its own port."""
        return self.port is None and self._says("{port}")

    @property
    def takes_database(self) -> bool:
        """Whether it gets its database's address in another way than DATABASE_URL."""
        return self._says("{database}") or self._says("{database_port}")

    @property
    def shows_database(self) -> bool:
        """Whether its command line, which everybody can read, has the database's URL."""
        return any("{database}" in word for word in self.command)

    def _says(self, placeholder: str) -> bool:
        words = [*self.command, *self.environment.values()]
        return any(placeholder in word for word in words)


class Serve(Record):
    """One `[[serve]]`: services at one operating point.

    `services` are frameworks of `benchmark`, or names of `[services.NAME]`. `traffic` is a file of
    requests (JSON Lines, which `./runfair traffic` makes of captures); without it the benchmark's
    own. `curve` are further rates. `database` is the URL of the user's own: a PostgreSQL, a Redis,
    or `tcp://HOST:PORT` for any other; without it a workload that needs one gets a private
    PostgreSQL. With `probe` each service is started once more, under the probe of its bytecodes and
    the load of the operating point.
    """

    benchmark: str = ""
    workload: str = "default"
    size: str = ""
    services: Annotated[list[str], Field(min_length=1)]
    variants: list[str] = []
    rate: Rate
    objective: ObjectiveText | None = None
    arrivals: Arrivals = "poisson"
    connections: Annotated[int, Field(ge=1)] = 50
    pacing: Pacing = "default"
    traffic: str = ""
    traffic_order: Literal["file", "random"] = "random"
    check_share: Annotated[float, Field(gt=0, le=1)] = 1.0
    timeout: Length = "10 s"
    threads: Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1)] = [1]
    instances: Annotated[
        list[Annotated[int, Field(ge=1, le=MOST_INSTANCES)]], Field(min_length=1)
    ] = [1]
    processors: list[Annotated[int, Field(ge=1)]] = []
    cpu_quota: list[Annotated[float, Field(gt=0, allow_inf_nan=False)]] = []
    memory_limit: list[Amount] = []
    heap: list[Amount] = []
    database: str = ""
    round_trip: Length = "1 ms"
    curve: list[Rate] = []
    capacity: bool = False
    probe: bool = False
    seed: Annotated[int, Field(ge=0, lt=2**64)] = 1
    place: FileName = LOCAL
    profiles: list[ProfileName] = []

    @model_validator(mode="after")
    def _sound(self) -> Serve:
        if len(set(self.curve)) < len(self.curve) or self.rate in self.curve:
            raise ValueError("curve: each rate once, and other ones than the operating point's")
        if self.capacity and self.objective is None:
            raise ValueError("capacity: needs the objective that is to be met")
        if self.arrivals == "trace" and (self.curve or self.capacity):
            raise ValueError("arrivals: a trace has its own rate, so it has no curve or capacity")
        if self.arrivals == "trace" and not self.traffic:
            raise ValueError("arrivals: a trace needs `traffic` with recorded times")
        if self.database and urlsplit(self.database).password is not None:
            variable = "REDISCLI_AUTH" if self.database.startswith("redis") else "PGPASSWORD"
            raise ValueError(f"database: a password would be recorded: set {variable} instead")
        return self


def _check_url(url: str) -> None:
    """Paths come from the traffic: the URL names a host and a port."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise ValueError(f"url: {url!r} is malformed: {error}") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"url: {url!r} does not begin with http://HOST or https://HOST")
    if parts.path not in ("", "/") or parts.query or parts.fragment or parts.username:
        raise ValueError(f"url: {url!r} is more than a host and a port: paths are the traffic's")


def check_names(services: dict[str, OwnService]) -> dict[str, OwnService]:
    """Names become parts of files' names: nothing in them may lead out of a folder."""
    for name in services:
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is no name: letters, digits, '.', '+', '-' and '_'")
    return services


class Measure(Record):
    """One `[[measure]]`: the cross product of its lists becomes cells. `connections` are of servers
    that are driven; otherwise as many as their size says. With `heap_search` the heaps are the
    smallest in which a program comes to its end, found when the plan is made, and multiples of it.
    `input` is the path of the user's own, in place of what the generator makes; `params` are laid
    over the size's. Of either there is no canonical answer: the programs have to agree. With
    `lines` each program whose runtime can tell runs once more, untimed, and tells how often each
    line of its source ran; with `probe` each cell whose runtime can be probed runs once more, under
    the probe of its bytecodes. A program that takes more than `limit_seconds` an execution is not
    measured at this size, which the tables say; no smaller input takes its place."""

    benchmarks: Annotated[list[str], Some]
    workloads: Annotated[list[str], Some] = ["default"]
    sizes: list[str] = []
    variants: Annotated[list[str], Some] = ["default"]
    tiers: Annotated[list[str], Some] = ["standard"]
    modes: Annotated[list[Mode], Some] = ["steady"]
    threads: Annotated[list[Annotated[int, Field(ge=1)]], Some] = [1]
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
    probe: bool = False
    place: FileName = LOCAL
    limit_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    profiles: list[ProfileName] = []

    @model_validator(mode="after")
    def _one_way(self) -> Measure:
        if self.heap and self.heap_search:
            raise ValueError("`heap` names the heaps or `heap_search` looks for them: drop one")
        return self


class Experiment(Record):
    """An experiment's file. `baseline` is a language (its default variant) or a variant.
    `run_as_root` is the reason why programs have to run as root if the lab does."""

    name: Annotated[str, Field(max_length=LONGEST_NAME)] = ""
    about: str = ""
    baseline: str = "c++"
    run_as_root: str = ""
    measure: list[Measure] = []
    serve: list[Serve] = []
    services: Annotated[dict[str, OwnService], AfterValidator(check_names)] = {}
    places: dict[FileName, DeclaredPlace] = {}
    profiles: dict[ProfileName, ProfileText] = {}

    @model_validator(mode="after")
    def _something(self) -> Experiment:
        if not self.measure and not self.serve:
            raise ValueError("measures nothing: it needs a `[[measure]]` or a `[[serve]]`")
        for name in (*(one.place for one in self.measure), *(one.place for one in self.serve)):
            if name not in {LOCAL, *self.places}:
                raise ValueError(f"place: there is no [places.{name}]")
        own = self.places.get(LOCAL, DeclaredPlace())
        if own != DeclaredPlace(address=own.address):
            raise ValueError(f"[places.{LOCAL}] is the lab's own: it takes `address` alone")
        return self


def experiment_files(folder: Path = EXPERIMENTS) -> dict[str, Path]:
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def read_experiment(name: str, folder: Path = EXPERIMENTS) -> Experiment:
    """By name, or by the path of a file that ends in `.toml`."""
    if name.endswith(".toml"):
        path = Path(name)
        if not path.is_file():
            raise UserMistake(
                f"{path}: no such experiment file; `./runfair list experiments` names those here"
            )
    else:
        files = experiment_files(folder)
        if name not in files:
            raise unknown("experiment", name, files)
        path = files[name]
    experiment = read_toml(path, Experiment)
    if not experiment.name and len(path.stem) > LONGEST_NAME:
        raise UserMistake(
            f"{path}: give it a `name` of at most {LONGEST_NAME} characters: its file's is longer"
        )
    return experiment.model_copy(update={"name": experiment.name or path.stem})
