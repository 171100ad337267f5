"""Figures for the lines of a source file, with the text of the file at that time
(`lines/EXECUTION.jsonl`).

The text is stored because a reader of the run may not have the source.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from runfair.errors import UserMistake
from runfair.formats.record import Record
from runfair.formats.transcript import ContractBroken

LineNumber = Annotated[int, Field(ge=1, lt=2**31)]
LineValue = Annotated[float, Field(allow_inf_nan=False)]
LineValues = Annotated[dict[LineNumber, LineValue], Field(min_length=1)]

MAX_TOLD_BYTES = 16 << 20  # of a program's file of lines
MAX_SOURCE_BYTES = 1 << 20  # larger files are generated, and not worth showing
_ENDS = re.compile(r"\r\n|\r|\n")


class ToldLines(Record):
    """A line of the file in which a program reports figures for its lines of source: the figures
    for one source file, by line number from 1. `path` is relative to the program's folder."""

    path: Annotated[str, Field(min_length=1, max_length=500, pattern=r"^[^\x00-\x1f]+$")]
    name: Annotated[str, Field(min_length=1)]
    unit: str
    values: LineValues


class SourceLines(Record):
    """An execution's figures for a file. `path` is relative to the program's folder; `values` has
    the figures by line number, from 1. A line without an entry has no figure."""

    schema_version: Literal[1] = 1
    path: str
    name: str
    unit: str
    values: LineValues
    text: str

    @property
    def text_sha256(self) -> str:
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()


def lines_of(text: str) -> list[str]:
    """The lines of a text as editors and compilers count them: Unicode separators and form feeds do
    not end a line."""
    lines = _ENDS.split(text)
    return lines[:-1] if lines[-1] == "" else lines


def read_told(path: Path) -> list[ToldLines]:
    """The file in which a program reported figures for its lines. Raises ContractBroken if the file
    is missing, empty, incomplete or malformed."""
    if not path.is_file():
        raise ContractBroken(
            f"the program did not write the file {path}, which should contain the values of its "
            "source lines"
        )
    with path.open("rb") as file:
        content = file.read(MAX_TOLD_BYTES + 1)
    if len(content) > MAX_TOLD_BYTES:
        raise ContractBroken(
            f"{path}: the file is too large to read; a program may write at most "
            f"{MAX_TOLD_BYTES} bytes into it"
        )
    if not content.endswith(b"\n"):
        raise ContractBroken(
            f"{path}: the file is empty, or its last line is incomplete; the program must write "
            "complete lines, each with a line feed, before it prints `end`"
        )
    told: dict[tuple[str, str], ToldLines] = {}
    for number, line in enumerate(content.splitlines(), 1):
        try:
            one = ToldLines.model_validate_json(line)
        except ValidationError as error:
            message = error.errors(include_url=False)[0]["msg"]
            raise ContractBroken(f"{path}, line {number}: {message}") from None
        if told.setdefault((one.path, one.name), one) is not one:
            raise ContractBroken(f"{path}, line {number}: {one.path[:60]!r} occurs twice")
    return [*told.values()]


def captured(told: ToldLines, folder: str) -> SourceLines:
    """The reported lines with the text of their source file. The file must lie below the program's
    `folder`.

    Raises ContractBroken if the file or its lines do not exist, or if the file lies outside the
    folder: a program's report must not make the lab read other files.
    """
    if not folder:
        raise ContractBroken(
            f"the program reports values for source lines of {told.path!r}, but runfair cannot "
            "find this file, because the plan of the run does not say which folder contains the "
            "program's sources"
        )
    # os.path treats names that are too long, and circular links, as missing files.
    home = os.path.realpath(folder)
    path = os.path.realpath(os.path.join(home, told.path))  # noqa: PTH118
    if not Path(path).is_relative_to(home):
        raise ContractBroken(
            f"the program reports values for lines of {told.path!r}, but this path is outside the "
            "program's folder"
        )
    if not os.path.isfile(path):  # noqa: PTH113
        raise ContractBroken(
            f"the program reports values for lines of {told.path!r}, but the program's folder "
            "contains no such file"
        )
    try:
        with Path(path).open("rb") as file:
            content = file.read(MAX_SOURCE_BYTES + 1)
    except OSError as error:
        raise ContractBroken(
            f"the program reports values for lines of {told.path!r}, but this file cannot be read "
            f"({error.strerror})"
        ) from None
    if len(content) > MAX_SOURCE_BYTES:
        raise ContractBroken(
            f"the program reports values for lines of {told.path!r}, but runfair reads only "
            f"source files of up to {MAX_SOURCE_BYTES} bytes"
        )
    text = content.decode("utf-8", "replace")
    last, count = max(told.values), len(lines_of(text))
    if last > count:
        raise ContractBroken(
            f"the program reports a value for line {last} of {told.path!r}, but this file has "
            f"only {count} lines"
        )
    return SourceLines(
        path=told.path, name=told.name, unit=told.unit, values=told.values, text=text
    )


def write_lines(path: Path, found: Sequence[SourceLines]) -> None:
    text = "".join(f"{one.model_dump_json()}\n" for one in found)
    path.write_text(text, encoding="utf-8")


def read_lines(path: Path) -> list[SourceLines]:
    """The figures in a file of lines; empty if there is no file. Raises UserMistake if the file is
    damaged."""
    if not path.exists():
        return []
    try:
        return [
            SourceLines.model_validate_json(line) for line in path.read_bytes().split(b"\n")[:-1]
        ]
    except ValidationError as error:
        message = error.errors(include_url=False)[0]["msg"]
        raise UserMistake(
            f"{path}: this file is damaged, or another version of runfair wrote it ({message})"
        ) from None
