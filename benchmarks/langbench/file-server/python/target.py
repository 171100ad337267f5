"""A request's target, as the name of a file."""

from __future__ import annotations

import re
from typing import List, Match

from .failure import Failure

AUTHORITY = re.compile(r"http://[^/?]+", re.IGNORECASE)
ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})?")
# A segment must not leave its folder, whatever it is taken for: neither "." nor "..".
SEGMENT = re.compile(r"(?!\.{1,2}\Z)[ -.0-\[\]-~]+")


def file_name(target: str) -> List[str]:
    """The names of folders on the way, and the file's own. Raises Failure."""
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
    """The character that stands for a byte. Raises Failure."""
    if escape[1] is None:
        raise Failure(400)
    return chr(int(escape[1], 16))
