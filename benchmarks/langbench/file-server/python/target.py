"""Converts the target of a request to the name of a file."""

from __future__ import annotations

import re
from typing import List, Match

from .failure import Failure

AUTHORITY = re.compile(r"http://[^/?]+", re.IGNORECASE)
ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})?")
# A segment must not lead out of its folder, so "." and ".." are refused.
SEGMENT = re.compile(r"(?!\.{1,2}\Z)[ -.0-\[\]-~]+")


def file_name(target: str) -> List[str]:
    """The names of the folders on the path, and the name of the file. Raises Failure if the target
    is invalid."""
    authority = AUTHORITY.match(target)
    if authority:
        target = target[authority.end() :]
        if not target.startswith("/"):
            target = "/"
    if not target.startswith("/"):
        raise Failure(400)
    path = target.partition("?")[0]
    segments = [ESCAPE.sub(unescaped, segment) for segment in path[1:].split("/")]
    if not all(map(SEGMENT.fullmatch, segments)):
        raise Failure(404)
    return segments


def unescaped(escape: Match[str]) -> str:
    """The character for an escaped byte. Raises Failure if the escape is invalid."""
    if escape[1] is None:
        raise Failure(400)
    return chr(int(escape[1], 16))
