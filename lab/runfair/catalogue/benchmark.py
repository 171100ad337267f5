"""Benchmarks: tasks with a written contract, found by their `benchmark.toml`."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from runfair.catalogue.crossover import require_measurable
from runfair.catalogue.program import ProgramRecipe, ProgramSource
from runfair.catalogue.size import SizeText, WorkText
from runfair.errors import UserMistake
from runfair.formats.answer import Answer, Answers, read_answers
from runfair.formats.crossover import DeclaredCrossover
from runfair.formats.distribution import Distribution
from runfair.formats.plan import DriveProtocol, Mode
from runfair.formats.record import Record, Scalar
from runfair.formats.toml import read_toml
from runfair.paths import BENCHMARKS, stated_path

STANDARD = "standard"
STEADY, TINY = "steady", "tiny"
RECIPE = "program.toml"
# Names that every program is given in addition to its parameters (benchmarks/contract.md,
# "Options").
CONTRACT_OPTIONS = {"workload", "seed", "threads", "iterations", "seconds", "count", "input"} | {
    *("samples", "lines", "host", "port", "form")
}


class InputText(Record):
    """The generator of the input, which is a file or a `folder` of files."""

    generator: str
    extension: str = "txt"
    folder: bool = False


class DriveText(Record):
    """The section of a benchmark whose programs are servers, driven by the load generator. In the
    workloads that `sequential` names, the result depends on the order of the requests, so these
    workloads have a single connection. `reported` has the counters that the timed servers count,
    too, because they report them to their clients."""

    protocol: DriveProtocol
    sequential: list[str] = []
    reported: list[str] = []


class ParameterText(Record):
    """A parameter that every program is given: an integer from `least` to `most`, or a text.

    `path`: the text is the path of a user's file. `default` is used if a size does not state the
    parameter. `observing`: the parameter makes a program report more, but changes neither its
    answer nor its work. `least_of` has the forms that need a greater least value.
    """

    about: str
    least: int | None = None
    least_of: dict[str, int] = {}
    most: int | None = None
    default: Scalar | None = None
    path: bool = False
    observing: bool = False

    def problem(self, value: Scalar, form: str = "") -> str:
        """The kind of value that the parameter requires in a form, if this value is not of that
        kind; otherwise empty."""
        least = self.least_of.get(form, self.least)
        if least is None or self.most is None:
            return "" if isinstance(value, str) else "a text"
        if type(value) is int and least <= value <= self.most:
            return ""
        return f"an integer from {least} to {self.most}"


class ProgramText(Record):
    """A program of a benchmark.

    A program that needs more than its language's standard library has its own recipe,
    `program.toml`, in its folder. `counted_by` "client": a library does the program's work, so its
    source has no place for tick lines. `absent` names the workloads that the program lacks, each
    with the reason, for example because its language lacks the feature that the workload measures.
    The reports print the reason. `forms` has the forms that the program contains; if it is empty,
    the program contains all. `most_threads` is the greatest number of threads that the program can
    use. The program is also measured with more threads, and the report notes this. `minimum` is
    the oldest version that builds the program. `needs` has the settings of a variant without which
    the program does not run.
    """

    folder: str
    main: str | None = None
    tier: str = STANDARD
    counted_by: Literal["program", "client"] = "program"
    absent: dict[str, Annotated[str, Field(min_length=1)]] = {}
    forms: list[str] = []
    most_threads: Annotated[int, Field(ge=1)] | None = None
    minimum: str = ""
    needs: dict[str, Scalar] = {}


class BenchmarkText(Record):
    """The contents of `benchmark.toml`.

    Each of the `forms` is a separate benchmark, NAME-FORM, with the programs that contain it. The
    option `form=FORM` tells a program which form to use. `forms_differ`: the forms are different
    tasks, each with its own answer. `threaded`: the programs can use several threads.
    `starts_tasks`: the programs start tasks of their own. The option `threads` then limits the
    processors only, and the tasks (for example threads) wait for each other. `crossovers` has their
    parameters.
    """

    name: str
    suite: str
    about: str
    counters: Annotated[list[str], Field(min_length=1)]
    default_workload: str
    threaded: bool = False
    starts_tasks: bool = False
    parameters: dict[str, ParameterText] = {}
    distributions: dict[Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]*$")], Distribution] = {}
    crossovers: dict[str, DeclaredCrossover] = {}
    workloads: dict[str, str]
    sizes: dict[str, SizeText]
    forms: dict[str, str] = {}
    forms_differ: bool = False
    input: InputText | None = None
    drive: DriveText | None = None
    programs: dict[str, ProgramText | list[ProgramText]]

    @model_validator(mode="after")
    def _counted(self) -> Self:
        counters = [("drive.reported", one) for one in (self.drive.reported if self.drive else [])]
        for name, one in self.distributions.items():
            counters.append((f"distributions.{name}.per_thousand", one.per_thousand))
        for key, counter in counters:
            if counter and counter not in self.counters:
                known = ", ".join(self.counters)
                raise ValueError(f"{key}: {counter!r} is not one of the counters ({known})")
        return self

    @model_validator(mode="after")
    def _formed(self) -> Self:
        for name, one in self.parameters.items():
            if astray := sorted(set(one.least_of) - set(self.forms)):
                raise ValueError(
                    f"parameters.{name}.least_of: this benchmark has no form {', '.join(astray)}; "
                    "correct the name"
                )
        return self


@dataclass(frozen=True)
class Benchmark:
    """A benchmark as its folder describes it, with its canonical answers. `form` is empty if the
    benchmark has only one form.
    """

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
        """The folder that contains the suites, and `harness/` beside them."""
        return self.folder.parents[1]

    @property
    def programs(self) -> list[ProgramSource]:
        """The programs that contain the form, one for each language and tier."""
        return [
            ProgramSource(
                suite=self.text.suite,
                benchmark=self.text.name,
                language=language,
                tier=program.tier,
                folder=self.folder / program.folder,
                main=program.main,
                counted_by=program.counted_by,
                absent=program.absent,
                most_threads=program.most_threads,
                minimum=program.minimum,
                needs=program.needs,
                recipe=self.recipes.get(program.folder),
            )
            for language, programs in self.text.programs.items()
            for program in _listed(programs)
            if not program.forms or self.form in program.forms
        ]

    def program(self, language: str, tier: str) -> ProgramSource | None:
        for program in self.programs:
            if (program.language, program.tier) == (language, tier):
                return program
        return None

    def resolve_workloads(self, names: Sequence[str]) -> list[str]:
        """The named workloads. `default` and `all` are replaced by the workloads that they stand
        for. Raises UserMistake if a name is unknown.
        """
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
        """The size at which a mode measures this benchmark if the experiment does not state a size.
        The size is the profile's size or, for the steady mode, the size `steady`, whose iterations
        are short enough for the steady-state detector. If the profile's size is `tiny`, which only
        shows that the benchmark works, `steady` is not used.
        """
        longer = mode == STEADY and profiles != TINY and STEADY in self.text.sizes
        return STEADY if longer else profiles

    def parameters(self, size: str, own: Mapping[str, Scalar] | None = None) -> dict[str, Scalar]:
        """Every parameter that the benchmark's programs are given: the parameters of the size,
        overridden by the user's `own`. Raises UserMistake if the benchmark does not allow a name or
        value.
        """
        form: dict[str, Scalar] = {"form": self.form} if self.form else {}
        known = self.text.parameters
        defaults = {name: one.default for name, one in known.items() if one.default is not None}
        given = defaults | self.size(size).params | dict(own or {})
        for name, value in given.items():
            if name not in known:
                raise unknown("parameter", name, known, f" of {self.name}")
            if wanted := known[name].problem(value, self.form):
                raise UserMistake(
                    f"the parameter {name} of {self.name} must be {wanted}, not {value!r}"
                )
        if missing := [name for name in known if name not in given]:
            raise UserMistake(
                f"the size {size} of {self.name} has no value for the parameter "
                f"{', '.join(missing)}; state this value too"
            )
        return form | given

    def read_parameters(self, texts: Mapping[str, str]) -> dict[str, Scalar]:
        """The values of parameters that are given as texts: integers, or absolute paths."""
        values: dict[str, Scalar] = {}
        for name, text in texts.items():
            known = self.text.parameters.get(name)
            values[name] = text
            if known and known.least is not None and text.isascii() and text.isdigit():
                values[name] = int(text)
            elif known and known.path and text:
                values[name] = str(stated_path(text))
        return values

    def connections(self, workload: str, size: str) -> int | None:
        """The connections that the size states for a driven server; None for other programs."""
        if self.text.drive is None:
            return None
        asked = self.size(size).drive
        return 1 if asked is None or workload in self.text.drive.sequential else asked.connections

    def answer(
        self, workload: str, size: str, seed: int, own: Mapping[str, Scalar] | None = None
    ) -> Answer | None:
        """The canonical answer of this work; None if no answer is recorded. `own` replaces
        parameters of the size. An answer of another size applies if the parameters are the same and
        the size decides nothing else."""
        only_parameters = self.text.input is None and self.text.drive is None
        asked = self._deciding(size, own)
        for one in self.answers.answers:
            if (one.form, one.workload, one.seed) != (self.form, workload, seed):
                continue
            known = one.size in self.text.sizes and (only_parameters or one.size == size)
            if known and self._deciding(one.size, one.params) == asked:
                return one
        return None

    def _deciding(self, size: str, own: Mapping[str, Scalar] | None) -> dict[str, Scalar]:
        """The parameters that decide the answer."""
        known = self.text.parameters
        return {
            name: value
            for name, value in self.parameters(size, own).items()
            if name not in known or not known[name].observing
        }


def benchmarks(root: Path = BENCHMARKS) -> dict[str, Benchmark]:
    """Every benchmark below `root`, by name. The repository's own are read once in a process,
    because reading them all takes a tenth of a second."""
    return dict(_own_benchmarks()) if root == BENCHMARKS else _read_benchmarks(root)


@functools.cache
def _own_benchmarks() -> dict[str, Benchmark]:
    return _read_benchmarks(BENCHMARKS)


def _read_benchmarks(root: Path) -> dict[str, Benchmark]:
    found: dict[str, Benchmark] = {}
    for path in sorted(root.glob("*/*/benchmark.toml")):
        folder, text = path.parent, read_toml(path, BenchmarkText)
        if taken := CONTRACT_OPTIONS & set(text.parameters):
            raise UserMistake(
                f"{path}: every program already has the option {', '.join(sorted(taken))}, so no "
                "entry of `parameters` may have this name; choose another name"
            )
        if text.default_workload not in text.workloads:
            raise UserMistake(
                f"{path}: `default_workload` is {text.default_workload!r}, but this benchmark has "
                f"no such workload; choose from {', '.join(text.workloads)}"
            )
        require_measurable(
            path,
            text.crossovers,
            numbers=[name for name, one in text.parameters.items() if one.least is not None],
            workloads=text.workloads,
            distributions=text.distributions,
        )
        for programs in text.programs.values():
            for program in _listed(programs):
                for what, named, known in (
                    ("workload", program.absent, text.workloads),
                    ("form", program.forms, text.forms),
                ):
                    if astray := sorted(set(named) - set(known)):
                        raise UserMistake(
                            f"{path}: the program {program.folder} names the {what} "
                            f"{', '.join(astray)}, which this benchmark does not have; correct the "
                            "name"
                        )
        for form in text.forms or [""]:
            one = Benchmark(folder, text, read_answers(folder), form, _recipes(folder, text))
            if one.name in found:
                raise UserMistake(
                    f"{path}: another benchmark already has the name {one.name!r}; choose another "
                    "name"
                )
            found[one.name] = one
    return found


def _recipes(folder: Path, text: BenchmarkText) -> dict[str, ProgramRecipe]:
    """The recipes of the programs that have their own recipe, by the program's folder."""
    folders = {one.folder for programs in text.programs.values() for one in _listed(programs)}
    paths = {name: folder / name / RECIPE for name in folders}
    return {name: read_toml(path, ProgramRecipe) for name, path in paths.items() if path.is_file()}


def _listed(programs: ProgramText | list[ProgramText]) -> list[ProgramText]:
    return programs if isinstance(programs, list) else [programs]


def select_benchmarks(names: Iterable[str], among: dict[str, Benchmark]) -> list[Benchmark]:
    """Benchmarks by name, or by `suite/*`. Raises UserMistake for an unknown name."""
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
    """A one-line message for an unknown name, with the nearest known names or all of them."""
    names = sorted(among)
    near = difflib.get_close_matches(name, names, n=3) or names
    return UserMistake(f"no {kind}{of} is named {name!r}; choose from {', '.join(near)}")
