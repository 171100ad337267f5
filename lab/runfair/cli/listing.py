"""`./runfair list runtimes|benchmarks|experiments|machines`: what is installed, and what is
missing.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer
from rich import box
from rich.table import Table as Grid
from rich.text import Text

from runfair.catalogue.benchmark import benchmarks
from runfair.catalogue.experiment import experiment_files, read_experiment
from runfair.catalogue.runtime import variants
from runfair.catalogue.service import Framework, service_benchmarks
from runfair.cli.machines import machines_for
from runfair.cli.option import MachinesFile
from runfair.cli.terminal import output
from runfair.errors import UserMistake
from runfair.fleet.machines import machine_entries
from runfair.formats.variant import LISTING, Entry, Variant, at_least


class Kind(StrEnum):
    runtimes = "runtimes"
    benchmarks = "benchmarks"
    experiments = "experiments"
    machines = "machines"


def list_(
    kind: Annotated[Kind, typer.Argument(help="What to list.")],
    experiment: Annotated[
        str,
        typer.Argument(
            help=(
                "With `machines`: the path of an experiment's file. runfair lists the machines in "
                "the file machines.toml beside this file."
            )
        ),
    ] = "",
    refresh: Annotated[
        bool,
        typer.Option(
            help="Search for runtimes again, instead of using the list of the last search."
        ),
    ] = False,
    machines: MachinesFile = None,
    json: Annotated[bool, typer.Option("--json", help="Print the list as a JSON array.")] = False,
) -> None:
    """List runtimes, benchmarks, experiments or machines: what is available, what is missing, and
    the commands that install the missing parts."""
    if experiment and kind is not Kind.machines:
        raise UserMistake(
            f"list {kind.value} {experiment}: only `list machines` takes an experiment; leave "
            f"{experiment} out"
        )
    if kind is Kind.runtimes:
        entries = [_runtime(variant) for variant in variants(refresh=refresh)]
    elif kind is Kind.benchmarks:
        entries = _benchmarks()
    elif kind is Kind.machines:
        entries = machine_entries(machines_for(experiment, machines))
    else:
        entries = [
            Entry(name=name, language="", state="ready", detail=read_experiment(name).about)
            for name in experiment_files()
        ]
    if json:
        print(LISTING.dump_json(entries, indent=1).decode())
    else:
        print_entries(entries)


def _runtime(variant: Variant) -> Entry:
    detail = variant.reason
    if variant.state == "ready":
        notes = ", ".join(filter(None, (variant.origin, "default" if variant.default else "")))
        detail = f"{variant.executable or ''}  ({notes})" if notes else variant.executable or ""
    return Entry(
        name=variant.name,
        language=variant.language,
        state=variant.state,
        detail=detail,
        install=variant.install if variant.state == "missing" else "",
    )


def _benchmarks() -> list[Entry]:
    """An entry for each program of a benchmark. The entry has the state `missing` if no installed
    runtime runs the program's language or framework.
    """
    installed = [variant for variant in variants() if variant.state == "ready"]
    ready = {variant.language for variant in installed}
    programs = [
        Entry(
            name=benchmark.name,
            language=program.language,
            state="ready" if program.language in ready else "missing",
            detail=f"{benchmark.text.suite}, tier {program.tier}: {benchmark.text.about}",
        )
        for benchmark in benchmarks().values()
        for program in benchmark.programs
    ]
    services = [
        Entry(
            name=service.name,
            language=framework.text.language,
            state="ready" if _runs(framework, installed) else "missing",
            detail=f"{service.text.suite}, service {framework.name}: {service.text.about}",
        )
        for service in service_benchmarks().values()
        for framework in service.frameworks.values()
    ]
    return programs + services


def _runs(framework: Framework, installed: list[Variant]) -> bool:
    families, minimum = framework.text.families, framework.text.minimum or "0"
    return any(
        variant.implementation in families and at_least(variant.version, minimum)
        for variant in installed
    )


def print_entries(entries: list[Entry]) -> None:
    """Prints a table of the entries."""
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("name", "language", "state", ""):
        grid.add_column(column, overflow="fold")
    for entry in entries:
        detail = f"{entry.detail}  {entry.install}".strip()
        grid.add_row(
            Text(entry.name),
            Text(entry.language),
            Text(entry.state),
            Text(detail),
            style="" if entry.state == "ready" else "dim",
        )
    output.print(grid)
