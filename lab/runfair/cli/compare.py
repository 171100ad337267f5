"""`./runfair compare`: two variants of a run, or two runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from runfair.cli.terminal import errors, output
from runfair.errors import UserMistake
from runfair.formats.run_folder import RunFolder
from runfair.paths import results_folder
from runfair.report.assessment import evidence_of
from runfair.report.comparison import between_runs, between_variants, differences
from runfair.report.terminal import print_table


def compare(
    runs: Annotated[list[str], typer.Argument(help="One run with --variants, or two runs.")],
    variants: Annotated[
        tuple[str, str] | None,
        typer.Option(help="Two variants of the run: the second is compared with the first."),
    ] = None,
    results: Annotated[
        Path | None, typer.Option(help="Folder of the runs (or RUNFAIR_RESULTS).")
    ] = None,
) -> None:
    """Compare two variants of one run (paired), or the same cells of two runs."""
    folders = [RunFolder.find(run, results or results_folder()) for run in runs]
    evidence = [evidence_of(folder) for folder in folders]
    if variants is not None and len(evidence) == 1:
        print_table(between_variants(evidence[0], *variants), output)
    elif variants is None and len(evidence) == 2:
        for line in differences(*evidence):
            errors.print(f"differs     {escape(line)}", soft_wrap=True)
        print_table(between_runs(*evidence), output)
    else:
        raise UserMistake("name two runs, or one run with --variants A B")
