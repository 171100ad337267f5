"""`./runfair report RUN`: judges a recorded run again, prints its conclusion and renews
its page.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from runfair.cli.measuring import require_answers, show
from runfair.cli.option import Details, Results, RunName
from runfair.formats.run_folder import RunFolder
from runfair.paths import results_folder


def report(
    run: RunName = "latest",
    results: Results = None,
    figures: Annotated[
        Path | None,
        typer.Option(
            help="Also write each picture of the run's page into this folder, as SVG and as PNG.",
            metavar="DIR",
        ),
    ] = None,
    details: Details = False,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Judge a recorded run again, print its conclusion and write its page, `report.html`; nothing
    is measured."""
    folder = RunFolder.find(run, results or results_folder())
    require_answers(show(folder, as_json=json, details=details, figures=figures))
