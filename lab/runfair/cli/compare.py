"""`./runfair compare`: compares two variants of a run, or two runs, and is the gate of a CI job."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

from runfair.cli.option import Figures, Results, fraction, known_figures
from runfair.cli.terminal import errors, output
from runfair.errors import UserMistake
from runfair.evidence.reading import evidence_of
from runfair.formats.comparison import Comparison
from runfair.formats.run_folder import RunFolder
from runfair.paths import results_folder
from runfair.report.comparison import comparison_table, require_no_regression
from runfair.report.markdown import section
from runfair.report.terminal import print_table
from runfair.result.comparison import between_runs, between_variants
from runfair.wording.text import plain

REGRESSION = "regression"


def compare(
    runs: Annotated[list[str], typer.Argument(help="One run (with --variants), or two runs.")],
    variants: Annotated[
        tuple[str, str] | None,
        typer.Option(
            help="Compare these two variants of one run. The first variant is the baseline."
        ),
    ] = None,
    figure: Figures = None,
    threshold: Annotated[
        str,
        typer.Option(
            help=(
                "A change is a regression only if it is larger than this size, and also larger "
                "than this machine's noise floor (the smallest difference that runfair can "
                "detect)."
            )
        ),
    ] = "3%",
    fail_on: Annotated[
        str | None,
        typer.Option(
            help=(
                "With `regression`, the exit status is 4 if a measured value became worse by more "
                "than the threshold, and 3 if the runs cannot be compared."
            )
        ),
    ] = None,
    results: Results = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print Markdown, for a pull request.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the comparison as JSON.")] = False,
) -> None:
    """Compare two variants (runtimes with their flags) of one run, or the same programs in two
    runs."""
    if fail_on not in (None, REGRESSION):
        raise UserMistake(f"--fail-on {fail_on}: the only possible value is `{REGRESSION}`")
    named = known_figures(figure or [])
    allowed = fraction("--threshold", threshold)
    folders = [RunFolder.find(run, results or results_folder()) for run in runs]
    evidence = [evidence_of(folder) for folder in folders]
    if variants is not None and len(evidence) == 1:
        compared = between_variants(evidence[0], *variants, threshold=allowed, figures=named)
    elif variants is None and len(evidence) == 2:
        names = (folders[0].path.resolve().name, folders[1].path.resolve().name)
        compared = between_runs(*evidence, names=names, threshold=allowed, figures=named)
    else:
        raise UserMistake(
            "the command compares two runs, or two variants of one run; name two runs, or one "
            "run and --variants A B"
        )
    try:
        _show(compared, as_json=json, as_markdown=markdown)
    finally:
        # The gate is checked even if the reader of the output has stopped (`| head`).
        if fail_on is not None:
            require_no_regression(compared, named)


def _show(compared: Comparison, *, as_json: bool, as_markdown: bool) -> None:
    if not compared.one_machine:
        errors.print(
            "warning     the two runs were made on different machines, so the machines may be the "
            "cause of a difference"
        )
    for line in compared.differences:
        errors.print(f"differs     {escape(plain(line))}", soft_wrap=True)
    if as_json:
        print(compared.model_dump_json(indent=1))
    elif as_markdown:
        print(section(comparison_table(compared)))
    else:
        print_table(comparison_table(compared), output)
