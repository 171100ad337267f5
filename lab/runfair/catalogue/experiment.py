"""Experiments: files that say what to measure."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from runfair.catalogue.amount import Amount
from runfair.catalogue.benchmark import unknown
from runfair.catalogue.profile import ProfileText
from runfair.catalogue.serving import OwnService, Serve, check_names
from runfair.errors import UserMistake
from runfair.formats.plan import Mode, PageCacheState, ProfileName
from runfair.formats.record import Record, Scalar
from runfair.formats.toml import read_toml
from runfair.paths import EXPERIMENTS

# A run's folder is called by it, with a time before and perhaps a number after: names of files
# end at 255 bytes, and a line of a terminal at about 80.
LONGEST_NAME = 80


Some = Field(min_length=1)


class Measure(Record):
    """One `[[measure]]`: the cross product of its lists becomes cells. `connections` are of servers
    that are driven; otherwise as many as their size says. With `heap_search` the heaps are the
    smallest in which a program comes to its end, found when the plan is made, and multiples of it.
    `input` is the path of the user's own, in place of what the generator makes; `params` are laid
    over the size's. Of either there is no canonical answer: the programs have to agree. With
    `lines` each program whose runtime can tell runs once more, untimed, and tells how often each
    line of its source ran. A program that takes more than `limit_seconds` an execution is not
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
    limit_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    profiles: list[ProfileName] = []

    @model_validator(mode="after")
    def _one_way(self) -> Measure:
        if self.heap and self.heap_search:
            raise ValueError("`heap` names the heaps or `heap_search` looks for them: drop one")
        return self


class Experiment(Record):
    """An experiment's file. `baseline` is a language (its default variant) or a variant."""

    name: Annotated[str, Field(max_length=LONGEST_NAME)] = ""
    about: str = ""
    baseline: str = "c++"
    measure: list[Measure] = []
    serve: list[Serve] = []
    services: Annotated[dict[str, OwnService], AfterValidator(check_names)] = {}
    profiles: dict[ProfileName, ProfileText] = {}

    @model_validator(mode="after")
    def _something(self) -> Experiment:
        if not self.measure and not self.serve:
            raise ValueError("measures nothing: it needs a `[[measure]]` or a `[[serve]]`")
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
