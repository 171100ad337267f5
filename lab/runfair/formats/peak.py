"""Peaks: the most requests that a service answers in a closed loop, and the scores made of them."""

from __future__ import annotations

import math
from dataclasses import field
from typing import Annotated, Literal

from pydantic import Field, model_validator

from runfair.formats.record import FileName, Record, Row, row
from runfair.formats.service import DatabaseUse, Hosting, SystemCallCounts

# A peak's iteration is a window of its load, scaled to this number of requests. The times of all
# windows can then be compared, however many requests were answered in each.
REQUESTS = 1000


class Classification(Record):
    """The class of a framework. Frameworks are compared only within their class (TechEmpower's
    terms).

    `approach` is the platform's own server, a framework with routes, or a full framework.
    `database` is SQL or an object-relational mapper. `implementation` says whether the code is as
    in a real product, or whether all parts are removed that the tests do not need.
    """

    approach: Literal["platform", "micro", "full"]
    database: Literal["none", "raw", "orm"]
    implementation: Literal["realistic", "stripped"]

    @property
    def text(self) -> str:
        access = "ORM" if self.database == "orm" else self.database
        database = "no database" if self.database == "none" else access
        return f"{self.approach} · {database} · {self.implementation}"


class Peak(Record):
    """A closed loop on a service: every connection sends its next request when its previous answer
    is complete, or keeps up to `pipeline` requests under way. The service reaches its database
    without a relay. A closed loop gives no percentile.

    `traffic` is a file of requests (loadgen/schemas/traffic.schema.json), which are sent in the
    file's order, or at random by their weights. (The fields without a `repr` are younger than the
    hashes of works in exports.)
    """

    connections: Annotated[int, Field(ge=1)]
    pipeline: Annotated[int, Field(ge=1)] = 1
    traffic: str
    traffic_sha256: str
    traffic_order: Annotated[Literal["file", "random"], Field(repr=False)] = "file"
    timeout_ns: int = 10_000_000_000
    database: DatabaseUse | None = None
    hosting: Annotated[Hosting, Field(repr=False)] = Hosting(kind="program")

    @property
    def asked(self) -> str:
        """What all compared services are asked: everything except how they are run."""
        return self.model_dump_json(exclude={"hosting"})

    @property
    def digest(self) -> str:
        """The digest of the expected answers. The load generator compares every answer with
        them."""
        return self.traffic_sha256[:16]


@row
class PeakLoad(Row):
    """The record of a peak's load. Each list has an entry for each window of the load, in order:
    its length, its good answers, and the CPU time of the database in it (empty without a private
    database). `switches` are the context switches of the service. `paused_ns` is the time in which
    the runtime stopped all threads of at least one of the service's processes, and `collecting_ns`
    the time in which a garbage collection ran, concurrent or not (both empty if the runtime reports
    no events). The database ran on `database_processors`, and the load generator on
    `generator_processors`. `cpu_resolution_ns` is the step of the CPU time of an iteration (missing
    in older runs, in which the service's start line has it). `ignored_stop`: the service did not
    exit on its stop signal and was killed.
    """

    window_ns: list[int] = field(default_factory=list)
    answered: list[int] = field(default_factory=list)
    switches: list[int] = field(default_factory=list)
    database_cpu_ns: list[int] = field(default_factory=list)
    paused_ns: list[int] = field(default_factory=list)
    collecting_ns: list[int] = field(default_factory=list)
    database_processors: list[int] = field(default_factory=list)
    generator_processors: list[int] = field(default_factory=list)
    database: str = ""
    system_calls: SystemCallCounts | None = None
    cpu_resolution_ns: int | None = None
    ignored_stop: bool = False


Weight = Annotated[float, Field(gt=0, lt=math.inf)]


class Score(Record):
    """A composite score of the tests of a suite.

    `weights` has a weight for each test (workload). `of` says what is weighted. `rate`: the score
    is the sum of weight × requests/s. `share`: the score is the weighted geometric mean of the
    shares of the best of the class, where the share is of requests/s, or, in a test with a
    database, of requests for the same CPU time. In both cases the best of a class gets 100.
    `verified` says whether the weights were compared with their `source`.
    """

    name: FileName
    version: Annotated[int, Field(ge=1)]
    about: str
    source: str = ""
    verified: bool
    of: Literal["rate", "share"]
    weights: Annotated[dict[FileName, Weight], Field(min_length=1)]


class Scores(Record):
    """The scores of a suite, from the file `scores.toml` beside its `service.toml`."""

    schema_version: Literal[1]
    score: Annotated[list[Score], Field(min_length=1)]

    @model_validator(mode="after")
    def _named_once(self) -> Scores:
        names = [one.name for one in self.score]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"two scores have the name {name!r}; give each score its own name")
        return self
