"""A reader of TOML files written by people. The reader returns records; its errors name file, line
and key."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from runfair.errors import UserMistake

Model = TypeVar("Model", bound=BaseModel)
KeyPath = tuple[str | int, ...]

_PLACE = re.compile(r"\(at line (\d+), column \d+\)$")
_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(
    r"""^\s*((?:[A-Za-z0-9_+-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_+-]+|"[^"]*"|'[^']*'))*)\s*="""
)
_PART = re.compile(r"""[A-Za-z0-9_+-]+|"[^"]*"|'[^']*'""")


def parse_toml(path: Path) -> dict[str, Any]:
    """The tables of the file. Raises UserMistake if the file is unreadable or malformed; the
    message names file and line."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UserMistake(f"{path}: the file cannot be read ({reason})") from None
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))
        line = place[1] if place else max(1, len(text.splitlines()))
        raise UserMistake(f"{path}:{line}: the line is malformed TOML ({error})") from None


def read_toml(path: Path, model: type[Model]) -> Model:
    """The file as a record of the class `model`. Raises UserMistake if the file is unreadable,
    malformed or does not fit the class."""
    return as_record(parse_toml(path), model, path, ())


def as_record(content: Any, model: type[Model], path: Path, where: KeyPath) -> Model:
    """The table at the key path `where` as a record. Raises UserMistake with file, line, key, and
    what is wrong."""
    try:
        return model.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
        problem = first["msg"].removeprefix("Value error, ")
        if first["type"] == "extra_forbidden":
            problem = "there is no such key"
        keys = _keys_in(content, first["loc"])
        raise mistake(path, (*where, *keys), f"{problem}{more}") from None


def _keys_in(content: Any, location: KeyPath) -> Iterator[str | int]:
    """The keys of an error's location. pydantic also puts the names of a union's alternatives into
    it, and `[key]` if a key itself is wrong; these lead to nothing in the file."""
    for part in location:
        if part != "[key]" and isinstance(part, str) == isinstance(content, dict):
            yield part
            has = part in content if isinstance(part, str) else part < len(content)
            content = content[part] if has else None


def mistake(path: Path, where: KeyPath, problem: str) -> UserMistake:
    """The error as a UserMistake whose message, a single line, names file, line and key."""
    line = line_of(path.read_text(encoding="utf-8"), where)
    key = ".".join(str(part) for part in where) or "(file)"
    return UserMistake(f"{path}:{line}: {key}: {problem}")


def line_of(text: str, where: KeyPath) -> int:
    """The line (from 1) on which the deepest known part of a key path is written."""
    lines = _key_lines(text)
    for length in range(len(where), 0, -1):
        if where[:length] in lines:
            return lines[where[:length]]
    return 1


def _below(path: KeyPath, other: KeyPath) -> bool:
    return len(path) > len(other) and path[: len(other)] == other


def _numbered(named: KeyPath, counts: dict[KeyPath, int]) -> KeyPath:
    """The key path of a header, with the number of the last element after each array."""
    path: KeyPath = ()
    for length, part in enumerate(named, 1):
        path = (*path, part)
        if (number := counts.get(named[:length])) is not None:
            path = (*path, number)
    return path


def _key_lines(text: str) -> dict[KeyPath, int]:
    lines: dict[KeyPath, int] = {}
    table: KeyPath = ()
    counts: dict[KeyPath, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            named = tuple(part.strip("\"'") for part in _PART.findall(header[2]))
            if header[1] == "[[":
                counts = {path: count for path, count in counts.items() if not _below(path, named)}
                counts[named] = counts.get(named, -1) + 1
            table = _numbered(named, counts)
            lines.setdefault(table, number)
        elif key := _KEY.match(line):
            path = (*table, *(part.strip("\"'") for part in _PART.findall(key[1])))
            for length in range(len(table) + 1, len(path) + 1):
                lines.setdefault(path[:length], number)
    return lines
