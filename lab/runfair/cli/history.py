"""`./runfair history`: each figure over all stored runs, and where its level changed."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

from runfair.cli.option import Figures, Results, fraction, known_figures
from runfair.cli.terminal import errors, output
from runfair.errors import UserMistake
from runfair.formats.finding import FigureName
from runfair.formats.history import History
from runfair.history.series import series_of
from runfair.history.store import Filter, commit_of, matching_rows, smoke_runs, stored_figures
from runfair.history.table import tables
from runfair.paths import results_folder
from runfair.report.terminal import print_table
from runfair.wording.text import plain

USUAL: tuple[FigureName, ...] = ("wall", "cpu", "memory", "p50", "p99")


def history(
    benchmark: Annotated[
        str,
        typer.Option(
            help=(
                "Show only this benchmark, or all benchmarks that match a pattern such as 'awfy-*'."
            )
        ),
    ] = "",
    workload: Annotated[str, typer.Option(help="Show only this workload.")] = "",
    size: Annotated[str, typer.Option(help="Show only this size.")] = "",
    mode: Annotated[str, typer.Option(help="Show only this mode: cold, steady or service.")] = "",
    variant: Annotated[
        str,
        typer.Option(
            help=(
                "Show only this variant, or all variants that match a pattern such as 'temurin-*'."
            )
        ),
    ] = "",
    machine: Annotated[str, typer.Option(help="Show only runs on this machine.")] = "",
    figure: Figures = None,
    threshold: Annotated[
        str,
        typer.Option(
            help="Report only changes between runs that are at least this large, such as 5%."
        ),
    ] = "3%",
    results: Results = None,
    json: Annotated[bool, typer.Option("--json", help="Print the history as JSON.")] = False,
) -> None:
    """Show how each measured value changed over all stored runs, separately for each machine."""
    smallest = fraction("--threshold", threshold)
    named = known_figures(figure or []) or list(USUAL)
    folder = results or results_folder()
    with errors.status("reading runs") as status:
        files, unreadable = stored_figures(
            folder, lambda run: status.update(f"judging {escape(plain(run))}")
        )
    if not files and not unreadable:
        raise UserMistake(
            f"{folder}: there is no run in this folder; measure one with ./runfair run"
        )
    wanted = Filter(benchmark, workload, size, mode, variant, machine, tuple(named))
    rows = matching_rows(files, wanted)
    commits = {run: commit_of(folder / run) for run in {row["run"] for row in rows}}
    smoke = [
        (f"{run}: the run used the profile `smoke`, which is too short for valid results")
        for run in smoke_runs(files)
    ]
    found = History(
        threshold=smallest,
        series=series_of(rows, commits, smallest=smallest),
        passed_over=[*unreadable, *smoke],
    )
    for line in found.passed_over:
        errors.print(f"skipped {escape(plain(line))}", soft_wrap=True)
    if json:
        print(found.model_dump_json(indent=1))
        return
    if not found.series:
        errors.print(
            "no stored run contains a measured value that matches all given options; leave some "
            "of the options out"
        )
    for table in tables(found):
        print_table(table, output)
