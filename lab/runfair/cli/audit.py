"""`./runfair audit FILE…`: judge results that other tools wrote."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from runfair.cli.terminal import output
from runfair.errors import UserMistake
from runfair.fairness.audit import Read
from runfair.fairness.audit import audit as judge
from runfair.formats.foreign import IMPORTERS, recognise
from runfair.formats.foreign.command_line import (
    CommandLine,
    Contradiction,
    completed,
    preceding,
)
from runfair.formats.foreign.command_line import read as read_command
from runfair.formats.foreign.result import ForeignResult
from runfair.formats.foreign.source import Source
from runfair.report.audit import print_audit

LARGEST_BYTES = 256 << 20
STANDARD_INPUT = "-"
SIDECAR = ".command"


def audit(
    files: Annotated[
        list[str],
        typer.Argument(
            help="Files that contain results of other tools, or `-` for standard input."
        ),
    ],
    command: Annotated[
        str | None,
        typer.Option(
            help=(
                "The command line that produced the result. Without this option, runfair reads "
                "the command line from the file FILE.command beside FILE, if there is one."
            )
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the audit as JSON.")] = False,
) -> None:
    """Say which measurement mistakes the results of wrk, k6, JMH and other tools contain."""
    if command is not None and len(files) > 1:
        raise UserMistake(
            "--command works with a single file only; for several files, write the command line "
            "of each FILE to a file FILE.command beside it"
        )
    found = [each for name in files for each in _read(name, command)]
    audited = judge(found)
    if json:
        print(audited.model_dump_json(indent=1))
    else:
        print_audit(audited, output)


def _read(name: str, command: str | None) -> list[Read]:
    text = _text(name)
    results = recognise(text)
    if not results:
        looked_for = ", ".join(each.TOOL for each in IMPORTERS)
        raise UserMistake(
            f"{name}: the file contains no result of a known tool{_hint(text)}; give a result of "
            f"one of these tools: {looked_for}"
        )
    given = command if command is not None else _sidecar(name)
    line = None
    if given is not None:
        line = read_command(given)
        if line is None:
            raise UserMistake(
                f"{name}: the command line {given.strip()!r} does not start a tool that runfair "
                "knows; correct the command line, or leave it out"
            )
    lines = Source.of(text).lines
    return [_completed(name, each, line, lines) for each in results]


def _completed(
    name: str, result: ForeignResult, given: CommandLine | None, lines: Sequence[str]
) -> Read:
    if given is not None:
        try:
            return Read(name, completed(result, given), given.text)
        except Contradiction as contradiction:
            raise UserMistake(
                f"{name}:{result.line}: {contradiction}; give the command line that really "
                "produced the result"
            ) from None
    above = preceding(lines, result)
    if above is None:
        return Read(name, result)
    return Read(name, completed(result, above), above.text)


def _sidecar(name: str) -> str | None:
    path = Path(f"{name}{SIDECAR}")
    return _text(str(path)) if name != STANDARD_INPUT and path.is_file() else None


def _text(name: str) -> str:
    """The file's text. Undecodable bytes are replaced, because a log may contain anything between
    the parts that matter.
    """
    try:
        if name == STANDARD_INPUT:
            data = sys.stdin.buffer.read(LARGEST_BYTES + 1)
        else:
            with Path(name).open("rb") as file:
                data = file.read(LARGEST_BYTES + 1)
    except OSError as error:
        raise UserMistake(f"{name}: the file cannot be read: {error.strerror}") from None
    if len(data) > LARGEST_BYTES:
        raise UserMistake(
            f"{name}: the file is larger than {LARGEST_BYTES >> 20} MiB; give the summary that "
            "the tool printed instead"
        )
    for encoding in ("utf-8-sig", "utf-16"):
        # PowerShell writes redirected output as UTF-16.
        if encoding == "utf-8-sig" or data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            try:
                return data.decode(encoding)
            except UnicodeDecodeError:
                continue
    return data.decode("utf-8", errors="replace")


def _hint(text: str) -> str:
    if text[:1] == "\0":
        return (
            " (the file is binary; for Gatling 3.12 or newer, give the summary that Gatling prints)"
        )
    if text.lstrip()[:1] in ("{", "["):
        return (
            " (the file begins like JSON, but the JSON is not complete; perhaps the end of the "
            "file is missing)"
        )
    return ""
