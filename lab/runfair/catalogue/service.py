"""Service benchmarks: servers with a written contract, found by their `service.toml`."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from runfair.catalogue.benchmark import Benchmark, select_benchmarks, unknown
from runfair.catalogue.program import ProgramRecipe, ProgramSource
from runfair.errors import UserMistake
from runfair.formats.peak import Classification, Score, Scores
from runfair.formats.record import Record
from runfair.formats.service import Protocol, WebTest
from runfair.formats.toml import mistake, read_toml
from runfair.paths import BENCHMARKS

SCORES = "scores.toml"


class WorkloadText(Record):
    """A workload of a service: the generator of its file of requests, each with its right answer.
    `calls` is the file of the same requests as gRPC calls; empty if there are no such calls.
    `rules` names the web test whose rules a service must also keep, if there is such a test.
    """

    about: str
    traffic: str
    calls: str = ""
    database: bool = False
    rules: WebTest | None = None


class TableText(Record):
    """A table of the database. The table's columns are written as PostgreSQL declares them. The
    table's rows are a CSV file whose first line names columns.
    """

    name: str
    columns: str
    primary_key: Annotated[list[str], Field(min_length=1)]
    rows: str


class ServiceText(Record):
    """The contents of `service.toml`. A size states the arguments for the generator of the
    requests. Every program is given the `parameters`.
    """

    name: str
    suite: str
    about: str
    generator: str
    default_workload: str
    inputs: list[str] = []
    parameters: dict[str, int] = {}
    workloads: Annotated[dict[str, WorkloadText], Field(min_length=1)]
    tables: list[TableText] = []
    sizes: Annotated[dict[str, dict[str, int]], Field(min_length=1)]


class FrameworkText(ProgramRecipe):
    """`program.toml` of a service: one framework in one language, and how it is built and run.

    `families` are the runtime families of the language on which the framework runs; the usual
    family comes first. `minimum` is the oldest version on which it runs. `needs` has the settings
    without which it does not run. `protocols` are the protocols that it speaks. `without` has the
    workloads that it does not have, each with the reason. `without_pipelining` has the reason why
    it does not answer pipelined requests in workloads with a database.
    """

    name: str
    language: str
    families: Annotated[list[str], Field(min_length=1)]
    about: str
    classification: Classification | None = None
    protocols: Annotated[list[Protocol], Field(min_length=1)] = ["http"]
    without: dict[str, str] = {}
    without_pipelining: str = ""

    def unpipelined(self, workload: WorkloadText) -> str:
        """Why the framework does not answer pipelined requests on a workload; empty if it does."""
        return self.without_pipelining if workload.database else ""


@dataclass(frozen=True)
class Framework:
    """The program of a service in one framework. The program is built and started by the lab."""

    text: FrameworkText
    source: ProgramSource

    @property
    def name(self) -> str:
        return self.text.name


@dataclass(frozen=True)
class ServiceBenchmark:
    """A service benchmark, as its folder describes it. A framework is added by adding a folder."""

    folder: Path
    text: ServiceText
    frameworks: dict[str, Framework]

    @property
    def name(self) -> str:
        return self.text.name

    def scores(self) -> list[Score]:
        """The composite scores of the benchmark; empty if it has none. Raises UserMistake if their
        file is malformed, or if it names a test that the benchmark does not have."""
        path = self.folder / SCORES
        if not path.is_file():
            return []
        scores = read_toml(path, Scores).score
        for number, score in enumerate(scores):
            for test in score.weights:
                if test not in self.text.workloads:
                    raise mistake(
                        path,
                        ("score", number, "weights", test),
                        f"{self.name} has no such workload: correct the name",
                    )
        return scores

    def workload(self, name: str) -> WorkloadText:
        if name not in self.text.workloads:
            raise unknown("workload", name, self.text.workloads, f" of {self.name}")
        return self.text.workloads[name]

    def framework(self, name: str, own: Iterable[str] = ()) -> Framework:
        """The framework with this name. UserMistake if there is none; the message also names the
        user's `own` services."""
        if name not in self.frameworks:
            raise unknown("service", name, [*self.frameworks, *own], f" of {self.name}")
        return self.frameworks[name]


def service_benchmarks(root: Path = BENCHMARKS) -> dict[str, ServiceBenchmark]:
    """Every service benchmark below `root`, by name. The repository's own are read once in a
    process."""
    return dict(_own_benchmarks()) if root == BENCHMARKS else _read_benchmarks(root)


@functools.cache
def _own_benchmarks() -> dict[str, ServiceBenchmark]:
    return _read_benchmarks(BENCHMARKS)


def _read_benchmarks(root: Path) -> dict[str, ServiceBenchmark]:
    found: dict[str, ServiceBenchmark] = {}
    for path in sorted(root.glob("*/*/service.toml")):
        text = read_toml(path, ServiceText)
        if text.default_workload not in text.workloads:
            raise UserMistake(
                f"{path}: `default_workload` is {text.default_workload!r}, but this benchmark has "
                f"no such workload; choose from {', '.join(text.workloads)}"
            )
        if text.name in found:
            raise UserMistake(
                f"{path}: another service benchmark already has the name {text.name!r}; choose "
                "another name"
            )
        found[text.name] = ServiceBenchmark(path.parent, text, _frameworks(path.parent, text, root))
    return found


def select_benchmarks_and_services(
    names: Sequence[str],
    programs: dict[str, Benchmark],
    services: dict[str, ServiceBenchmark],
) -> tuple[list[Benchmark], list[ServiceBenchmark]]:
    """The selected benchmarks of programs (by name or `suite/*`) and of services (by name), without
    duplicates. Raises UserMistake for an unknown name.
    """
    for name in names:
        if name not in programs and name not in services and not name.endswith("/*"):
            raise unknown("benchmark", name, [*programs, *services])
    return (
        select_benchmarks([name for name in names if name not in services], programs),
        [services[name] for name in dict.fromkeys(names) if name in services],
    )


def _frameworks(folder: Path, service: ServiceText, root: Path) -> dict[str, Framework]:
    found: dict[str, Framework] = {}
    for path in sorted(folder.glob("**/program.toml")):
        text = read_toml(path, FrameworkText)
        if text.name in found:
            raise UserMistake(
                f"{path}: {service.name} already has a program named {text.name!r}; choose "
                "another name"
            )
        for workload in text.without:
            if workload not in service.workloads:
                raise UserMistake(
                    f"{path}: `without` names the workload {workload!r}, which {service.name} does "
                    "not have; correct the name"
                )
        source = ProgramSource(
            suite=service.suite,
            benchmark=service.name,
            language=text.language,
            tier=text.name,
            folder=path.parent,
            root=root,
            recipe=text,
            ticked=False,
        )
        found[text.name] = Framework(text, source)
    return found
