"""Benchmarks: tasks with a written contract, found by their `benchmark.toml`."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from runfair.catalogue.program import ProgramRecipe, ProgramSource
from runfair.errors import UserMistake
from runfair.formats.answer import Answer, Answers, read_answers
from runfair.formats.distribution import Distribution
from runfair.formats.plan import DriveProtocol, Mode
from runfair.formats.record import Record, Scalar
from runfair.formats.toml import read_toml
from runfair.paths import BENCHMARKS

STANDARD = "standard"
STEADY, TINY = "steady", "tiny"
RECIPE = "program.toml"
# What programs are given beside their parameters (benchmarks/contract.md, "Options").
CONTRACT_OPTIONS = {"workload", "seed", "threads", "iterations", "seconds", "count", "input"} | {
    *("samples", "lines", "host", "port", "form")
}


class DriveSizeText(Record):
    """How much one pass of the load generator asks, over so many `connections` unless an experiment
    says otherwise: `requests` for `keys` with values of `value_bytes`, or each request of the
    traffic file in so many `rounds`."""

    connections: Annotated[int, Field(ge=1)] = 1
    requests: Annotated[int, Field(ge=1)] = 1
    keys: Annotated[int, Field(ge=1)] = 1
    value_bytes: Annotated[int, Field(ge=0)] = 64
    rounds: Annotated[int, Field(ge=1)] = 1


class WorkText(Record):
    """How much work: parameters given to the program, arguments given to the input's generator, and
    what a server is asked."""

    params: dict[str, Scalar] = {}
    input: dict[str, int] = {}
    drive: DriveSizeText | None = None


class SizeText(WorkText):
    """A size. A form whose work takes another time for the same input has its own amount, in
    `forms`, which stands for the size's."""

    forms: dict[str, WorkText] = {}


class InputText(Record):
    """What makes the input: a file, or a `folder` of them."""

    generator: str
    extension: str = "txt"
    folder: bool = False


class DriveText(Record):
    """The programs are servers, which the load generator drives. What comes of the workloads named
    `sequential` depends on the order of the requests: they have one connection."""

    protocol: DriveProtocol
    sequential: list[str] = []


class ParameterText(Record):
    """A parameter that every program is given: an integer from `least` to `most`, or a text, the
    `path` of a file of the user's if it is one. `default` is what a size that does not name it
    gives. `observing`: it makes a program report more and changes neither answer nor work."""

    about: str
    least: int | None = None
    most: int | None = None
    default: Scalar | None = None
    path: bool = False
    observing: bool = False

    def problem(self, value: Scalar) -> str:
        """What the value should be instead; empty if it is right."""
        if self.least is None or self.most is None:
            return "" if isinstance(value, str) else "a text"
        if type(value) is int and self.least <= value <= self.most:
            return ""
        return f"an integer from {self.least} to {self.most}"


class ProgramText(Record):
    """A program; one that needs more than its language's standard library has its own recipe,
    `program.toml`, in its folder. `counted_by` the client: a library does its work, in which no
    tick can stand. `workloads`: the only ones that it has, because its language lacks what the
    others are about; empty: all. `most_threads`: how many threads it can use; it is measured with
    more, too, and that is noted. `minimum`: the oldest version that builds it."""

    folder: str
    main: str | None = None
    tier: str = STANDARD
    counted_by: Literal["program", "client"] = "program"
    workloads: list[str] = []
    most_threads: Annotated[int, Field(ge=1)] | None = None
    minimum: str = ""


class BenchmarkText(Record):
    """`benchmark.toml`. Each of the `forms` makes a benchmark of its own, NAME-FORM: the same
    programs, told by `form=FORM` which of their ways to go. `forms_differ`: they are different
    tasks, each with its own answer. `threaded`: several threads are of use to the programs."""

    name: str
    suite: str
    about: str
    counters: Annotated[list[str], Field(min_length=1)]
    default_workload: str
    threaded: bool = False
    parameters: dict[str, ParameterText] = {}
    distributions: dict[Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]*$")], Distribution] = {}
    workloads: dict[str, str]
    sizes: dict[str, SizeText]
    forms: dict[str, str] = {}
    forms_differ: bool = False
    input: InputText | None = None
    drive: DriveText | None = None
    programs: dict[str, ProgramText | list[ProgramText]]


@dataclass(frozen=True)
class Benchmark:
    """A benchmark as its folder describes it, with its canonical answers; `form` is empty if it
    has one form only."""

    folder: Path
    text: BenchmarkText
    answers: Answers
    form: str = ""
    recipes: Mapping[str, ProgramRecipe] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"{self.text.name}-{self.form}" if self.form else self.text.name

    @property
    def root(self) -> Path:
        """The folder that holds the suites, and `harness/` beside them."""
        return self.folder.parents[1]

    @property
    def programs(self) -> list[ProgramSource]:
        """One for each language and tier."""
        return [
            ProgramSource(
                suite=self.text.suite,
                benchmark=self.text.name,
                language=language,
                tier=program.tier,
                folder=self.folder / program.folder,
                main=program.main,
                counted_by=program.counted_by,
                workloads=tuple(program.workloads),
                most_threads=program.most_threads,
                minimum=program.minimum,
                recipe=self.recipes.get(program.folder),
            )
            for language, programs in self.text.programs.items()
            for program in _listed(programs)
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

    def size(self, name: str) -> WorkText:
        if name not in self.text.sizes:
            raise unknown("size", name, self.text.sizes, f" of {self.name}")
        size = self.text.sizes[name]
        return size.forms.get(self.form, size)

    def usual_size(self, profiles: str, mode: Mode) -> str:
        """The size at which a mode measures it unless an experiment says otherwise: the profile's,
        or `steady`, whose iterations are short enough for the steady-state detector. Who only wants
        to see that it works, at `tiny`, does not wait for it."""
        longer = mode == STEADY and profiles != TINY and STEADY in self.text.sizes
        return STEADY if longer else profiles

    def parameters(self, size: str, own: Mapping[str, Scalar] | None = None) -> dict[str, Scalar]:
        """Every parameter that its programs are given: the size's, overridden by the user's `own`.

        Raises UserMistake for a name or value that the benchmark does not know.
        """
        form: dict[str, Scalar] = {"form": self.form} if self.form else {}
        known = self.text.parameters
        defaults = {name: one.default for name, one in known.items() if one.default is not None}
        given = defaults | self.size(size).params | dict(own or {})
        for name, value in given.items():
            if name not in known:
                raise unknown("parameter", name, known, f" of {self.name}")
            if wanted := known[name].problem(value):
                raise UserMistake(f"{self.name}: {name} takes {wanted}, not {value!r}")
        if missing := [name for name in known if name not in given]:
            raise UserMistake(f"{self.name}: size {size} gives no {', '.join(missing)}")
        return form | given

    def connections(self, workload: str, size: str) -> int | None:
        """How many the size asks for, over which a server is driven; None of other programs."""
        if self.text.drive is None:
            return None
        asked = self.size(size).drive
        return 1 if asked is None or workload in self.text.drive.sequential else asked.connections

    def answer(self, workload: str, size: str, seed: int) -> Answer | None:
        return self.answers.find(workload, size, seed, self.form)


def benchmarks(root: Path = BENCHMARKS) -> dict[str, Benchmark]:
    """Every benchmark below `root`, by name."""
    found: dict[str, Benchmark] = {}
    for path in sorted(root.glob("*/*/benchmark.toml")):
        text = read_toml(path, BenchmarkText)
        if taken := CONTRACT_OPTIONS & set(text.parameters):
            raise UserMistake(
                f"{path}: parameters: {', '.join(sorted(taken))} is an option of every program; "
                "take another name"
            )
        if text.default_workload not in text.workloads:
            raise UserMistake(
                f"{path}: default_workload: {text.default_workload!r} is not one of the workloads"
            )
        for programs in text.programs.values():
            for program in _listed(programs):
                if astray := sorted(set(program.workloads) - set(text.workloads)):
                    raise UserMistake(
                        f"{path}: {program.folder}: no workload is named {', '.join(astray)}"
                    )
        for form in text.forms or [""]:
            one = Benchmark(
                path.parent, text, read_answers(path.parent), form, _recipes(path.parent, text)
            )
            if one.name in found:
                raise UserMistake(f"{path}: a benchmark named {one.name!r} exists already")
            found[one.name] = one
    return found


def _recipes(folder: Path, text: BenchmarkText) -> dict[str, ProgramRecipe]:
    """By the program's folder."""
    folders = {one.folder for programs in text.programs.values() for one in _listed(programs)}
    paths = {name: folder / name / RECIPE for name in folders}
    return {name: read_toml(path, ProgramRecipe) for name, path in paths.items() if path.is_file()}


def _listed(programs: ProgramText | list[ProgramText]) -> list[ProgramText]:
    return programs if isinstance(programs, list) else [programs]


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
