"""A path's route and key: what names the operation, and what names the thing it is done to."""

from __future__ import annotations

import re
from typing import NamedTuple

PLACEHOLDER = "*"

_UUID = r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}"
# Numbers, UUIDs, and hexadecimal digits of at least eight letters, one of them a digit: shorter
# ones are words as well ("feed", "cafe").
_HEXADECIMAL = r"(?=[a-fA-F]*[0-9])(?:[0-9a-f]{8,}|[0-9A-F]{8,})"
_KEY = re.compile(rf"-?[0-9]+(?:[.,:-][0-9]+)*|{_UUID}|{_HEXADECIMAL}")


class Route(NamedTuple):
    """`GET /orders/*`, and `42`; the query's values are part of the key, its names of the route."""

    route: str
    key: str


def route_of(method: str, path: str) -> Route:
    """Folds what tells one thing from another into placeholders.

    Segments that are numbers, UUIDs or hexadecimal digits; of a file's name the part before its
    extension. A query's names are put in order, so that their order makes no route.
    """
    before, _, query = path.partition("?")
    keys: list[str] = []
    segments = [_folded(segment, keys) for segment in before.split("/")]
    names: list[str] = []
    for parameter in sorted(part for part in query.split("&") if part):
        name, equals, value = parameter.partition("=")
        names.append(_folded(name, keys) if not equals else f"{name}={PLACEHOLDER}")
        if equals:
            keys.append(value)
    route = "/".join(segments)
    return Route(f"{method} {route}" + (f"?{'&'.join(names)}" if names else ""), "/".join(keys))


def _folded(segment: str, keys: list[str]) -> str:
    stem, dot, extension = segment.partition(".")
    if _KEY.fullmatch(segment):
        keys.append(segment)
        return PLACEHOLDER
    if dot and _KEY.fullmatch(stem):
        keys.append(stem)
        return f"{PLACEHOLDER}.{extension}"
    return segment
