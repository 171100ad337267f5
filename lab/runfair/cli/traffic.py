"""`./runfair traffic`: converts a production capture to the load generator's traffic file."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.markup import escape
from rich.table import Table as Grid
from rich.text import Text

from runfair.cli.terminal import errors, output
from runfair.errors import UserMistake
from runfair.formats.traffic import Conversion, Replay, Sizes
from runfair.traffic.capture import read_captures
from runfair.traffic.conversion import write_traffic
from runfair.traffic.summary import compare
from runfair.wording import quantity


class TimingChoice(StrEnum):
    recorded = "recorded"
    constant = "constant"


def traffic(
    files: Annotated[
        list[Path],
        typer.Argument(
            help=(
                "Recorded requests to read. A file is a HAR file, an access log, a packet file "
                "(pcap), a GoReplay file, k6's JSON output, or a list of vegeta targets. All "
                "files together form one capture (recording)."
            ),
        ),
    ],
    to: Annotated[Path | None, typer.Option(help="The traffic file to write (JSON Lines).")] = None,
    against: Annotated[
        Path | None,
        typer.Option(
            help=(
                "Compare the capture with this file. The file is a traffic file, or a capture "
                "that was recorded during a replay."
            )
        ),
    ] = None,
    timing: Annotated[
        TimingChoice | None,
        typer.Option(
            help=(
                "`recorded` keeps the times of the requests, if the capture contains times. "
                "`constant` leaves the times out, so that you can choose the rate of the load."
            )
        ),
    ] = None,
    keep_secrets: Annotated[
        bool,
        typer.Option(
            "--keep-secrets",
            help=(
                "Keep the cookies, authorisation headers and keys of the requests. By "
                "default, they are removed."
            ),
        ),
    ] = False,
    host: Annotated[
        str | None, typer.Option(help="Convert only the requests to this host.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Read only this number of requests, the first ones.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Convert captures (recordings of production traffic) to a traffic file for the load generator,
    or compare a replay with its capture."""
    if (to is None) == (against is None):
        raise UserMistake(
            "the command needs either --to OUT.jsonl, to convert the capture, or --against FILE, "
            "to compare the capture with another file"
        )
    if against is not None:
        _compare(files, against, json)
        return
    assert to is not None
    if any(to.exists() and path.exists() and to.samefile(path) for path in files):
        raise UserMistake(
            f"--to {to}: this file is one of the input files, and would be overwritten; name "
            "another file"
        )
    capture = read_captures(files)
    chosen = timing or (TimingChoice.recorded if capture.timed else TimingChoice.constant)
    with errors.status("reading"):
        conversion = write_traffic(
            capture, to, timing=chosen.value, keep_secrets=keep_secrets, limit=limit, host=host
        )
    if json:
        print(conversion.model_dump_json(indent=1))
    else:
        _print(conversion, to)


def _compare(files: list[Path], against: Path, json: bool) -> None:
    recorded, replayed = read_captures(files), read_captures([against])
    with errors.status("comparing"):
        distances = compare(recorded.requests, replayed.requests)
    if not distances:
        raise UserMistake(
            "the two files cannot be compared, because one of them contains no request; name two "
            "files with requests"
        )
    replay = Replay(distances=distances, notes=[*recorded.notes, *replayed.notes])
    if json:
        print(replay.model_dump_json(indent=1))
        return
    grid = _grid("", "distance", "by chance", "recorded", "replayed", "")
    for found in replay.distances:
        grid.add_row(
            f"{found.quantity} ({found.measure})",
            quantity.three_digits(found.distance),
            quantity.three_digits(found.by_chance),
            f"{found.recorded:,}",
            f"{found.replayed:,}",
            "differs" if found.differs else "no difference seen",
        )
    output.print(grid)
    _notes(replay.notes)


def _print(conversion: Conversion, to: Path) -> None:
    found = conversion.found
    output.print(f"format    {escape(conversion.format)}")
    output.print(f"requests  {found.requests:,} read, {conversion.written:,} written")
    if found.span_ns is not None:
        rate = "" if found.rate_per_s is None else f", {_rate(found.rate_per_s)} on average"
        output.print(f"span      {quantity.duration(found.span_ns)}{rate}")
    output.print(f"timing    {conversion.timing}")
    output.print(f"bodies    {_sizes(found.request_body_bytes)}")
    output.print(f"answers   {_sizes(found.answer_bytes)}")
    grid = _grid("route", "requests", "share")
    for route in found.routes:
        share = quantity.percent(route.requests / found.requests)
        grid.add_row(Text(_printable(route.route)), f"{route.requests:,}", share)
    output.print(grid)
    if found.distinct_routes > len(found.routes):
        output.print(
            f"          {found.distinct_routes - len(found.routes):,} further routes are not shown"
        )
    _notes(conversion.notes)
    by = "--arrivals trace" if conversion.timing == "recorded" else "--rate N"
    output.print(
        f"written   {escape(str(to))} (to send these requests: runfair-load --traffic FILE {by} "
        "URL)",
        soft_wrap=True,
    )


def _grid(*columns: str) -> Grid:
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False)
    for place, column in enumerate(columns):
        words = place == 0 or not column
        grid.add_column(column, overflow="fold", justify="left" if words else "right")
    return grid


def _notes(notes: list[str]) -> None:
    for note in notes:
        output.print(Text(f"note      {_printable(note)}"), soft_wrap=True)


def _printable(text: str) -> str:
    """The text without control characters, because a capture's text must not control
    the terminal.
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _rate(rate_per_s: float) -> str:
    return f"{quantity.three_digits(rate_per_s)}/s"


def _sizes(sizes: Sizes | None) -> str:
    if sizes is None:
        return "the sizes are not known"
    return (
        f"median {quantity.size(sizes.median_bytes)}, p99 {quantity.size(sizes.p99_bytes)}, "
        f"largest {quantity.size(sizes.largest_bytes)} (from {sizes.known:,} known sizes)"
    )
