"""JSON of unknown origin: the documents in a text, and their members if they are what they ought
to be.

Nothing here raises: what is missing or of another type is None.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

_OPENING = re.compile(r"^[ \t]*(?=[{\[])", re.MULTILINE)
_MOST_ATTEMPTS = 2_000
"""A text may begin many lines with a bracket; each attempt may read all that follows."""


@dataclass(frozen=True)
class Document:
    """One JSON object or array, and where it begins."""

    offset: int
    value: object


def documents(text: str) -> Iterator[Document]:
    """The JSON objects and arrays that begin a line, outside of one another."""
    decoder = json.JSONDecoder()
    end = 0
    for attempt, opening in enumerate(_OPENING.finditer(text)):
        if attempt == _MOST_ATTEMPTS:
            return
        if opening.end() < end:
            continue
        try:
            value, end = decoder.raw_decode(text, opening.end())
        except (ValueError, RecursionError):
            continue
        yield Document(opening.end(), value)


def at(value: object, *path: str | int) -> object:
    """The member at a path of keys and places."""
    for step in path:
        if isinstance(step, str) and isinstance(value, dict):
            value = value.get(step)
        elif isinstance(step, int) and isinstance(value, list) and -len(value) <= step < len(value):
            value = value[step]
        else:
            return None
    return value


def number(value: object, *path: str | int) -> float | None:
    """A finite number, also where it stands as text."""
    found = at(value, *path)
    if isinstance(found, bool) or not isinstance(found, int | float | str):
        return None
    try:
        read = float(found)
    except (ValueError, OverflowError):
        return None
    return read if math.isfinite(read) and abs(read) < 2**63 else None


def time_ns(scale: float, value: object, *path: str | int) -> float | None:
    """A time that is not negative, times `scale`."""
    found = number(value, *path)
    return found * scale if found is not None and found >= 0 else None


def count(value: object, *path: str | int) -> int | None:
    """A whole number that is not negative."""
    found = number(value, *path)
    return int(found) if found is not None and found >= 0 and found.is_integer() else None


def string(value: object, *path: str | int) -> str | None:
    found = at(value, *path)
    return found if isinstance(found, str) else None


def members(value: object, *path: str | int) -> list[tuple[str, object]]:
    """The keys and values of an object; none if there is no object."""
    found = at(value, *path)
    return list(found.items()) if isinstance(found, dict) else []


def elements(value: object, *path: str | int) -> list[object]:
    """The elements of an array; none if there is no array."""
    found = at(value, *path)
    return found if isinstance(found, list) else []


def numbers(value: object, *path: str | int) -> list[float] | None:
    """An array of numbers; None if it is none, or one element is no number."""
    found = at(value, *path)
    if not isinstance(found, list):
        return None
    read = [number(each) for each in found]
    kept = [each for each in read if each is not None]
    return kept if len(kept) == len(read) else None
