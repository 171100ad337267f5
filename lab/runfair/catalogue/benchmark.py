"""Benchmarks: tasks with a written contract, found by their `benchmark.toml`."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from runfair.catalogue.program import ProgramSource
from runfair.errors import UserMistake
from runfair.formats.answer import Answers, read_answers
from runfair.formats.record import Record, Scalar
from runfair.formats.toml import read_toml
from runfair.paths import BENCHMARKS

STANDARD = "standard"


class SizeText(Record):
    """A size: parameters given to the program, arguments given to the input's generator."""

    params: dict[str, Scalar] = {}
    input: dict[str, int] = {}


class InputText(Record):
    generator: str
    extension: str = "txt"


class ProgramText(Record):
    folder: str
    main: str | None = None
    tier: str = STANDARD


class BenchmarkText(Record):
    """`benchmark.toml`."""

    name: str
    suite: str
    about: str
    counters: Annotated[list[str], Field(min_length=1)]
    default_workload: str
    workloads: dict[str, str]
    sizes: dict[str, SizeText]
    input: InputText | None = None
    programs: dict[str, ProgramText | list[ProgramText]]


@dataclass(frozen=True)
class Benchmark:
    """A benchmark as its folder describes it, with its canonical answers."""

    folder: Path
    text: BenchmarkText
    answers: Answers

    @property
    def name(self) -> str:
        return self.text.name

    @property
    def programs(self) -> list[ProgramSource]:
        """One for each language and tier."""
        return [
            ProgramSource(
                suite=self.text.suite,
                benchmark=self.name,
                language=language,
                tier=program.tier,
                folder=self.folder / program.folder,
                main=program.main,
            )
            for language, programs in self.text.programs.items()
            for program in (programs if isinstance(programs, list) else [programs])
        ]

    def program(self, language: str, tier: str) -> ProgramSource | None:
        for program in self.programs:
            if (program.language, program.tier) == (language, tier):
                return program
        return None

    def resolve_workloads(self, names: Sequence[str]) -> list[str]:
        """`default` and `all` resolved; an unknown name is a UserMistake."""
        resolved: list[str] = []
        for name in names:
            if name == "default":
                resolved.append(self.text.default_workload)
            elif name == "all":
                resolved.extend(self.text.workloads)
            elif name in self.text.workloads:
                resolved.append(name)
            else:
                raise unknown("workload", name, self.text.workloads, f" of {self.name}")
        return list(dict.fromkeys(resolved))

    def size(self, name: str) -> SizeText:
        if name not in self.text.sizes:
            raise unknown("size", name, self.text.sizes, f" of {self.name}")
        return self.text.sizes[name]


def benchmarks(root: Path = BENCHMARKS) -> dict[str, Benchmark]:
    """Every benchmark below `root`, by name."""
    found: dict[str, Benchmark] = {}
    for path in sorted(root.glob("*/*/benchmark.toml")):
        text = read_toml(path, BenchmarkText)
        if text.default_workload not in text.workloads:
            raise UserMistake(
                f"{path}: default_workload: {text.default_workload!r} is not one of the workloads"
            )
        if text.name in found:
            raise UserMistake(f"{path}: a benchmark named {text.name!r} exists already")
        found[text.name] = Benchmark(path.parent, text, read_answers(path.parent))
    return found


def select_benchmarks(names: Iterable[str], among: dict[str, Benchmark]) -> list[Benchmark]:
    """Benchmarks by name, or by `suite/*`; an unknown name is a UserMistake."""
    selected: dict[str, Benchmark] = {}
    for name in names:
        suite, _, rest = name.partition("/")
        if rest == "*":
            of_suite = {b.name: b for b in among.values() if b.text.suite == suite}
            if not of_suite:
                raise unknown("suite", suite, {b.text.suite for b in among.values()})
            selected.update(of_suite)
        elif name in among:
            selected[name] = among[name]
        else:
            raise unknown("benchmark", name, among)
    return list(selected.values())


def unknown(kind: str, name: str, among: Iterable[str], of: str = "") -> UserMistake:
    """The one line for a name that is not known, with the nearest ones or all of them."""
    names = sorted(among)
    near = difflib.get_close_matches(name, names, n=3) or names
    return UserMistake(f"no {kind}{of} is named {name!r}; there are: {', '.join(near)}")
