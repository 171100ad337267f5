"""JSON of unknown origin: functions that find the documents in a text, and read members that have
the expected type.

No function here raises: a member is None if it is missing or has another type.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

_OPENING = re.compile(r"^[ \t]*(?=[{\[])", re.MULTILINE)
_MOST_ATTEMPTS = 2_000
"""The greatest number of attempts to parse. Many lines may begin with a bracket, and each attempt
may read all of the remaining text."""


@dataclass(frozen=True)
class Document:
    """A JSON object or array, and the offset at which it begins."""

    offset: int
    value: object


def documents(text: str) -> Iterator[Document]:
    """The JSON objects and arrays that begin at the start of a line; an object inside another is
    not listed."""
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
    """A finite number, given as a number or as text."""
    found = at(value, *path)
    if isinstance(found, bool) or not isinstance(found, int | float | str):
        return None
    try:
        read = float(found)
    except (ValueError, OverflowError):
        return None
    return read if math.isfinite(read) and abs(read) < 2**63 else None


def time_ns(scale: float, value: object, *path: str | int) -> float | None:
    """A non-negative time, multiplied by `scale`."""
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
    """The keys and values of an object; empty if the value is not an object."""
    found = at(value, *path)
    return list(found.items()) if isinstance(found, dict) else []


def elements(value: object, *path: str | int) -> list[object]:
    """The elements of an array; empty if the value is not an array."""
    found = at(value, *path)
    return found if isinstance(found, list) else []


def numbers(value: object, *path: str | int) -> list[float] | None:
    """An array of numbers; None if it is not an array, or if any element is not a number."""
    found = at(value, *path)
    if not isinstance(found, list):
        return None
    read = [number(each) for each in found]
    kept = [each for each in read if each is not None]
    return kept if len(kept) == len(read) else None
