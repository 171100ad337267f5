"""`./runfair export RUN --format FORMAT`: writes a recorded run in the formats of other tools."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, get_args

import typer
from rich.markup import escape

from runfair.cli.measuring import shown_path
from runfair.cli.option import Results, RunName
from runfair.cli.terminal import errors
from runfair.errors import InvalidResult, UserMistake
from runfair.export.dataset import Dataset, executions, iterations, lines, write_parquet
from runfair.export.figures import figures
from runfair.export.go_benchmark import go_benchmark
from runfair.export.junit import junit
from runfair.export.latencies import Format as LatencyFormat
from runfair.export.latencies import write_latencies
from runfair.export.pyperf import pyperf
from runfair.formats.kept_file import write_whole
from runfair.formats.run_folder import RunFolder
from runfair.paths import results_folder
from runfair.report.markdown import markdown
from runfair.result.judged_run import JudgedRun

TABLES: dict[str, Callable[[JudgedRun], Dataset]] = {
    "figures": figures,
    "executions": executions,
    "iterations": iterations,
    "lines": lines,
}
TEXTS: dict[str, Callable[[JudgedRun], str]] = {
    "json": lambda run: run.result.model_dump_json(indent=1) + "\n",
    "markdown": lambda run: markdown(run.result),
    "junit": junit,
    "pyperf": pyperf,
    "go": go_benchmark,
}
# These formats have no place for a void figure.
WITHOUT_VERDICTS = ("pyperf", "go")
LATENCIES: dict[str, LatencyFormat] = {one: one for one in get_args(LatencyFormat)}
FORMATS = (*TEXTS, "csv", "parquet", *LATENCIES)


def export(
    run: RunName = "latest",
    format: Annotated[str, typer.Option(help=f"One of {', '.join(FORMATS)}.")] = "csv",
    table: Annotated[
        str,
        typer.Option(
            help="The table to export as csv or parquet: figures (a row for each measured "
            "value), executions, iterations, or lines (source lines)."
        ),
    ] = "figures",
    output: Annotated[
        Path | None,
        typer.Option(
            help=(
                "The file to write. With the format hlog or hgrm, the folder to write. The "
                "default is standard output."
            )
        ),
    ] = None,
    results: Results = None,
) -> None:
    """Write a recorded run in the format of another tool. The command measures nothing.

    If a measured value is void (not valid), the file contains the verdict void instead of a number.
    Some formats cannot contain a verdict. A file in such a format leaves void values out, and a
    message on standard error names them.
    """
    if format not in FORMATS:
        raise UserMistake(f"--format {format}: unknown format; choose from {', '.join(FORMATS)}")
    if table not in TABLES:
        raise UserMistake(f"--table {table}: unknown table; choose from {', '.join(TABLES)}")
    if output is None and format == "parquet":
        raise UserMistake(
            "--format parquet writes a binary file, which cannot be shown on a terminal; name a "
            "file with --output"
        )
    if output is None and format in LATENCIES:
        raise UserMistake(
            f"--format {format} writes a file for each execution; name a folder with --output"
        )
    if output is not None and not output.absolute().parent.is_dir():
        parent = output.absolute().parent
        raise UserMistake(f"--output {output}: there is no folder {parent}; create it first")
    folder = RunFolder.find(run, results or results_folder())
    judged = JudgedRun.read(folder)
    if output is not None and format in LATENCIES:
        _latencies(judged, folder, output, LATENCIES[format])
    elif format in TEXTS:
        _text(judged, format, output)
    else:
        _dataset(TABLES[table](judged), format, output)


def _text(run: JudgedRun, format_: str, output: Path | None) -> None:
    text = TEXTS[format_](run)
    if format_ in WITHOUT_VERDICTS:
        _say_left_out(run.left_out())
    if not text:
        raise InvalidResult(
            "all measured values of the run are void (not valid), so there is nothing to export as "
            f"{format_}; ./runfair report gives the reasons"
        )
    if output is None:
        sys.stdout.write(text)
        return
    with _writing(output):
        write_whole(output, text)
    errors.print(f"written     {escape(shown_path(output))}", soft_wrap=True)


def _dataset(dataset: Dataset, format_: str, output: Path | None) -> None:
    if output is None:
        dataset.write_csv(sys.stdout)
        return
    with _writing(output):
        if format_ == "parquet":
            write_parquet(dataset, output)
        else:
            with output.open("w", encoding="utf-8", newline="") as file:
                dataset.write_csv(file)
    errors.print(f"written     {escape(shown_path(output))}", soft_wrap=True)


def _latencies(run: JudgedRun, folder: RunFolder, to: Path, wanted: LatencyFormat) -> None:
    if not any(cell.service is not None for cell in run.result.cells):
        raise UserMistake(
            f"--format {wanted} exports latencies, but this run contains none, because it measured "
            "no service; choose another format"
        )
    with _writing(to):
        to.mkdir(parents=True, exist_ok=True)
        written, left_out = write_latencies(run, folder, to, wanted)
    _say_left_out(left_out)
    if not written:
        raise InvalidResult(
            "no execution of this run has valid latencies, so there is nothing to export; "
            "./runfair report gives the reasons"
        )
    errors.print(f"written     {len(written)} files in {escape(shown_path(to))}", soft_wrap=True)


@contextmanager
def _writing(output: Path) -> Iterator[None]:
    """Within this context, a path that cannot be written is reported in one line."""
    try:
        yield
    except OSError as error:
        if _is_elsewhere(error, output):  # in the run, which is read meanwhile
            raise
        raise UserMistake(
            f"--output {output}: this path cannot be written ({error.strerror}); name another path"
        ) from None


def _is_elsewhere(error: OSError, output: Path) -> bool:
    """Whether the error names a single path that is not in the output, and is not one of the
    temporary files beside it. An error that names two paths comes from a copy to the output."""
    if error.filename is None or error.filename2 is not None:
        return False
    path, beside = Path(error.filename).resolve(), output.parent.resolve()
    temporary = f"{beside / f'.{output.name}.'}"
    return not (path.is_relative_to(output.resolve()) or str(path).startswith(temporary))


def _say_left_out(lines: list[str]) -> None:
    for line in lines:
        errors.print(f"left out    {escape(line)}", soft_wrap=True)
